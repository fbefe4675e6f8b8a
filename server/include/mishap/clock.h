#pragma once

#include <chrono>

#include "mishap/units.h"

namespace mishap::server {

// The one clock of a process: journal, driver and samplers all stamp with it. Thread-safe.
// Instants are nanoseconds since the clock was made; wall time is one offset taken at that moment,
// so that a step of the system's clock in mid-run moves nothing (checks.md section 1, rule 4).
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Duration now() const = 0;
  virtual std::chrono::system_clock::time_point wall(Duration instant) const = 0;
};

// Monotonic time of the machine.
class SystemClock final : public Clock {
 public:
  SystemClock();
  Duration now() const override;
  std::chrono::system_clock::time_point wall(Duration instant) const override;

 private:
  std::chrono::steady_clock::time_point start_;
  std::chrono::system_clock::time_point wall_start_;
};

}  // namespace mishap::server
