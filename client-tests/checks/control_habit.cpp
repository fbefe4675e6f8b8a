#include "client-tests/checks/control_habit.h"

#include <algorithm>

#include "client-tests/checks/batch_exchange.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"

namespace mishap::client_tests {

namespace {

std::ptrdiff_t times_asked(const Recording& recording, int lane, const std::string& content) {
  std::uint64_t times = 0;
  for (const server::Exchange& exchange : recording.journal.exchanges) {
    if (exchange.lane == lane) times += times_said(exchange, content);
  }
  return static_cast<std::ptrdiff_t>(times);
}

const std::string& content_of(const Operation& operation) {
  return operation.attempts.front().exchange->request.content_hash;
}

// Joined by equal content: nothing stronger is there, or the key changed on the way.
bool is_known_by_content(const Operation& operation) {
  return operation.by == server::IdentifiedBy::Content ||
         (operation.by == server::IdentifiedBy::Key && operation.keys.size() > 1);
}

std::ptrdiff_t times_in_control(const Case& c, const Operation& operation) {
  if (!c.control || !is_known_by_content(operation)) return 0;
  if (content_of(operation).empty()) return 0;
  return times_asked(*c.control, lane_in_control(c, operation.lane), content_of(operation));
}

// A queue that delivers at least once sends every key again, also when all is well.
std::uint64_t usual_redeliveries(const Case& c, const Operation& operation) {
  if (!c.control_history || operation.keys.size() != 1) return 0;
  std::uint64_t most = 0;
  for (const Operation& other : c.control_history->operations) {
    const bool is_like = other.method == operation.method && other.path == operation.path;
    if (is_like && !other.keys.empty()) most = std::max(most, other.policy_attempts - 1);
  }
  return most;
}

bool has_line_like(const History& history, const Operation& operation) {
  return std::any_of(history.operations.begin(), history.operations.end(),
                     [&](const Operation& other) {
                       return !other.outcomes.empty() && other.method == operation.method &&
                              other.path == operation.path;
                     });
}

bool is_same_call(const Operation& a, const Operation& b) {
  return a.method == b.method && a.path == b.path;
}

std::size_t operations_like(const History& history, const Operation& operation, int lane) {
  return static_cast<std::size_t>(
      std::ranges::count_if(history.operations, [&](const Operation& other) {
        return is_same_call(other, operation) && other.lane == lane;
      }));
}

std::size_t creations(const Recording& recording, int lane, const std::string& resource) {
  return static_cast<std::size_t>(
      std::ranges::count_if(recording.journal.effects, [&](const server::Effect& effect) {
        return effect.kind == server::EffectKind::Created && effect.lane == lane &&
               place_of(effect.resource) == place_of(resource) &&
               !is_vendors_own(recording, effect);
      }));
}

// Only the client can name what it means: by another reference, or by a line of its own. Else what
// the control sent as well, byte for byte, is an intent of its own.
bool is_another_intent(const Case& c, const Operation& other, const Operation& operation) {
  if (!c.control_history) return false;
  if (!other.reference.empty()) return other.reference != operation.reference;
  if (!other.outcomes.empty()) return true;
  return std::ranges::any_of(c.control_history->operations, [&](const Operation& usual) {
    return content_of(usual) == content_of(other);
  });
}

bool has_retry(const History* history) {
  return history && std::any_of(history->operations.begin(), history->operations.end(),
                                [](const Operation& op) { return op.policy_attempts > 1; });
}

}  // namespace

int lane_in_control(const Case& c, int lane) {
  return c.control->scenario.copies > lane ? lane : 0;
}

std::string place_of(const std::string& resource) {
  std::string place;
  for (const char c : resource) {
    if (c != '/' || !place.ends_with('/')) place += c;
  }
  if (place.size() > 1 && place.ends_with('/')) place.pop_back();
  return place;
}

std::uint64_t hidden_calls(const Case& c, const Operation& operation) {
  const auto usual = times_in_control(c, operation);
  return usual > 1 ? static_cast<std::uint64_t>(usual) - 1 : usual_redeliveries(c, operation);
}

bool repeats_by_habit(const Case& c, const Operation& operation) {
  const auto usual = times_in_control(c, operation);
  return usual > 1 && times_asked(c.recording, operation.lane, content_of(operation)) <= usual;
}

bool polls(const Case& c, const Operation& operation) {
  constexpr std::ptrdiff_t kOften = 3;
  return operation.klass == OperationClass::Safe && is_service(c.recording, operation.lane) &&
         times_in_control(c, operation) >= kOften;
}

std::uint64_t equal_calls(const Case& c, const Operation& operation) {
  return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, times_in_control(c, operation)));
}

std::uint64_t equal_creations(const Case& c, const Operation& operation) {
  std::uint64_t made = 0;
  for (const Operation& other : c.history.operations) {
    if (other.lane != operation.lane || content_of(other) != content_of(operation)) continue;
    made += static_cast<std::uint64_t>(
        std::ranges::count_if(other.effects, [&](const server::Effect* effect) {
          return effect->kind == server::EffectKind::Created &&
                 !is_vendors_own(c.recording, *effect);
        }));
  }
  return made;
}

bool may_have_retried_apart(const Case& c, const Operation& operation) {
  if (!c.control_history || operation.by == server::IdentifiedBy::Reference) return false;
  const Duration end = operation.attempts.back().exchange->first_byte;
  const bool came_again = std::ranges::any_of(c.history.operations, [&](const Operation& other) {
    return other.lane == operation.lane && is_same_call(other, operation) &&
           other.attempts.front().exchange->first_byte > end;
  });
  return came_again &&
         operations_like(c.history, operation, operation.lane) >
             operations_like(*c.control_history, operation, lane_in_control(c, operation.lane));
}

std::optional<CreationCount> more_than_usual(const Case& c, const Operation& operation) {
  if (!c.control || operation.effects.empty()) return std::nullopt;
  const std::string& resource = operation.effects.front()->resource;
  const auto made = creations(c.recording, operation.lane, resource);
  const auto usual = creations(*c.control, 0, resource);
  if (made <= usual) return std::nullopt;
  return CreationCount{made, usual};
}

std::size_t creations_afterwards(const Case& c, const Operation& operation) {
  const bool is_left = operation.attempts.size() == 1 && operation.lookups.empty();
  if (!is_left || operation.effects.empty()) return 0;
  const Duration since = operation.attempts.front().exchange->first_byte;
  const std::string place = place_of(operation.effects.front()->resource);
  std::size_t made = 0;
  for (const Operation& other : c.history.operations) {
    if (&other == &operation || other.lane != operation.lane) continue;
    if (is_another_intent(c, other, operation)) continue;
    made += static_cast<std::size_t>(
        std::ranges::count_if(other.effects, [&](const server::Effect* effect) {
          return effect->kind == server::EffectKind::Created && effect->at > since &&
                 place_of(effect->resource) == place && !is_vendors_own(c.recording, *effect);
        }));
  }
  return made;
}

bool as_much_as_usual(const Case& c, const Operation& operation) {
  if (!c.control) return false;
  const auto effects_of_call = [&](const History& history, int lane) {
    std::size_t made = 0;
    for (const Operation& other : history.operations) {
      if (other.lane == lane && is_same_call(other, operation)) made += other.effects.size();
    }
    return made;
  };
  const auto usual = effects_of_call(*c.control_history, 0);
  return usual > 0 && effects_of_call(c.history, operation.lane) >= usual;
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
  if (has_line_like(c.history, operation)) return true;
  return c.control_history && has_line_like(*c.control_history, operation);
}

bool ever_retries(const Case& c) {
  return has_retry(&c.history) || has_retry(c.comparison_history);
}

}  // namespace mishap::client_tests
