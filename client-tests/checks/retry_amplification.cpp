#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"
#include "client-tests/statistics/amplification.h"

// How much load retries make of it.
namespace mishap::client_tests {

namespace {

constexpr double kTolerance = 1.05;
constexpr std::size_t kOperations = 20;

bool counts(const Case& c, const Operation& operation) {
  const bool was_met = std::ranges::any_of(operation.attempts, was_faulted);
  return was_met && !operation.polled && !is_lookup(operation) && hidden_calls(c, operation) == 0 &&
         !repeats_by_habit(c, operation);
}

// A redirect that is followed is the same attempt going on.
std::uint64_t attempts_of(const Operation& operation) {
  const auto attempts = policy_attempts(operation);
  const auto followed = std::ranges::count_if(
      attempts, [](const Attempt* attempt) { return attempt->result == Result::Redirect; });
  const auto all = static_cast<std::ptrdiff_t>(attempts.size());
  return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, all - followed));
}

Finding evaluate(const Case& c, const Params&) {
  std::vector<std::uint64_t> attempts;
  const Operation* worst = nullptr;
  for (const Operation& operation : c.history.operations) {
    if (!counts(c, operation)) continue;
    attempts.push_back(attempts_of(operation));
    if (!worst || attempts_of(operation) > attempts_of(*worst)) worst = &operation;
  }
  if (attempts.size() < kOperations) {
    return not_applicable(fmt::format("faults met {}, and {} are needed",
                                      counted(attempts.size(), "operation"), kOperations));
  }
  const auto seen = statistics::amplification_of(attempts);
  const double limit = kTolerance * static_cast<double>(c.bounds.max_attempts);
  const bool kept = seen.factor <= limit;
  const Witness cited = witness(
      *worst,
      fmt::format("{:.2f} attempts for each of {} operations {} {:.2f} x {}; p50 {:.0f}, p95 "
                  "{:.0f}, most {}, {:.0f} % were retried",
                  seen.factor, seen.operations, kept ? "<=" : ">", kTolerance,
                  c.bounds.max_attempts, seen.p50, seen.p95, seen.most, 100 * seen.retried));
  Tally tally;
  kept ? tally.held(cited) : tally.broke(cited);
  return tally.settle({.failed = "retries multiply the load",
                       .reason = "An ill vendor gets more requests than were promised at most.",
                       .held = fmt::format("load x {:.1f} under the fault", seen.factor)});
}

}  // namespace

const CheckDescriptor kRetryAmplification = {
    .name = "retry_amplification",
    .summary = "how much load retries make while the vendor is ill",
    .rule = "attempts / operations <= max_attempts x 1.05",
    .judged =
        "runs in which faults met 20 or more operations; lookups, polls, redirects that are "
        "followed and resends of the transport are not counted",
    .why = "A vendor at its limit goes down for good under three times its load.",
    .change =
        "Retry in one layer only, a few times, and give up all retries while most calls fail.",
    .source = "Google SRE book, chapter 22 (3 x against 1.1 x)",
    .since = "0.1",
    .severity = 53,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
