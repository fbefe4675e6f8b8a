#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/lazy.h"
#include "client-tests/checks/operations_by_name.h"
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
  std::unordered_set<std::uint64_t> tried_again{};  // exchanges that brought one of the failed
};

const Operation* operation_numbered(const History& history, std::uint64_t number) {
  const auto found = std::ranges::lower_bound(history.operations, number, {}, &Operation::number);
  return found != history.operations.end() && found->number == number ? &*found : nullptr;
}

// Attempts stand in order of time.
auto first_since(const Operation& operation, Duration instant) {
  return std::ranges::lower_bound(operation.attempts, instant, {}, [](const Attempt& attempt) {
    return attempt.exchange->first_byte;
  });
}

Item item_of(const History& history, const Exchange& batch, std::size_t index) {
  Item item{index + 1, operation_numbered(history, batch.items[index].identity.operation), nullptr};
  if (item.operation == nullptr) return item;
  for (auto at = first_since(*item.operation, batch.first_byte);
       at != item.operation->attempts.end() && at->exchange->first_byte == batch.first_byte; ++at) {
    if (at->exchange->number != batch.number) continue;
    item.attempt = &*at;
    break;
  }
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
  if (made.done.empty()) return made;
  for (const Item& failed : made.failed) {
    for (const Attempt& attempt : failed.operation->attempts) {
      made.tried_again.insert(attempt.exchange->number);
    }
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
    EqualResends equal;
    for (const Item& item : batch.done) {
      const auto again = resend_of(batch, item, equal);
      if (again) judge_resend(batch, item, *again);
      any_again = any_again || again.has_value();
    }
    if (!any_again) judge_silence(batch);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "items that were done were sent again",
         .reason = "Their siblings had failed, and they were sent along with those.",
         .held = fmt::format("{} done in part: {}", batches_ == 1 ? "a batch was" : "batches were",
                             warned_ ? "what was done came again under its key"
                                     : "only what failed was sent again"),
         .none = "no batch of three or more items was done in part"});
  }

 private:
  // Of one batch, by content: the same for each item that says it.
  using EqualResends = std::unordered_map<std::string_view, std::optional<Resend>>;

  std::optional<Resend> resend_of(const SplitBatch& batch, const Item& item,
                                  EqualResends& equal) const {
    const Duration told = *batch.exchange->receipt.last_write;
    const auto again = first_since(*item.operation, told);
    if (again != item.operation->attempts.end()) return Resend{item.operation, &*again};
    // What nothing names is another operation after its success. It is the item again where it
    // comes with a failed sibling, from a client that says it once on a good day.
    if (!item.operation->reference.empty() || hidden_calls(case_, *item.operation) > 0) return {};
    const auto [known, is_new] = equal.try_emplace(item.attempt->exchange->request.content_hash);
    if (is_new) known->second = equal_resend_of(batch, item, told);
    return known->second;
  }

  std::optional<Resend> equal_resend_of(const SplitBatch& batch, const Item& item,
                                        Duration told) const {
    std::optional<Resend> found;
    const std::string& content = item.attempt->exchange->request.content_hash;
    nameless().visit(item.operation->lane, content, [&](const Operation& other) {
      const Attempt& first = other.attempts.front();
      if (first.exchange->first_byte < told) return true;
      if (!batch.tried_again.contains(first.exchange->number)) return true;
      found = Resend{&other, &first};
      return false;
    });
    return found;
  }

  // Operations without a reference, by what they said first.
  const OperationsByName& nameless() const {
    return nameless_.get([&] {
      OperationsByName made(first_content);
      for (const Operation& operation : case_.history.operations) {
        if (operation.reference.empty()) made.add(operation);
      }
      made.sort();
      return made;
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
  Lazy<OperationsByName> nameless_;
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
