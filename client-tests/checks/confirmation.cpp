#include "client-tests/checks/confirmation.h"

#include <algorithm>

#include "client-tests/checks/batch_exchange.h"

namespace mishap::client_tests {

namespace {

bool was_deleted_later(const Recording& recording, const server::Effect& created) {
  const auto& effects = recording.journal.effects;
  return std::any_of(effects.begin(), effects.end(), [&](const server::Effect& effect) {
    return effect.kind == server::EffectKind::Deleted && effect.number > created.number &&
           effect.lane == created.lane && effect.resource == created.resource &&
           effect.id == created.id;
  });
}

// A batch may bring one operation twice.
std::uint64_t times_sent(const Recording& recording, const server::Effect& created) {
  const auto& exchanges = recording.journal.exchanges;
  const auto found = std::ranges::find(exchanges, created.exchange, &server::Exchange::number);
  return found == exchanges.end() ? 1 : times_brought(*found, created.operation);
}

void keep_earliest(std::optional<Duration>& earliest, std::optional<Duration> candidate) {
  if (candidate && (!earliest || *candidate < *earliest)) earliest = candidate;
}

}  // namespace

bool is_vendors_own(const Recording& recording, const server::Effect& created) {
  const auto before =
      std::ranges::count_if(recording.journal.effects, [&](const server::Effect& effect) {
        return effect.kind == server::EffectKind::Created && effect.exchange == created.exchange &&
               effect.operation == created.operation && effect.number < created.number &&
               effect.resource == created.resource;
      });
  return before > 0 && static_cast<std::uint64_t>(before) >= times_sent(recording, created);
}

std::vector<const server::Effect*> standing_creations(const Recording& recording,
                                                      const Operation& operation) {
  std::vector<const server::Effect*> standing;
  for (const server::Effect* effect : operation.effects) {
    if (effect->kind != server::EffectKind::Created) continue;
    if (is_vendors_own(recording, *effect)) continue;
    if (!was_deleted_later(recording, *effect)) standing.push_back(effect);
  }
  return standing;
}

bool has_effect(const Recording& recording, const Operation& operation) {
  if (!standing_creations(recording, operation).empty()) return true;
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
