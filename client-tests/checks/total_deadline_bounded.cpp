#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/operation_end.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/checks/rule_reach.h"
#include "client-tests/checks/tally.h"

// All attempts and waits of an operation together end in time.
namespace mishap::client_tests {

namespace {

using How = OperationEnd::How;

Duration tolerance_of(Duration deadline) {
  return std::max<Duration>(std::chrono::milliseconds(500), deadline / 20);
}

// The scenario would have gone on beyond the deadline had the client gone along: the fault does not
// stop, or it asked for a longer wait. A shorter one proves nothing about a deadline.
bool would_outlast(const Case& c, const Operation& operation) {
  const auto attempts = policy_attempts(operation);
  const Attempt& last = *attempts.back();
  const bool goes_on =
      (is_transient(last) || last.result == Result::Spoiled || last.result == Result::Unanswered) &&
      would_fail_again(c.recording, last);
  if (goes_on) return true;
  const Duration beyond = c.bounds.deadline + c.bounds.deadline / 2;
  return std::any_of(attempts.begin(), attempts.end(), [&](const Attempt* attempt) {
    const auto asked = retry_after(c.recording, *attempt->exchange);
    return asked && asked->asks_to_wait() && asked->wait > beyond;
  });
}

// What the client took, and how long it was not there, cannot be told apart then.
bool was_cut_in_the_middle(const Operation& operation) {
  return operation.attempts.back().cut_by_signal ||
         operation.attempts.front().life != operation.attempts.back().life;
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    if (polls(case_, operation) || was_cut_in_the_middle(operation)) return;
    const Duration begin = operation.attempts.front().exchange->first_byte;
    const OperationEnd end = end_of(case_, operation);
    const auto calls = static_cast<std::int64_t>(1 + hidden_calls(case_, operation));
    const Duration deadline = case_.bounds.deadline;
    const Duration limit = calls * (deadline + tolerance_of(deadline));
    const Duration elapsed = end.at - begin;
    const Witness cited = witness(
        operation, fmt::format("{}: {} {} {} {} + {}{}{}", operation.name,
                               end.how == How::StillOpen ? "not over after" : "over after",
                               seconds(elapsed), elapsed > limit ? ">" : "<=", seconds(deadline),
                               seconds(tolerance_of(deadline)),
                               calls > 1 ? fmt::format(", times {} equal calls", calls) : "",
                               case_.bounds.deadline_promised ? "" : " (nothing promised)"));
    if (elapsed > limit) {
      judge_long(operation, end, limit, cited);
    } else if (end.how == How::StillOpen &&
               was_ended_by_scenario(case_.recording, operation.lane)) {
      return;  // nobody knows how long it would have gone on, and nobody asks
    } else if (end.how == How::StillOpen && end.at > begin) {
      tally_.open(fmt::format("{} before the deadline of {} was over",
                              how_it_ended(case_.recording, operation.lane), seconds(deadline)),
                  cited);
    } else if (would_outlast(case_, operation)) {
      judge_short(operation, end, cited);
    }
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "an operation went on beyond its deadline",
         .reason = fmt::format("All attempts and waits of an operation together took longer "
                               "than {}.",
                               seconds(case_.bounds.deadline)),
         .held = counted(tally_.judged(), "operation") + " given up in time",
         .none = "no fault would have lasted beyond the deadline"});
  }

 private:
  void judge_long(const Operation& operation, const OperationEnd& end, Duration limit,
                  const Witness& cited) {
    const Duration begin = operation.attempts.front().exchange->first_byte;
    // When the lane turned to something else says only by when it was over.
    const bool by_then = end.how == How::MovedOn || end.how == How::DriveEnded;
    if (by_then && last_activity_of(operation) - begin <= limit) {
      tally_.open(operation.name + ": nothing tells when it was given up", cited);
    } else {
      tally_.broke(cited);
    }
  }

  void judge_short(const Operation& operation, const OperationEnd& end, const Witness& cited) {
    const bool lives_on = !ended_by_itself(case_.recording, operation.lane) &&
                          !drive_ended_at(case_.recording, operation.lane);
    if (end.how == How::FellSilent || (end.how == How::MovedOn && lives_on)) {
      tally_.open(operation.name + ": nothing tells when it was given up", cited);
    } else {
      tally_.held(cited);
    }
  }

  const Case& case_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (const auto& operation : c.history.operations) judge.look_at(operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kTotalDeadlineBounded = {
    .name = "total_deadline_bounded",
    .summary = "an operation ends in time, all attempts and waits together",
    .rule =
        "(end - first byte of the first attempt) <= deadline + max(500 ms, 5 %); 120 s where "
        "nothing is promised",
    .judged = "operations whose fault would have lasted beyond the deadline",
    .why = "A job that waits for hours looks alive and does nothing.",
    .change =
        "Give the operation a deadline, cut each attempt and wait to what is left of it, and "
        "do not sleep out a Retry-After beyond it.",
    .source = "gRPC proposal A6 (the deadline spans all attempts)",
    .since = "0.1",
    .timing = true,
    .severity = 76,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
