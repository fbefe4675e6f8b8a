#include "client-tests/checks/control_habit.h"

#include <algorithm>

namespace mishap::client_tests {

namespace {

std::ptrdiff_t times_asked(const Recording& recording, int lane, const std::string& content) {
  const auto& exchanges = recording.journal.exchanges;
  return std::count_if(exchanges.begin(), exchanges.end(), [&](const server::Exchange& exchange) {
    return exchange.lane == lane && exchange.request.content_hash == content;
  });
}

const std::string& content_of(const Operation& operation) {
  return operation.attempts.front().exchange->request.content_hash;
}

// Joined by equal content: nothing stronger is there, or the key changed on the way.
bool is_known_by_content(const Operation& operation) {
  return operation.by == server::IdentifiedBy::Content ||
         (operation.by == server::IdentifiedBy::Key && operation.keys.size() > 1);
}

// A control with one copy stands for every lane.
std::ptrdiff_t times_in_control(const Case& c, const Operation& operation) {
  if (!c.control || !is_known_by_content(operation)) return 0;
  if (content_of(operation).empty()) return 0;
  const int lane = c.control->scenario.copies > operation.lane ? operation.lane : 0;
  return times_asked(*c.control, lane, content_of(operation));
}

bool has_line_like(const History& history, const Operation& operation) {
  return std::any_of(history.operations.begin(), history.operations.end(),
                     [&](const Operation& other) {
                       return !other.outcomes.empty() && other.method == operation.method &&
                              other.path == operation.path;
                     });
}

bool has_retry(const History* history) {
  return history && std::any_of(history->operations.begin(), history->operations.end(),
                                [](const Operation& op) { return op.policy_attempts > 1; });
}

}  // namespace

std::uint64_t hidden_calls(const Case& c, const Operation& operation) {
  const auto usual = times_in_control(c, operation);
  // Equal calls that stand as operations of their own are not hidden in this one.
  const auto apart = std::ranges::count_if(c.history.operations, [&](const Operation& other) {
    return other.lane == operation.lane && content_of(other) == content_of(operation);
  });
  return usual > apart ? static_cast<std::uint64_t>(usual - apart) : 0;
}

bool repeats_by_habit(const Case& c, const Operation& operation) {
  const auto usual = times_in_control(c, operation);
  return usual > 1 && times_asked(c.recording, operation.lane, content_of(operation)) <= usual;
}

bool writes_outcomes(const Case& c) {
  return !c.recording.outcomes.empty() || (c.control && !c.control->outcomes.empty());
}

bool writes_outcomes_for(const Case& c, const Operation& operation) {
  if (has_line_like(c.history, operation)) return true;
  return c.control_history && has_line_like(*c.control_history, operation);
}

bool ever_retries(const Case& c) {
  return has_retry(&c.history) || has_retry(c.comparison_history);
}

}  // namespace mishap::client_tests
