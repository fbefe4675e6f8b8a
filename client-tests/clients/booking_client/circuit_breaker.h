// Stops calling a dependency while most calls to it fail, and tries it again now and then.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "client-tests/clients/booking_client/habits.h"

namespace booking {

// Closed: every call may go. Open: none may, for a while. Half open: a few probes may, and the
// first of them that ends decides. Used by all workers at once; the clock is the caller's.
class CircuitBreaker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit CircuitBreaker(const Habits& habits) : habits_(habits) {}

  // Leave for one call, whose end must be told with it; nothing while it is open.
  struct Leave {
    std::uint64_t period = 0;  // an end that is told in a later one says nothing about that
  };
  std::optional<Leave> enter(TimePoint now);
  void tell(Leave leave, bool succeeded, TimePoint now);

  // Whether a call that begins now would be turned away; it takes no probe's place.
  bool is_open(TimePoint now) const;

 private:
  enum class State { Closed, Open, HalfOpen };
  void change(State state);

  const Habits& habits_;
  mutable std::mutex mutex_;
  State state_ = State::Closed;
  std::uint64_t period_ = 1;
  std::deque<bool> latest_;   // of the closed state: whether they succeeded, the newest last
  std::size_t failures_ = 0;  // among them
  int probes_ = 0;            // of the half-open state
  TimePoint opens_until_{};
};

}  // namespace booking
