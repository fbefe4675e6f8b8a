#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/permanent_stop.h"

// Each attempt is classified by its own answer.
namespace mishap::client_tests {

namespace {

bool were_transient(const Operation& operation, std::size_t count) {
  const auto attempts = policy_attempts(operation);
  return std::all_of(attempts.begin(), attempts.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const Attempt* attempt) {
                       return is_transient(*attempt) || attempt->result == Result::Spoiled;
                     });
}

Finding evaluate(const Case& c, const Params&) {
  Tally tally;
  for (const auto& operation : c.history.operations) {
    const auto refusal = first_refusal(c, operation);
    if (!refusal || *refusal == 0 || !were_transient(operation, *refusal)) continue;
    judge_after_refusal(c, operation, *refusal, tally);
  }
  return std::move(tally).settle(
      {.failed = "a permanent error after a passing one was retried",
       .reason = "Whether to go on was decided from an earlier error.",
       .held = counted(tally.judged(), "later refusal") + " taken as final",
       .none = "no operation was refused for good after a passing failure"});
}

}  // namespace

const CheckDescriptor kStopsOnPermanentAfterTransient = {
    .name = "stops_on_permanent_after_transient",
    .summary = "each attempt is classified by its own answer",
    .rule = "attempts after a permanent refusal that followed a passing failure = 0",
    .judged = "operations that were refused for good at a later attempt",
    .why = "A loop that decides once goes on against a closed door.",
    .change = "Decide after every attempt, from its own answer, whether to go on.",
    .source = "storage conformance scenario 6",
    .since = "0.1",
    .severity = 61,
    .families = {Family::Permanent},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
