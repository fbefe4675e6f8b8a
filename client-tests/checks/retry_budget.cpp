#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"
#include "client-tests/statistics/amplification.h"

// Under total failure retries dry up.
namespace mishap::client_tests {

namespace {

constexpr std::size_t kFailing = 300;  // bursts are absorbed first, so that few prove nothing
constexpr double kDry = 1.25;
constexpr double kWet = 1.5;
constexpr double kUnchanged = 0.8;  // of the first third
constexpr double kNone = 1.005;     // attempts for each call, told as 1.00

bool kept_failing(const Operation& operation) {
  return std::ranges::all_of(operation.attempts,
                             [](const Attempt& attempt) { return is_transient(attempt); });
}

std::vector<const Operation*> failing_in_order(const Case& c, int lane) {
  std::vector<const Operation*> failing;
  for (const Operation& operation : c.history.operations) {
    if (operation.lane != lane || is_lookup(operation) || operation.polled) continue;
    if (hidden_calls(c, operation) > 0 || !kept_failing(operation)) continue;
    failing.push_back(&operation);
  }
  std::ranges::stable_sort(failing, {}, [](const Operation* operation) {
    return operation->attempts.front().exchange->first_byte;
  });
  return failing;
}

using Operations = std::vector<const Operation*>;

double factor_of(Operations::const_iterator begin, Operations::const_iterator end) {
  std::vector<std::uint64_t> attempts;
  for (auto at = begin; at != end; ++at) attempts.push_back((*at)->policy_attempts);
  return statistics::amplification_of(attempts).factor;
}

double retries_a_second(Operations::const_iterator begin, Operations::const_iterator end) {
  double retries = 0;
  for (auto at = begin; at != end; ++at) retries += static_cast<double>((*at)->policy_attempts - 1);
  const Duration span = (*(end - 1))->attempts.back().exchange->first_byte -
                        (*begin)->attempts.front().exchange->first_byte;
  return retries / std::max(1e-3, std::chrono::duration<double>(span).count());
}

// False: there never were retries that could dry up.
bool judge(const Operations& failing, double fixed_rate, Tally& tally) {
  const auto third = static_cast<std::ptrdiff_t>(failing.size() / 3);
  const double first = factor_of(failing.begin(), failing.begin() + third);
  const double last = factor_of(failing.end() - third, failing.end());
  if (first < kNone && last <= kDry) return false;
  const double rate = retries_a_second(failing.end() - third, failing.end());
  const std::string measured = fmt::format(
      "{} failing calls: {:.2f} attempts each in the first third, {:.2f} in the last, {:.1f} "
      "retries a second there",
      failing.size(), first, last, rate);
  Witness cited = witness(*failing.back(), measured);
  if (last <= kDry || (fixed_rate > 0 && rate <= fixed_rate)) {
    tally.held(std::move(cited));
  } else if (last > kWet && last >= kUnchanged * first) {
    tally.broke(std::move(cited));
  } else {
    tally.open("retries became fewer and did not dry up", std::move(cited));
  }
  return true;
}

Finding no_occasion(const std::string& why, bool by_scenario) {
  return by_scenario ? inconclusive(why) : not_applicable(why);
}

Finding too_few(std::size_t most, bool by_scenario) {
  return no_occasion(
      fmt::format("one copy made {} failing calls, and {} are needed", most, kFailing),
      by_scenario);
}

// A scenario that claims it is made to show it; a promise is given to all of them.
Finding evaluate(const Case& c, const Params& params) {
  const auto& promised = c.recording.scenario.promise.retry_budget;
  const bool by_scenario = params.boolean("claimed");
  if (!by_scenario && !promised) {
    return not_applicable("no retry budget is promised (--promise retry_budget=2)");
  }
  const auto rate = std::max(params.integer("rate"), promised.value_or(0));
  Tally tally;
  std::size_t most = 0;
  bool never_retried = false;
  for (int lane = 0; lane < c.recording.scenario.copies; ++lane) {
    const auto failing = failing_in_order(c, lane);
    most = std::max(most, failing.size());
    if (failing.size() < kFailing) continue;
    if (!judge(failing, static_cast<double>(rate), tally)) never_retried = true;
  }
  if (never_retried && tally.judged() == 0 && !tally.any_open()) {
    return no_occasion("no call that failed was tried again, from the first on", by_scenario);
  }
  if (most > 0 && most < kFailing && tally.judged() == 0) return too_few(most, by_scenario);
  return tally.settle({.failed = "retries do not dry up",
                       .reason = "While everything failed each call was still retried as at first.",
                       .held = "retries dry up while everything fails",
                       .none = "no call failed for good"});
}

}  // namespace

const CheckDescriptor kRetryBudget = {
    .name = "retry_budget",
    .summary = "while everything fails, retries dry up",
    .rule =
        "attempts for each call in the last third of 300 failing calls <= 1.25, or retries <= the "
        "claimed rate: pass; > 1.5 and >= 80 % of the first third: fail; 1.00 from the "
        "first third on: no occasion",
    .judged =
        "clients that promise a budget, or of which a scenario claims one (expect: {retry_budget: "
        "{claimed: true}})",
    .why = "Retries are a loan for the rare failure; in an outage they are the outage.",
    .change = "Let retries cost tokens that successes earn (Finagle: 20 %), and stop at none.",
    .source = "Google SRE book, chapter 22; Finagle, retry budgets; gRPC proposal A6 (throttling)",
    .since = "0.1",
    .params = {{.name = "claimed",
                .type = ParamType::Boolean,
                .default_text = "false",
                .help = "the client says that it has one"},
               {.name = "rate",
                .type = ParamType::Integer,
                .default_text = "0",
                .range = "0..100000",
                .help = "retries a second that it goes on with when the budget is empty"}},
    .severity = 46,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
