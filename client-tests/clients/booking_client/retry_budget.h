// Retries of the whole program cost tokens, and successes earn them: while nothing succeeds they
// dry up, but for a fixed few a second.
#pragma once

#include <chrono>
#include <mutex>

namespace booking {

class RetryBudget {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `rate`: retries a second that are left when it is empty; 0: none.
  explicit RetryBudget(int rate) : rate_(rate) {}

  void earn();
  bool spend(TimePoint now);  // false: this retry is one too many

 private:
  std::mutex mutex_;
  int rate_;
  double tokens_ = 20;  // enough for a hiccup; never more
  TimePoint next_{};    // of the few
};

}  // namespace booking
