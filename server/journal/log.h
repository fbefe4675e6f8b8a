#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "mishap/journal.h"
#include "server/journal/shelf.h"
#include "server/journal/spill.h"

namespace mishap::server {

// The journal of a run while it grows. Records are written in place while their subject is under
// way, so that a copy taken at any moment shows them as far as they are known. Numbers count from 1
// and never skip. In memory stand the newest and what is under way; the rest is on disk as JSON
// Lines, and nothing is dropped but what the disk has no room for, which is counted as lost. Not
// thread-safe: it lives under the engine's lock.
class Log {
 public:
  struct Limits {
    std::size_t in_memory = 16 * 1024;  // records of each kind
    std::uint64_t most = 50'000'000;    // of each kind in all
  };
  Log() : Log(Limits{}) {}
  explicit Log(Limits limits);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // The number is set; the rest is the caller's. References hold until the next add.
  Connection& add_connection() { return connections_.add(); }
  Exchange& add_exchange() { return exchanges_.add(); }
  Effect& add_effect();
  // Few: one a rule and period. Always in memory.
  ListenerSpell& add_spell();
  void add_turned_away(TurnedAway one);
  ListenerSpell& spell(std::uint64_t number) { return recent_.spells.at(number - 1); }

  // Must be under way, or recent.
  Connection& connection(std::uint64_t number);
  Exchange& exchange(std::uint64_t number);
  // Also where it is on disk already; null where it was lost.
  Exchange* find_exchange(std::uint64_t number);

  void connection_ended(std::uint64_t number) { connections_.over(number); }
  void exchange_ended(std::uint64_t number) { exchanges_.over(number); }

  // The newest records.
  const Journal& recent() const { return recent_; }

  // All that there is now, to be put together without the lock.
  struct Cut {
    Journal in_memory;
    std::shared_ptr<const Spill> spill;
    std::uint64_t spilled = 0;  // bytes
  };
  Cut cut();
  static Journal whole(Cut cut);

 private:
  void put_back_what_was_taken();

  Limits limits_;
  Journal recent_;
  std::shared_ptr<Spill> spill_ = std::make_shared<Spill>();
  Shelf<Connection> connections_;
  Shelf<Exchange> exchanges_;
  Shelf<Effect> effects_;
  std::vector<std::uint64_t> taken_back_;  // exchanges
};

}  // namespace mishap::server
