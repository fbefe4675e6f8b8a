// Cuts an exchange off at a point in time, from a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace booking {

// While armed and due it calls `cut` again and again until disarmed: one call could come just
// before the connection it should cut is opened. `cut` must be safe to call from another thread.
class Watchdog {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit Watchdog(std::function<void()> cut);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void arm(TimePoint when);
  bool disarm();  // true if it has cut; afterwards it does not call `cut` any more

 private:
  void watch();

  std::function<void()> cut_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<TimePoint> when_;  // armed
  bool has_cut_ = false;
  bool ends_ = false;
  std::thread thread_;  // last: starts when all of the above is there
};

}  // namespace booking
