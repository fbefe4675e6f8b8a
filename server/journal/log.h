#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "mishap/journal.h"

namespace mishap::server {

// The journal of a run while it grows. Records are written in place while their subject is under
// way, so that a copy taken at any moment shows them as far as they are known. Numbers count from 1
// and never skip. Beyond the cap records still work until their subject ends, are then dropped and
// counted as lost. Not thread-safe: it lives under the engine's lock.
class Log {
 public:
  static constexpr std::size_t kCap = 1'000'000;
  explicit Log(std::size_t cap = kCap) : cap_(cap) {}

  // The number is set; the rest is the caller's. References hold until the next add.
  Connection& add_connection();
  Exchange& add_exchange();
  Effect& add_effect();
  // Few: one a rule and period. Not capped.
  ListenerSpell& add_spell();
  void add_turned_away(TurnedAway one);
  ListenerSpell& spell(std::uint64_t number) { return journal_.spells.at(number - 1); }

  // Must be under way, or within the cap.
  Connection& connection(std::uint64_t number);
  Exchange& exchange(std::uint64_t number);
  // Null where it was dropped.
  Exchange* find_exchange(std::uint64_t number);

  void connection_ended(std::uint64_t number) { extra_connections_.erase(number); }
  void exchange_ended(std::uint64_t number) { extra_exchanges_.erase(number); }

  const Journal& journal() const { return journal_; }

 private:
  std::size_t cap_;
  Journal journal_;
  std::uint64_t connections_ = 0;
  std::uint64_t exchanges_ = 0;
  std::uint64_t effects_ = 0;
  Effect dropped_effect_;
  // Beyond the cap and under way.
  std::unordered_map<std::uint64_t, Connection> extra_connections_;
  std::unordered_map<std::uint64_t, Exchange> extra_exchanges_;
};

}  // namespace mishap::server
