#include <algorithm>
#include <map>

#include "client-tests/driver/client_plan.h"
#include "client-tests/driver/play.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;

// Where nothing is promised (checks.md, profile parameters).
constexpr Duration kAttemptBound = 30s;
constexpr Duration kDeadlineBound = 120s;
// After a bound is broken the run goes on this long, so that the release of the connection can be
// judged as well (it is too late after 5 s).
constexpr Duration kAfterwards = 6s;
constexpr Duration kSlowDrive = 60s;

Duration late(Duration value) {
  return std::max<Duration>(250ms, value / 10);
}

// How often the control made the same request.
Duration::rep most_equal_calls(const Recording& control) {
  std::map<std::string, Duration::rep> calls;
  Duration::rep most = 1;
  for (const auto& exchange : control.journal.exchanges) {
    if (exchange.identity.by != server::IdentifiedBy::Content) continue;
    most = std::max(most, ++calls[exchange.request.content_hash]);
  }
  return most;
}

}  // namespace

Patience control_patience(const scenarios::Scenario& scenario, const TestOptions& options) {
  Patience patience;
  const auto client = client_of(scenario, options);
  const auto own_quiet = client.until && client.until->quiet ? *client.until->quiet + 5s : 0s;
  patience.kill_after = client.kill_after;
  const auto attempt = scenario.promise.attempt_timeout.value_or(kAttemptBound);
  const auto deadline = scenario.promise.deadline.value_or(kDeadlineBound);
  patience.owed = attempt + late(attempt) + kAfterwards;
  patience.operation = deadline + std::max<Duration>(500ms, deadline / 20) + kAfterwards;
  patience.operation = std::max<Duration>(patience.operation, own_quiet);
  patience.whole = patience.operation;
  // A worker that looks for work once a minute says so by the silence that it asks for.
  patience.first_request = std::max<Duration>(options.first_request, own_quiet);
  patience.slow_start = *patience.first_request;
  // A test-suite that drives the service may take its time before its first test.
  if (client.drive) patience.first_request = std::max(*patience.first_request, kSlowDrive);
  // Whoever states a patience of their own may have a client that rests between two calls.
  if (!patience.kill_after) patience.quiet = patience.first_request;
  return patience;
}

Patience patience_for(const scenarios::Scenario& scenario, const Recording& control,
                      const TestOptions& options) {
  auto patience = control_patience(scenario, options);
  patience.first_request.reset();
  patience.quiet.reset();
  patience.whole = 3 * control.length + 10 * patience.operation;
  // Equal calls that nothing but their content names count as one operation while they fail.
  patience.operation *= most_equal_calls(control);
  return patience;
}

}  // namespace mishap::client_tests
