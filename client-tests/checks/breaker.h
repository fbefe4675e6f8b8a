#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "client-tests/checks/call_lines.h"

// A circuit breaker as it shows from outside: while calls fail nothing is sent for a while, though
// the client has operations to begin and tells of them.
namespace mishap::client_tests {

// Operations that the client told of and of which nothing came, by copy: the last line about each,
// in order of time. Empty where it cannot be known that they are its operations, or where calls may
// have ended before their request.
class Unsent {
 public:
  explicit Unsent(const Case& c);

  std::vector<const OutcomeLine*> between(int lane, Duration from, Duration to) const;

 private:
  std::map<int, std::vector<const OutcomeLine*>> lines_;
};

// Nothing was sent on a route for as long as a breaker stays open.
struct Silence {
  Duration from{};         // the last attempt before it
  Duration to{};           // the first behind it, or the client's end
  std::size_t next = 0;    // index of that first one; none: the line's size
  std::size_t failed = 0;  // calls in a row before it
  std::size_t unsent = 0;  // operations that the client told of meanwhile and never sent
  // How long these took by the client's own word: half of them took no longer. Nothing where it
  // does not say.
  std::optional<Duration> typical;

  // Idle is not open.
  bool is_open() const { return unsent > 0; }
};

struct BreakerStory {
  const CallLine* line = nullptr;
  std::vector<Silence> silences;
  std::size_t failures = 0;               // calls that failed, in all
  std::optional<Duration> first_failure;  // when the client saw it
  // Attempts that came although the `min_calls` before them had failed, without any success and
  // without a silence in between: the most in one stretch.
  std::size_t regardless = 0;
  std::size_t last_of_these = 0;  // index of the last
};

// Of each route on which calls failed, in the order of the lines. A silence is as long as max(80 %
// of what is promised, five times the time between calls before the first failure).
std::vector<BreakerStory> tell_breakers(const Case& c, const CallLines& lines, const Unsent& unsent,
                                        Duration promised, std::size_t min_calls);

}  // namespace mishap::client_tests
