// What all workers of the program know together of the vendor: whether it is ill, that it has asked
// to wait, and how many retries are left. One call asks here before it is made.
#pragma once

#include <array>
#include <chrono>
#include <mutex>
#include <optional>

#include "client-tests/clients/booking_client/circuit_breaker.h"
#include "client-tests/clients/booking_client/habits.h"
#include "client-tests/clients/booking_client/retry_budget.h"

namespace booking {

// Each route is a dependency of its own: what is wrong with one says nothing about another.
enum class Route { Bookings, Products };
inline constexpr std::size_t kRoutes = 2;

Route route_of(CallKind kind);

class Gate {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `habits` must outlive it. What its settings do not ask for is never in the way.
  explicit Gate(const Habits& habits);

  // Before an attempt: leave to make it, once a pause that the vendor asked for is over. A failure
  // where it may not be made now, or not before `end`.
  struct Pass {
    std::optional<CircuitBreaker::Leave> leave{};
    std::optional<Failure> refused{};
  };
  Pass enter(Route route, TimePoint end, Habits& worker);
  // After it; `asked` is the wait that the vendor asked for.
  void tell(Route route, const Pass& pass, const Judgement& judgement,
            std::optional<milliseconds> asked);

  bool may_retry();  // spends a token

  // Whether a call would be turned away at once.
  bool is_shut(Route route) const;

 private:
  std::optional<milliseconds> pause(Route route, TimePoint now);

  const Habits& habits_;
  std::array<CircuitBreaker, kRoutes> breakers_;
  RetryBudget budget_;
  std::mutex mutex_;
  std::array<TimePoint, kRoutes> resumes_{};
};

}  // namespace booking
