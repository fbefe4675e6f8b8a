#include "client-tests/checks/later_creations.h"

#include <algorithm>

#include "client-tests/checks/creation_table.h"
#include "client-tests/checks/history_index.h"

namespace mishap::client_tests {

namespace {

std::size_t count_after(const std::vector<Duration>& instants, Duration since) {
  return static_cast<std::size_t>(
      std::ranges::count_if(instants, [&](Duration at) { return at > since; }));
}

}  // namespace

LaterCreations::LaterCreations(const Case& c)
    : history_(c.history), has_control_(c.control_history != nullptr) {
  if (has_control_) {
    for (const Operation& usual : c.control_history->operations) {
      usual_contents_.insert(first_content(usual));
    }
  }
  const EffectFates& fates = effect_fates(history_);
  for (const Operation& operation : history_.operations) {
    if (has_control_ && !operation.reference.empty()) by_reference_.add(operation);
    if (!may_be_any(operation)) continue;
    for (const server::Effect* effect : operation.effects) {
      if (effect->kind != server::EffectKind::Created || fates.is_vendors_own(*effect)) continue;
      by_any_[{operation.lane, place_of(effect->resource)}].push_back(effect->at);
    }
  }
  by_reference_.sort();
  for (auto& [place, instants] : by_any_) std::ranges::sort(instants);
}

// Only the client can name what it means: by another reference, or by a line of its own. Else what
// the control sent as well, byte for byte, is an intent of its own.
bool LaterCreations::may_be_any(const Operation& operation) const {
  if (!has_control_) return true;
  return operation.reference.empty() && operation.outcomes.empty() &&
         !usual_contents_.contains(first_content(operation));
}

std::vector<Duration> LaterCreations::made_in(const Operation& operation,
                                              const std::string& place) const {
  const EffectFates& fates = effect_fates(history_);
  std::vector<Duration> instants;
  for (const server::Effect* effect : operation.effects) {
    if (effect->kind == server::EffectKind::Created && !fates.is_vendors_own(*effect) &&
        place_of(effect->resource) == place) {
      instants.push_back(effect->at);
    }
  }
  return instants;
}

std::size_t LaterCreations::after(const Operation& operation) const {
  const bool is_left = operation.attempts.size() == 1 && operation.lookups.empty();
  if (!is_left || operation.effects.empty()) return 0;
  const Duration since = operation.attempts.front().exchange->first_byte;
  const std::string place = place_of(operation.effects.front()->resource);
  std::size_t made = 0;
  if (const auto any = by_any_.find({operation.lane, place}); any != by_any_.end()) {
    const auto later = std::ranges::upper_bound(any->second, since);
    made = static_cast<std::size_t>(any->second.end() - later);
    if (may_be_any(operation)) made -= count_after(made_in(operation, place), since);
  }
  by_reference_.visit(operation.lane, operation.reference, [&](const Operation& other) {
    if (&other != &operation) made += count_after(made_in(other, place), since);
    return true;
  });
  return made;
}

}  // namespace mishap::client_tests
