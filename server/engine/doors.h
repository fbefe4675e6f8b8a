#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "server/engine/engine.h"
#include "server/engine/rule_book.h"
#include "server/journal/log.h"

namespace mishap::server {

// What the listeners do by the rules at connect, and their spells in the journal. At most one rule
// is in force at a listener: the first of the file. Lives under the engine's lock; borrows.
class Doors {
 public:
  Doors(const RuleBook& book, Log& log) : book_(book), log_(log) {}

  // What is known when a listener asks.
  struct Occasion {
    int lane = 0;
    std::string api;
    std::uint64_t connections = 0;    // of the lane, so far
    std::optional<Duration> started;  // the scenario's clock
    Duration now{};
  };
  Door at(const Occasion& occasion);
  void seen(std::uint64_t spell, const SpellFacts& facts);
  void turned_away(std::uint64_t spell, Port client_port, Duration now);

 private:
  struct State {
    std::uint64_t spell = 0;        // in force
    std::optional<Duration> since;  // when it began in a connection's place
    std::uint64_t place = 0;        // that connection
    std::uint64_t over_for = 0;     // that connection, once its time is over
  };
  struct Hold {
    bool in_force = false;
    std::optional<Duration> until;
  };

  Hold during(const BookedRule& rule, const Occasion& occasion) const;
  void keep_whole(std::uint64_t spell, Duration began);
  static Hold in_place(const BookedRule& rule, const Occasion& occasion, State& state);
  Hold hold_of(const BookedRule& rule, const Occasion& occasion, State& state) const;
  std::uint64_t begin_spell(const BookedRule& rule, const Occasion& occasion);

  const RuleBook& book_;
  Log& log_;
  std::map<std::tuple<int, std::string, std::size_t>, State> states_;
};

}  // namespace mishap::server
