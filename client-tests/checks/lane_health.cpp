#include "client-tests/checks/lane_health.h"

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/control_habit.h"

namespace mishap::client_tests {

namespace {

std::ptrdiff_t count_in(const std::vector<Duration>& instants, Duration from, Duration to) {
  return std::ranges::upper_bound(instants, to) - std::ranges::lower_bound(instants, from);
}

std::optional<Duration> last_before(const std::vector<Duration>& instants, Duration instant) {
  const auto behind = std::ranges::lower_bound(instants, instant);
  if (behind == instants.begin()) return std::nullopt;
  return *(behind - 1);
}

std::optional<Duration> succeeded_at(const Operation& operation) {
  const auto success = std::ranges::find(operation.attempts, Result::Success, &Attempt::result);
  return success == operation.attempts.end() ? std::nullopt : seen_to_end(*success);
}

}  // namespace

std::optional<Duration> failed_for_good_at(const Case& c, const Operation& operation) {
  if (operation.attempts.empty() || succeeded_at(operation)) return std::nullopt;
  const auto end = seen_to_end(operation.attempts.back());
  if (!end || !is_transient(operation.attempts.back())) return std::nullopt;
  if (!operation.outcomes.empty()) return std::max(*end, operation.outcomes.back()->at);
  // It may be waiting still. Of reads few clients tell.
  const bool is_told = operation.klass != OperationClass::Safe && writes_outcomes(c);
  return is_told ? std::nullopt : end;
}

LaneHealth::LaneHealth(const Case& c, const CallLines& lines) {
  for (const Operation& operation : c.history.operations) {
    Ends& ends = ends_[operation.lane];
    if (const auto well = succeeded_at(operation)) ends.succeeded.push_back(*well);
    if (const auto ill = failed_for_good_at(c, operation)) ends.failed.push_back(*ill);
  }
  for (auto& [lane, ends] : ends_) {
    std::ranges::sort(ends.failed);
    std::ranges::sort(ends.succeeded);
  }
  for (const CallLine& line : lines.all()) routes_[line.lane].push_back(route_of(line));
}

LaneHealth::Route LaneHealth::route_of(const CallLine& line) {
  Route route{&line, {}, {}, {}};
  Duration busy_until{};
  for (const Sent& sent : line.sent) {
    const auto end = seen_to_end(*sent.attempt);
    busy_until = std::max(busy_until, end.value_or(Duration::max()));
    route.busy_until.push_back(busy_until);
    if (!end) continue;
    if (is_transient(*sent.attempt)) route.failed.push_back(*end);
    if (sent.attempt->result == Result::Success) route.succeeded.push_back(*end);
  }
  std::ranges::sort(route.failed);
  std::ranges::sort(route.succeeded);
  return route;
}

bool LaneHealth::is_mostly_ill(int lane, Duration from, Duration to) const {
  const auto ends = ends_.find(lane);
  if (ends == ends_.end()) return false;
  return count_in(ends->second.succeeded, from, to) <= count_in(ends->second.failed, from, to);
}

bool LaneHealth::is_another_in_trouble(const CallLine& line, Duration from, Duration to) const {
  const auto routes = routes_.find(line.lane);
  return routes != routes_.end() && std::ranges::any_of(routes->second, [&](const Route& route) {
           return route.line != &line && is_in_trouble(route, from, to);
         });
}

bool LaneHealth::is_in_trouble(const Route& route, Duration from, Duration to) {
  const std::size_t before = route.line->first_from(from);
  if (before > 0 && route.busy_until[before - 1] >= to) return true;
  const auto failed = last_before(route.failed, to);
  const auto succeeded = last_before(route.succeeded, to);
  return failed && (!succeeded || *succeeded < *failed);
}

}  // namespace mishap::client_tests
