#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// No success before there is a confirmation.
namespace mishap::client_tests {

namespace {

// The driver stamps a line when it sees it, which can only be later than it was written.
constexpr Duration kSameMoment = std::chrono::milliseconds(5);

void keep_earliest(std::optional<Duration>& earliest, std::optional<Duration> candidate) {
  if (candidate && (!earliest || *candidate < *earliest)) earliest = candidate;
}

// Whether or not the client still wanted it: whoever reports success meanwhile seems to have left.
bool was_served(const server::Exchange& exchange) {
  return exchange.answer.success && exchange.answer.healthy &&
         exchange.receipt.delivery == server::Delivery::Complete;
}

// When the first byte of something that proves the success left: a client may know it a little
// before the last one has.
std::optional<Duration> confirmation_began(const Operation& operation) {
  std::optional<Duration> earliest;
  for (const Attempt& attempt : operation.attempts) {
    if (was_served(*attempt.exchange)) {
      keep_earliest(earliest, attempt.exchange->receipt.first_write);
    }
  }
  for (const server::Exchange* lookup : operation.lookups) {
    if (lookup->found && is_valid_lookup(*lookup)) {
      keep_earliest(earliest, lookup->receipt.first_write);
    }
  }
  return earliest;
}

const OutcomeLine* first_success(const Operation& operation) {
  const auto found =
      std::ranges::find(operation.outcomes, OutcomeKind::Succeeded, &OutcomeLine::outcome);
  return found == operation.outcomes.end() ? nullptr : *found;
}

// How many operations each line names.
using Named = std::unordered_map<const OutcomeLine*, std::size_t>;

Named named_by_lines(const History& history) {
  Named named;
  for (const Operation& operation : history.operations) {
    for (const OutcomeLine* line : operation.outcomes) ++named[line];
  }
  return named;
}

void judge(const Operation& operation, const Named& named, Tally& tally) {
  const OutcomeLine* line = first_success(operation);
  const auto told = confirmation_began(operation);
  // A line that names several operations (one key for all) is about one of them.
  if (!line || !told || named.at(line) > 1) return;
  const bool kept = line->at >= *told - kSameMoment;
  const Witness cited = witness(
      operation,
      fmt::format("{}: reported succeeded at {} {} first confirmation at {} - {}", operation.name,
                  seconds(line->at), kept ? ">=" : "<", seconds(*told), seconds(kSameMoment)));
  kept ? tally.held(cited) : tally.broke(cited);
}

Finding evaluate(const Case& c, const Params&) {
  if (!writes_outcomes(c)) return not_observed("the client writes no outcome lines");
  const Named named = named_by_lines(c.history);
  Tally tally;
  for (const Operation& operation : c.history.operations) {
    if (operation.klass != OperationClass::Safe) judge(operation, named, tally);
  }
  return tally.settle(
      {.failed = "success is reported before it is confirmed",
       .reason = "The line was there before the vendor had said that it was done.",
       .held = counted(tally.judged(), "success") + " reported after the confirmation",
       .none = "no reported success that the vendor confirmed"});
}

}  // namespace

const CheckDescriptor kNoPrematureSuccess = {
    .name = "no_premature_success",
    .summary = "no success is reported before there is a confirmation",
    .rule =
        "line of success >= first byte of a complete answer of success, or of a lookup that found "
        "it, - 5 ms",
    .judged =
        "unsafe operations of a client that writes outcome lines, once a success was confirmed; "
        "one "
        "that never was is outcome_truthful's",
    .why = "Whoever reads it in between sends the invoice for what then fails.",
    .change = "Write success when the answer is read and checked, never before the call is made.",
    .source = "mission B26, B64, B74; Jepsen (an operation is ok only once it was acknowledged)",
    .since = "0.1",
    .severity = 88,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
