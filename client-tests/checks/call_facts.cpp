#include "client-tests/checks/call_facts.h"

#include <algorithm>
#include <functional>

namespace mishap::client_tests {

namespace {

std::size_t hash_of(std::string_view method, std::string_view path) {
  const std::hash<std::string_view> hash;
  return hash(path) * 31 + hash(method);
}

void add(const Operation& operation, CallFacts& facts) {
  if (!operation.keys.empty()) {
    facts.most_keyed_attempts = std::max(facts.most_keyed_attempts, operation.policy_attempts);
  }
  facts.has_line = facts.has_line || !operation.outcomes.empty();
  facts.creates =
      facts.creates || std::ranges::any_of(operation.effects, [](const server::Effect* effect) {
        return effect->kind == server::EffectKind::Created;
      });
}

void add(const Operation& operation, LaneCallFacts& facts) {
  const Duration begun = operation.attempts.front().exchange->first_byte;
  facts.last_begun = facts.operations == 0 ? begun : std::max(facts.last_begun, begun);
  ++facts.operations;
  facts.effects += operation.effects.size();
}

}  // namespace

std::size_t CallTable::Hash::operator()(const Call& call) const {
  return hash_of(std::get<0>(call), std::get<1>(call));
}

std::size_t CallTable::Hash::operator()(const LaneCall& call) const {
  return hash_of(std::get<0>(call), std::get<1>(call)) * 31 +
         static_cast<std::size_t>(std::get<2>(call));
}

CallTable::CallTable(const History& history) {
  for (const Operation& operation : history.operations) {
    add(operation, calls_[{operation.method, operation.path}]);
    add(operation, lane_calls_[{operation.method, operation.path, operation.lane}]);
  }
}

CallFacts CallTable::like(const Operation& operation) const {
  const auto found = calls_.find({operation.method, operation.path});
  return found == calls_.end() ? CallFacts{} : found->second;
}

LaneCallFacts CallTable::like(const Operation& operation, int lane) const {
  const auto found = lane_calls_.find({operation.method, operation.path, lane});
  return found == lane_calls_.end() ? LaneCallFacts{} : found->second;
}

}  // namespace mishap::client_tests
