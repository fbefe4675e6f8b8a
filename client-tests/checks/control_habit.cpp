#include "client-tests/checks/control_habit.h"

#include <algorithm>

#include "client-tests/checks/client_life.h"
#include "client-tests/checks/history_index.h"

namespace mishap::client_tests {

namespace {

const std::string& content_of(const Operation& operation) {
  return operation.attempts.front().exchange->request.content_hash;
}

// Joined by equal content: nothing stronger is there, or the key changed on the way.
bool is_known_by_content(const Operation& operation) {
  return operation.by == server::IdentifiedBy::Content ||
         (operation.by == server::IdentifiedBy::Key && operation.keys.size() > 1);
}

std::uint64_t times_in_control(const Case& c, const Operation& operation) {
  if (!c.control_history || !is_known_by_content(operation)) return 0;
  return times_asked(*c.control_history, lane_in_control(c, operation.lane), content_of(operation));
}

// A queue that delivers at least once sends every key again, also when all is well.
std::uint64_t usual_redeliveries(const Case& c, const Operation& operation) {
  if (!c.control_history || operation.keys.size() != 1) return 0;
  const auto most = call_table(*c.control_history).like(operation).most_keyed_attempts;
  return most == 0 ? 0 : most - 1;
}

}  // namespace

int lane_in_control(const Case& c, int lane) {
  return c.control->scenario.copies > lane ? lane : 0;
}

std::uint64_t hidden_calls(const Case& c, const Operation& operation) {
  const auto usual = times_in_control(c, operation);
  return usual > 1 ? usual - 1 : usual_redeliveries(c, operation);
}

bool repeats_by_habit(const Case& c, const Operation& operation) {
  const auto usual = times_in_control(c, operation);
  return usual > 1 && times_asked(c.history, operation.lane, content_of(operation)) <= usual;
}

bool polls(const Case& c, const Operation& operation) {
  constexpr std::uint64_t kOften = 3;
  return operation.klass == OperationClass::Safe && is_service(c.recording, operation.lane) &&
         times_in_control(c, operation) >= kOften;
}

std::uint64_t equal_calls(const Case& c, const Operation& operation) {
  return std::max<std::uint64_t>(1, times_in_control(c, operation));
}

std::uint64_t equal_creations(const Case& c, const Operation& operation) {
  return creations_by(c.history, operation.lane, content_of(operation));
}

bool may_have_retried_apart(const Case& c, const Operation& operation) {
  if (!c.control_history || operation.by == server::IdentifiedBy::Reference) return false;
  const auto here = call_table(c.history).like(operation, operation.lane);
  const bool came_again = here.last_begun > operation.attempts.back().exchange->first_byte;
  const int usual_lane = lane_in_control(c, operation.lane);
  return came_again &&
         here.operations > call_table(*c.control_history).like(operation, usual_lane).operations;
}

std::optional<CreationCount> more_than_usual(const Case& c, const Operation& operation) {
  if (!c.control_history || operation.effects.empty()) return std::nullopt;
  const std::string& resource = operation.effects.front()->resource;
  const auto made = creations_in(c.history, operation.lane, resource);
  const auto usual = creations_in(*c.control_history, 0, resource);
  if (made <= usual) return std::nullopt;
  return CreationCount{made, usual};
}

bool as_much_as_usual(const Case& c, const Operation& operation) {
  if (!c.control_history) return false;
  const auto usual = call_table(*c.control_history).like(operation, 0).effects;
  return usual > 0 && call_table(c.history).like(operation, operation.lane).effects >= usual;
}

bool writes_outcomes(const Case& c) {
  return !c.recording.outcomes.empty() || (c.control && !c.control->outcomes.empty());
}

bool writes_outcomes_for(const Case& c, const Operation& operation) {
  // Refused before its body was read: by what name its line would call it is not known.
  const bool is_nameless = operation.reference.empty() &&
                           std::ranges::none_of(operation.attempts, [](const Attempt& attempt) {
                             return attempt.exchange->request.complete;
                           });
  if (is_nameless && !c.history.orphan_outcomes.empty()) return false;
  return call_table(c.history).like(operation).has_line ||
         (c.control_history && call_table(*c.control_history).like(operation).has_line);
}

bool ever_retries(const Case& c) {
  return has_retries(c.history) || (c.comparison_history && has_retries(*c.comparison_history));
}

}  // namespace mishap::client_tests
