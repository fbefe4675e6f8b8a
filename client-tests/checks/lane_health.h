#pragma once

#include <map>
#include <optional>
#include <vector>

#include "client-tests/checks/call_lines.h"

// How the calls of a copy go as a whole: what a breaker counts that guards a host and not a route,
// and what else may have kept the copy from sending.
namespace mishap::client_tests {

// When an operation was over that had failed for good: what a breaker around the retries counts.
// Nothing where it succeeded, or where a client that tells of its operations never told of it.
std::optional<Duration> failed_for_good_at(const Case& c, const Operation& operation);

class LaneHealth {
 public:
  LaneHealth(const Case& c, const CallLines& lines);

  // Of the operations that were over in [from, to] no more succeeded than failed for good.
  bool is_mostly_ill(int lane, Duration from, Duration to) const;

  // Another route was failing at `to`, or had calls under way all the time: what was not sent may
  // have been meant for it.
  bool is_another_in_trouble(const CallLine& line, Duration from, Duration to) const;

 private:
  using Instants = std::vector<Duration>;  // in order of time

  struct Route {
    const CallLine* line = nullptr;
    Instants failed;
    Instants succeeded;
    Instants busy_until;  // by index of the line: the latest end of what was sent up to there
  };
  struct Ends {
    Instants failed;
    Instants succeeded;
  };

  static Route route_of(const CallLine& line);
  static bool is_in_trouble(const Route& route, Duration from, Duration to);

  std::map<int, std::vector<Route>> routes_;
  std::map<int, Ends> ends_;  // of operations, lookups too: they are answered by the same host
};

}  // namespace mishap::client_tests
