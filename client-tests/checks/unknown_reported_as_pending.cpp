#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// "No answer" is not "nothing happened", and where nobody can ask it stays unknown.
namespace mishap::client_tests {

namespace {

// No usable answer came, or one that a gateway or a crashing vendor gives after the effect as well.
// A 503 is left out: many a vendor says it before it begins.
bool leaves_unknown(const Attempt& attempt) {
  static constexpr StatusCode kUnavailable = 503;
  if (attempt.knowable != Knowable::Ambiguous) return false;
  switch (attempt.result) {
    case Result::Spoiled:
    case Result::Broken:
    case Result::Abandoned:
    case Result::Unanswered:
      return true;
    case Result::ServerError:
      return status_of(attempt) != kUnavailable;
    default:
      return false;
  }
}

const Attempt* last_unknown(const Operation& operation) {
  const Attempt* last = nullptr;
  for (const Attempt& attempt : operation.attempts) {
    if (leaves_unknown(attempt)) last = &attempt;
  }
  return last;
}

// The reads of each copy of the client that were answered: when they began.
class Reads {
 public:
  explicit Reads(const Recording& recording) {
    for (const server::Exchange& exchange : recording.journal.exchanges) {
      if (!exchange.safe || !is_valid_lookup(exchange)) continue;
      begun_[exchange.lane].push_back(exchange.first_byte);
    }
    for (auto& [lane, begun] : begun_) std::ranges::sort(begun);
  }

  // A read of some other kind that was answered in between may have told the client, whatever the
  // scenario calls a lookup.
  bool may_have_asked(const Operation& operation, const Attempt& since) const {
    const auto lane = begun_.find(operation.lane);
    if (lane == begun_.end()) return false;
    const auto next = std::ranges::upper_bound(lane->second, since.exchange->first_byte);
    if (next == lane->second.end()) return false;
    return operation.outcomes.empty() || *next < operation.outcomes.back()->at;
  }

 private:
  std::map<int, std::vector<Duration>> begun_;
};

Finding evaluate(const Case& c, const Params&) {
  const auto& scenario = c.recording.scenario;
  if (scenario.offers_lookup || scenario.offers_keys) {
    return not_applicable("the vendor offers keys or a lookup: what is unknown can be found out");
  }
  const Reads reads(c.recording);
  Tally tally;
  bool unobserved = false;
  for (const Operation& operation : c.history.operations) {
    const bool is_create =
        operation.klass == OperationClass::Keyed || operation.klass == OperationClass::Unkeyed;
    const Attempt* unknown = is_create ? last_unknown(operation) : nullptr;
    if (!unknown || confirmed_at(operation)) continue;
    if (reads.may_have_asked(operation, *unknown)) continue;
    if (operation.outcomes.empty()) {
      unobserved = true;  // a line that is missing is another check's business
      continue;
    }
    const OutcomeKind word = operation.outcomes.back()->outcome;
    const Witness cited =
        witness(operation, fmt::format("{}: reported {} after {}, which nobody can know",
                                       operation.name, to_string(word), story_of(operation)));
    word == OutcomeKind::Pending ? tally.held(cited) : tally.broke(cited);
  }
  if (unobserved && tally.judged() == 0) {
    return not_observed("the client wrote no outcome line about what stayed unknown");
  }
  return std::move(tally).settle(
      {.failed = "the client claims to know what it cannot know",
       .reason = "No answer came and there is no way to ask, yet it reported an outcome.",
       .held = counted(tally.judged(), "unknown outcome") + " reported as pending",
       .none = "no create was left without an answer"});
}

}  // namespace

const CheckDescriptor kUnknownReportedAsPending = {
    .name = "unknown_reported_as_pending",
    .summary = "no answer is not taken for nothing happened",
    .rule = "last line of an operation whose answer was lost = pending",
    .judged =
        "creates without a usable answer (a 503 aside), on a vendor that offers neither keys nor a "
        "lookup; elsewhere reconciles_unknown_outcome judges",
    .why = "Told that it failed, people do it again by hand, and it is done twice.",
    .change =
        "Report pending where no answer came and nobody can be asked; let a person or a later "
        "statement of the vendor settle it.",
    .source = "Jepsen's info; Stripe: treat a 500 as undetermined",
    .since = "0.1",
    .severity = 86,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
