#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/batch_exchange.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// Of a batch that succeeded in part only the failed items are sent again.
namespace mishap::client_tests {

namespace {

using server::Exchange;

constexpr std::size_t kFewestItems = 3;

// An item of a batch with what became of it.
struct Item {
  std::size_t number = 0;  // in the batch, from 1
  const Operation* operation = nullptr;
  const Attempt* attempt = nullptr;
};
using Items = std::vector<Item>;

// A batch whose client was told that some of its items are done and others are not.
struct SplitBatch {
  const Exchange* exchange = nullptr;
  Items done;
  Items failed;
};

const Operation* operation_numbered(const History& history, std::uint64_t number) {
  const auto found = std::ranges::lower_bound(history.operations, number, {}, &Operation::number);
  return found != history.operations.end() && found->number == number ? &*found : nullptr;
}

Item item_of(const History& history, const Exchange& batch, std::size_t index) {
  Item item{index + 1, operation_numbered(history, batch.items[index].identity.operation), nullptr};
  if (item.operation == nullptr) return item;
  const auto& attempts = item.operation->attempts;
  const auto found = std::ranges::find_if(
      attempts, [&](const Attempt& attempt) { return attempt.exchange->number == batch.number; });
  if (found != attempts.end()) item.attempt = &*found;
  return item;
}

SplitBatch split(const History& history, const Exchange& batch) {
  SplitBatch made{&batch, {}, {}};
  for (std::size_t i = 0; i < batch.items.size(); ++i) {
    const Item item = item_of(history, batch, i);
    if (batch.items[i].status == 0 || item.attempt == nullptr) continue;
    if (item.attempt->result == Result::Success) made.done.push_back(item);
    if (status_of(*item.attempt) >= 400) made.failed.push_back(item);
  }
  return made;
}

bool is_occasion(const SplitBatch& batch) {
  return batch.exchange->items.size() >= kFewestItems && !batch.done.empty() &&
         !batch.failed.empty();
}

// What was sent again of an item that was done.
struct Resend {
  const Operation* operation = nullptr;
  const Attempt* attempt = nullptr;
};

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Exchange& exchange) {
    if (exchange.items.size() < kFewestItems) return;
    const SplitBatch batch = split(case_.history, exchange);
    if (!is_occasion(batch)) return;
    ++batches_;
    bool any_again = false;
    for (const Item& item : batch.done) {
      const auto again = resend_of(batch, item);
      if (again) judge_resend(batch, item, *again);
      any_again = any_again || again.has_value();
    }
    if (!any_again) judge_silence(batch);
  }

  Finding settle() const {
    return tally_.settle(
        {.failed = "items that were done were sent again",
         .reason = "Their siblings had failed, and they were sent along with those.",
         .held = fmt::format("{} done in part: {}", batches_ == 1 ? "a batch was" : "batches were",
                             warned_ ? "what was done came again under its key"
                                     : "only what failed was sent again"),
         .none = "no batch of three or more items was done in part"});
  }

 private:
  std::optional<Resend> resend_of(const SplitBatch& batch, const Item& item) const {
    const Duration told = *batch.exchange->receipt.last_write;
    for (const Attempt& attempt : item.operation->attempts) {
      if (attempt.exchange->first_byte >= told) return Resend{item.operation, &attempt};
    }
    return equal_resend_of(batch, item, told);
  }

  // What nothing names is another operation after its success. It is the item again where it comes
  // with a failed sibling, from a client that says it once on a good day.
  std::optional<Resend> equal_resend_of(const SplitBatch& batch, const Item& item,
                                        Duration told) const {
    if (!item.operation->reference.empty() || hidden_calls(case_, *item.operation) > 0) return {};
    const std::string& content = item.attempt->exchange->request.content_hash;
    for (const Operation& other : case_.history.operations) {
      const Attempt& first = other.attempts.front();
      const bool is_equal = other.lane == item.operation->lane && other.reference.empty() &&
                            first.exchange->request.content_hash == content;
      if (!is_equal || first.exchange->first_byte < told) continue;
      if (comes_with_a_failed_one(batch, *first.exchange)) return Resend{&other, &first};
    }
    return {};
  }

  static bool comes_with_a_failed_one(const SplitBatch& batch, const Exchange& exchange) {
    return std::ranges::any_of(batch.failed, [&](const Item& failed) {
      return std::ranges::any_of(failed.operation->attempts, [&](const Attempt& attempt) {
        return attempt.exchange->number == exchange.number;
      });
    });
  }

  void judge_resend(const SplitBatch& batch, const Item& item, const Resend& again) {
    if (!known_.insert(item.operation->number).second) return;
    const Exchange& first = *item.attempt->exchange;
    const Exchange& next = *again.attempt->exchange;
    Witness cited = witness(
        *item.operation, {item.attempt, again.attempt},
        fmt::format("{}: item {} of #{} told {}, sent again in #{}: 1 > 0", item.operation->name,
                    item.number, batch.exchange->number, first.answer.status, next.number));
    cited.effects = next.effects;
    const bool same_key =
        !first.request.key.empty() ? first.request.key == next.request.key : next.answer.replayed;
    if (same_key && next.effects.empty()) {
      warned_ = true;
      tally_.warn(cited.statement + "; under its key, so nothing was done twice");
      tally_.held(std::move(cited));
    } else {
      tally_.broke(std::move(cited));
    }
  }

  void judge_silence(const SplitBatch& batch) {
    const Exchange& exchange = *batch.exchange;
    Witness cited = said(fmt::format("#{}: {} of {} items done, none of them sent again",
                                     exchange.number, batch.done.size(), exchange.items.size()));
    cited.exchanges = {exchange.number};
    const Duration told = *exchange.receipt.last_write;
    if (is_closed_after(case_, exchange.lane, told)) {
      cited.statement += watched_since(case_, exchange.lane, told);
      tally_.held(std::move(cited));
    } else {
      tally_.open(fmt::format("#{}: {} too soon after the answer to tell what it sends again",
                              exchange.number, how_it_ended(case_.recording, exchange.lane)),
                  std::move(cited));
    }
  }

  const Case& case_;
  Tally tally_;
  std::set<std::uint64_t> known_;  // operations whose resend was told
  std::size_t batches_ = 0;
  bool warned_ = false;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (const Exchange& exchange : c.recording.journal.exchanges) judge.look_at(exchange);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kRetriesOnlyFailedItems = {
    .name = "retries_only_failed_items",
    .summary = "of a batch only what failed is sent again",
    .rule =
        "items told a 2xx that are sent again when siblings failed = 0; under the same key and "
        "without another effect: a warning",
    .judged =
        "batches of three or more items of which the client was told, completely, that at least "
        "one is done and at least one is not",
    .why = "What was done is done twice, and a batch with one bad item never comes to an end.",
    .change = "Read the result of each item, and build the next batch from those that failed.",
    .source = "mission A40; RFC 4918 section 13 (207: the status of each is in the body)",
    .since = "0.1",
    .severity = 75,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
