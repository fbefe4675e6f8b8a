#include "client-tests/checks/creation_table.h"

namespace mishap::client_tests {

namespace {

bool is_counted(const server::Effect& effect, const EffectFates& fates) {
  return effect.kind == server::EffectKind::Created && !fates.is_vendors_own(effect);
}

}  // namespace

std::string place_of(const std::string& resource) {
  std::string place;
  for (const char c : resource) {
    if (c != '/' || !place.ends_with('/')) place += c;
  }
  if (place.size() > 1 && place.ends_with('/')) place.pop_back();
  return place;
}

std::map<std::pair<int, std::string>, std::size_t> count_by_place(const Recording& recording,
                                                                  const EffectFates& fates) {
  std::map<std::pair<int, std::string>, std::size_t> made;
  for (const server::Effect& effect : recording.journal.effects) {
    if (is_counted(effect, fates)) ++made[{effect.lane, place_of(effect.resource)}];
  }
  return made;
}

ByContent<std::uint32_t> count_by_content(const History& history, const EffectFates& fates) {
  ByContent<std::uint32_t> made;
  for (const Operation& operation : history.operations) {
    for (const server::Effect* effect : operation.effects) {
      if (!is_counted(*effect, fates)) continue;
      ++made[{operation.lane, operation.attempts.front().exchange->request.content_hash}];
    }
  }
  return made;
}

}  // namespace mishap::client_tests
