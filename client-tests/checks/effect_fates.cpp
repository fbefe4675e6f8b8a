#include "client-tests/checks/effect_fates.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "client-tests/checks/batch_exchange.h"

namespace mishap::client_tests {

namespace {

using server::Effect;
using server::Exchange;

// What one request created in one collection for one operation.
auto source_of(const Effect& effect) {
  return std::tuple(effect.exchange, effect.operation, std::string_view(effect.resource));
}

// How often exchanges brought an operation: asked by exchange, one after the other.
class TimesSent {
 public:
  explicit TimesSent(const ExchangesByNumber& exchanges) : exchanges_(exchanges) {}

  std::uint64_t of(const Effect& effect) {
    const Exchange* exchange = exchanges_.find(effect.exchange);
    if (exchange == nullptr) return 1;
    if (exchange->items.empty()) return times_brought(*exchange, effect.operation);
    if (exchange != batch_) count(*exchange);
    const auto found = in_batch_.find(effect.operation);
    return found == in_batch_.end() ? 0 : found->second;
  }

 private:
  // A batch may bring one operation twice.
  void count(const Exchange& batch) {
    batch_ = &batch;
    in_batch_.clear();
    for (const server::BatchItem& item : batch.items) ++in_batch_[item.identity.operation];
  }

  const ExchangesByNumber& exchanges_;
  const Exchange* batch_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint64_t> in_batch_;
};

}  // namespace

EffectFates::EffectFates(const Recording& recording, const ExchangesByNumber& exchanges) {
  find_vendors_own(recording, exchanges);
  find_deleted(recording);
}

void EffectFates::find_vendors_own(const Recording& recording, const ExchangesByNumber& exchanges) {
  std::vector<const Effect*> created;
  for (const Effect& effect : recording.journal.effects) {
    if (effect.kind == server::EffectKind::Created) created.push_back(&effect);
  }
  std::ranges::sort(created, {}, [](const Effect* effect) {
    return std::tuple_cat(source_of(*effect), std::tuple(effect->number));
  });
  TimesSent times_sent(exchanges);
  std::uint64_t before = 0;  // of the same source, with a smaller number
  std::uint64_t alike = 0;   // of the same source, with the same number
  for (std::size_t i = 0; i < created.size(); ++i) {
    const Effect& effect = *created[i];
    if (i == 0 || source_of(*created[i - 1]) != source_of(effect)) {
      before = alike = 0;
    } else if (created[i - 1]->number != effect.number) {
      before += alike + 1;
      alike = 0;
    } else {
      ++alike;
    }
    if (before > 0 && before >= times_sent.of(effect)) vendors_own_.insert(&effect);
  }
}

void EffectFates::find_deleted(const Recording& recording) {
  std::map<std::tuple<int, std::string_view, std::string_view>, std::uint64_t> last_deletion;
  for (const Effect& effect : recording.journal.effects) {
    if (effect.kind != server::EffectKind::Deleted) continue;
    auto& last = last_deletion[{effect.lane, effect.resource, effect.id}];
    last = std::max(last, effect.number);
  }
  if (last_deletion.empty()) return;
  for (const Effect& effect : recording.journal.effects) {
    const auto found = last_deletion.find({effect.lane, effect.resource, effect.id});
    if (found != last_deletion.end() && found->second > effect.number) deleted_.insert(&effect);
  }
}

}  // namespace mishap::client_tests
