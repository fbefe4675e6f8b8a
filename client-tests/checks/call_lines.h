#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client-tests/checks/check.h"

// What a client sends to one of its routes over time: what is asked of a client that makes many
// calls at once.
namespace mishap::client_tests {

struct Sent {
  Duration at{};  // first byte
  const Operation* operation = nullptr;
  const Attempt* attempt = nullptr;
  bool begins = false;  // it is the first attempt of its operation
};

// How fast operations begin, over the time in which they did.
struct Pace {
  double per_second = 0;
  Duration span{};
  std::size_t operations = 0;
};

struct CallLine {
  int lane = 0;
  std::string method;
  std::string path;        // of the collection: "/v1/bookings/:id" for each item of it
  std::vector<Sent> sent;  // in order of time, without resends of the transport

  std::string name() const { return method + " " + path; }
  // Index of the first that was sent at or after this instant.
  std::size_t first_from(Duration instant) const;
  // Sent in [from, to).
  std::size_t sent_between(Duration from, Duration to) const;
};

// Nothing where fewer than ten began, or all within a second.
std::optional<Pace> pace_of(const CallLine& line);

// Of all copies and routes; reads that look for what a create may have made belong to none. Told in
// one pass over the operations: a check makes it once.
class CallLines {
 public:
  explicit CallLines(const History& history);

  const std::vector<CallLine>& all() const { return lines_; }
  const CallLine* find(int lane, const std::string& method, const std::string& path) const;

 private:
  std::vector<CallLine> lines_;
  std::map<std::tuple<int, std::string, std::string>, std::size_t> places_;
};

// The same route in the healthy control. There must be one.
const CallLine* usual_line(const Case& c, const CallLines& control, const CallLine& line);

// When the end of an attempt was there to see; nothing while it was not.
std::optional<Duration> seen_to_end(const Attempt& attempt);

double seconds_of(Duration value);

// The fewest and the most of these instants, which are in order, in any stretch of that length that
// lies between the first and the last: what comes in bursts has no one rate.
struct Stretch {
  std::size_t fewest = 0;
  std::size_t most = 0;
};
Stretch stretches_of(const std::vector<Duration>& instants, Duration length);

// When its operations began, in order.
std::vector<Duration> begins_of(const CallLine& line);

// Cites the first few of these.
Witness witness_of(const CallLine& line, std::size_t first, std::size_t end, std::string statement);

}  // namespace mishap::client_tests
