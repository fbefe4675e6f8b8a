#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/operation_end.h"
#include "client-tests/checks/rule_reach.h"
#include "client-tests/checks/tally.h"

// Retrying ends.
namespace mishap::client_tests {

namespace {

// More than that is unusual where nothing was promised (checks.md section 1).
constexpr std::uint64_t kMany = 5;

// Off by one is endemic, so both numbers are said.
std::string attempts_and_retries(std::uint64_t attempts) {
  return fmt::format("{} ({})", counted(attempts, "attempt"),
                     attempts - 1 == 1 ? "1 retry" : fmt::format("{} retries", attempts - 1));
}

bool fault_goes_on(const Case& c, const Operation& operation) {
  const Attempt& last = *policy_attempts(operation).back();
  const bool failed = is_transient(last) || last.result == Result::Unanswered;
  return failed && would_fail_again(c.recording, last);
}

// A client that is started again after a crash does not know how often it had tried. Where a
// redirect leads is no new attempt: how many are followed is redirects_bounded's.
std::uint64_t most_in_one_life(const Operation& operation) {
  if (operation.attempts.size() == 1) return 1;
  std::map<int, std::set<std::uint64_t>> numbers;
  bool was_sent_on = false;
  for (const Attempt& attempt : operation.attempts) {
    if (!was_sent_on) numbers[attempt.life].insert(attempt.policy_number);
    was_sent_on = attempt.result == Result::Redirect;
  }
  std::uint64_t most = 0;
  for (const auto& [life, tried] : numbers) most = std::max<std::uint64_t>(most, tried.size());
  return most;
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    if (polls(case_, operation)) return;
    const auto calls = 1 + hidden_calls(case_, operation);
    const auto limit = static_cast<std::uint64_t>(case_.bounds.max_attempts) * calls;
    const auto attempts = most_in_one_life(operation);
    const bool too_many = attempts > limit;
    if (!too_many && !fault_goes_on(case_, operation)) return;
    const Witness cited = witness(
        operation, fmt::format("{}: {} {} {}{}{}", operation.name, attempts_and_retries(attempts),
                               too_many ? ">" : "<=", case_.bounds.max_attempts,
                               calls > 1 ? fmt::format(" x {} equal calls", calls) : "",
                               case_.bounds.max_attempts_promised ? "" : " (nothing promised)"));
    too_many ? tally_.broke(cited) : judge_end(operation, cited);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "retrying does not end",
         .reason = fmt::format("An operation was tried more than {} times, or "
                               "never given up.",
                               case_.bounds.max_attempts),
         .held = "at most " + attempts_and_retries(most_),
         .none = "no retryable fault lasted until the client gave up"});
  }

 private:
  void judge_end(const Operation& operation, const Witness& cited) {
    // Whoever is killed in the middle of it has no chance to give it up.
    if (operation.attempts.back().cut_by_signal) return;
    const std::uint64_t attempts = most_in_one_life(operation);
    most_ = std::max(most_, attempts);
    if (!case_.bounds.max_attempts_promised && attempts > kMany) {
      tally_.warn(cited.statement);
    }
    const OperationEnd end = end_of(case_, operation);
    if (end.how != OperationEnd::How::StillOpen) {
      tally_.held(cited);
      return;
    }
    const Duration elapsed = end.at - operation.attempts.front().exchange->first_byte;
    const auto calls = static_cast<Duration::rep>(1 + hidden_calls(case_, operation));
    if (elapsed > calls * (case_.bounds.deadline + case_.bounds.deadline / 20)) {
      Witness late = cited;
      late.statement += fmt::format(", and not given up after {}", seconds(elapsed));
      tally_.broke(std::move(late));
    } else {
      tally_.open(fmt::format("{} was not given up: {}", operation.name,
                              how_it_ended(case_.recording, operation.lane)),
                  cited);
    }
  }

  const Case& case_;
  std::uint64_t most_ = 1;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (const auto& operation : c.history.operations) {
    if (is_lookup(operation) || repeats_by_habit(c, operation)) continue;
    judge.look_at(operation);
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kBoundedAttempts = {
    .name = "bounded_attempts",
    .summary = "retrying ends",
    .rule =
        "attempts of an operation <= max_attempts (8 where nothing is promised), and it is "
        "given up",
    .judged =
        "operations under a retryable fault that does not stop; transport resends and lookups "
        "are not counted",
    .why = "Clients that never give up keep an ill vendor ill.",
    .change =
        "Limit the attempts of an operation, the first one included, and report what was "
        "given up.",
    .source = "gRPC proposal A6 (maxAttempts); Google SRE book, chapter 22",
    .since = "0.1",
    .severity = 75,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
