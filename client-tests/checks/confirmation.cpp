#include "client-tests/checks/confirmation.h"

#include <algorithm>

#include "client-tests/checks/history_index.h"

namespace mishap::client_tests {

namespace {

void keep_earliest(std::optional<Duration>& earliest, std::optional<Duration> candidate) {
  if (candidate && (!earliest || *candidate < *earliest)) earliest = candidate;
}

}  // namespace

bool is_vendors_own(const History& history, const server::Effect& created) {
  return effect_fates(history).is_vendors_own(created);
}

std::vector<const server::Effect*> standing_creations(const History& history,
                                                      const Operation& operation) {
  const EffectFates& fates = effect_fates(history);
  std::vector<const server::Effect*> standing;
  for (const server::Effect* effect : operation.effects) {
    if (effect->kind != server::EffectKind::Created) continue;
    if (fates.is_vendors_own(*effect) || fates.was_deleted_later(*effect)) continue;
    standing.push_back(effect);
  }
  return standing;
}

bool has_effect(const History& history, const Operation& operation) {
  if (!standing_creations(history, operation).empty()) return true;
  return std::any_of(
      operation.effects.begin(), operation.effects.end(),
      [](const server::Effect* effect) { return effect->kind != server::EffectKind::Created; });
}

bool is_valid_lookup(const server::Exchange& lookup) {
  return lookup.answer.success && lookup.answer.healthy && lookup.receipt.last_write &&
         lookup.receipt.delivery == server::Delivery::Complete;
}

std::optional<Duration> confirmed_at(const Operation& operation) {
  std::optional<Duration> earliest;
  for (const Attempt& attempt : operation.attempts) {
    if (attempt.result == Result::Success) {
      keep_earliest(earliest, attempt.exchange->receipt.last_write);
    }
  }
  for (const server::Exchange* lookup : operation.lookups) {
    if (lookup->found && is_valid_lookup(*lookup)) {
      keep_earliest(earliest, lookup->receipt.last_write);
    }
  }
  return earliest;
}

}  // namespace mishap::client_tests
