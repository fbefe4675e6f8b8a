#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
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

// Nothing of a route was under way for as long as a breaker stays open at the least. Waiting for
// answers is none: who has all his workers waiting sends nothing either.
struct Silence {
  Duration from{};         // the end of the last operation before it
  Duration to{};           // the first attempt behind it, or the client's end
  std::size_t next = 0;    // index of that first one; none: the line's size
  std::size_t failed = 0;  // operations that failed since the last success, or tried to
  std::size_t unsent = 0;  // operations that the client told of meanwhile and never sent
  // How long these took by the client's own word: half of them took no longer. Nothing where it
  // does not say.
  std::optional<Duration> typical;
  bool other_trouble = false;  // they may have been meant for another route of the copy

  // Idle is not open, and one failure opens no breaker.
  bool looks_open() const { return unsent >= 5 && failed >= 5; }
  bool is_open() const { return looks_open() && !other_trouble; }
  bool is_doubtful() const { return looks_open() && other_trouble; }
};

inline constexpr std::string_view kDoubtful =
    "nothing was sent, and another route was in trouble at the time: what was not sent may have "
    "been meant for that";

// What came without any success and without a pause in between: the most in one stretch.
struct Regardless {
  std::size_t count = 0;
  std::size_t last = 0;  // index of the last

  void see(std::size_t so_far, std::size_t index) {
    if (so_far > count) *this = {so_far, index};
  }
};

struct BreakerStory {
  const CallLine* line = nullptr;
  std::vector<Silence> silences;
  std::size_t failures = 0;               // calls that failed, in all
  std::optional<Duration> first_failure;  // when the client saw it
  Regardless attempts;                    // behind `min_calls` attempts that failed
  // Operations that were begun though any breaker had to be open: in the thirty seconds before them
  // `min_calls` of the route had failed for good, and of the whole copy no more had succeeded than
  // failed. Thus it does not matter whether it counts calls or attempts, for a route or for a host.
  Regardless operations;
};

// Of each route on which calls failed, in the order of the lines. A silence is as long as max(half
// of what is promised, five times the time between calls before the first failure); so is a pause,
// in which calls may be under way.
std::vector<BreakerStory> tell_breakers(const Case& c, const CallLines& lines, const Unsent& unsent,
                                        Duration promised, std::size_t min_calls);

}  // namespace mishap::client_tests
