#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// An attempt leaves room for what comes after it.
namespace mishap::client_tests {

namespace {

constexpr int kShare = 9;  // tenths of what is left
// Clearly shorter than another attempt that was waited out: it was cut to what was left.
constexpr int kShortened = 9;  // tenths

// How long the client waited for an answer that it then gave up.
std::optional<Duration> patience_of(const Attempt& attempt) {
  if (attempt.result != Result::Abandoned || !attempt.abandoned_at) return std::nullopt;
  return *attempt.abandoned_at - attempt.exchange->first_byte;
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    const auto attempts = policy_attempts(operation);
    if (attempts.size() < 2 || hidden_calls(case_, operation) > 0) return;
    if (attempts.front()->life != attempts.back()->life) return;
    Duration longest{};
    for (const Attempt* attempt : attempts) {
      const auto patience = patience_of(*attempt);
      if (!patience) continue;
      judge_attempt(operation, *attempt, *patience, longest);
      longest = std::max(longest, *patience);
    }
  }

  Finding settle() const {
    return tally_.settle({.failed = "one attempt may use the whole budget up",
                          .reason = "An attempt waited as long as the whole operation had left.",
                          .held = counted(tally_.judged(), "attempt") + " left room for another",
                          .none = "no operation of two attempts or more gave one up for its time"});
  }

 private:
  // Late in an operation an attempt may take all that is left, and no more; early on, none may.
  void judge_attempt(const Operation& operation, const Attempt& attempt, Duration patience,
                     Duration longest) {
    const Duration begin = operation.attempts.front().exchange->first_byte;
    const Duration budget = case_.bounds.deadline;
    const Duration left = budget - (attempt.exchange->first_byte - begin);
    if (left <= Duration{}) return;  // begun behind the deadline, which another check tells of
    if (patience < longest * kShortened / 10) return;  // cut to what was left
    const bool is_early = left >= budget / 2;
    const Duration limit = is_early ? left * kShare / 10 : left + late_tolerance(left);
    const bool kept = patience < limit;
    Witness cited =
        witness(operation, {&attempt},
                fmt::format("{}: #{} waited {} {} {}, with {} left of {}", operation.name,
                            attempt.exchange->number, seconds(patience),
                            kept ? "<" : ">=", seconds(limit), seconds(left), seconds(budget)));
    kept ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  const Case& case_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (!c.bounds.deadline_promised) {
    return not_applicable("no budget is promised (--promise deadline=12s)");
  }
  Judge judge(c);
  for (const Operation& operation : c.history.operations) judge.look_at(operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kInnerTimeoutBelowBudget = {
    .name = "inner_timeout_below_budget",
    .summary = "the timeout of an attempt leaves room within the whole budget",
    .rule =
        "time that an attempt was waited for < 0.9 x what was left of the deadline at its start; "
        "in "
        "the second half of the deadline no more than was left",
    .judged =
        "operations of two attempts or more that gave one up for its time; a deadline must be "
        "promised",
    .why = "Where one attempt may take all, the retries exist on paper only.",
    .change = "Timeout of an attempt well below the deadline; the last ones cut to what is left.",
    .source = "gRPC, Deadlines; Google SRE book, chapter 22 (deadline propagation)",
    .since = "0.1",
    .severity = 42,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
