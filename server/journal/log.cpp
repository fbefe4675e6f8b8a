#include "server/journal/log.h"

#include <cassert>
#include <utility>

namespace mishap::server {
namespace {

// The record with this number: kept ones stand at number - 1, the rest are under way beyond the
// cap.
template <typename Record>
Record* find(std::vector<Record>& kept, std::unordered_map<std::uint64_t, Record>& extra,
             std::uint64_t number) {
  if (number >= 1 && number <= kept.size()) return &kept[number - 1];
  const auto found = extra.find(number);
  return found == extra.end() ? nullptr : &found->second;
}

}  // namespace

Connection& Log::add_connection() {
  const std::uint64_t number = ++connections_;
  if (journal_.connections.size() < cap_) {
    Connection& added = journal_.connections.emplace_back();
    added.number = number;
    return added;
  }
  ++journal_.lost;
  Connection& added = extra_connections_[number];
  added.number = number;
  return added;
}

Exchange& Log::add_exchange() {
  const std::uint64_t number = ++exchanges_;
  if (journal_.exchanges.size() < cap_) {
    Exchange& added = journal_.exchanges.emplace_back();
    added.number = number;
    return added;
  }
  ++journal_.lost;
  Exchange& added = extra_exchanges_[number];
  added.number = number;
  return added;
}

Effect& Log::add_effect() {
  const std::uint64_t number = ++effects_;
  if (journal_.effects.size() < cap_) {
    Effect& added = journal_.effects.emplace_back();
    added.number = number;
    return added;
  }
  ++journal_.lost;
  dropped_effect_ = {};
  dropped_effect_.number = number;
  return dropped_effect_;
}

ListenerSpell& Log::add_spell() {
  ListenerSpell& added = journal_.spells.emplace_back();
  added.number = journal_.spells.size();
  return added;
}

void Log::add_turned_away(TurnedAway one) {
  if (journal_.turned_away.size() < cap_) {
    journal_.turned_away.push_back(std::move(one));
  } else {
    ++journal_.lost;
  }
}

Connection& Log::connection(std::uint64_t number) {
  Connection* found = find(journal_.connections, extra_connections_, number);
  assert(found != nullptr && "a connection is recorded before anything else about it");
  return *found;
}

Exchange& Log::exchange(std::uint64_t number) {
  Exchange* found = find_exchange(number);
  assert(found != nullptr && "an exchange is recorded before anything else about it");
  return *found;
}

Exchange* Log::find_exchange(std::uint64_t number) {
  return find(journal_.exchanges, extra_exchanges_, number);
}

}  // namespace mishap::server
