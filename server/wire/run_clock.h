#pragma once

#include "mishap/clock.h"

namespace mishap::server {

// Instants of one run: time since it began, on the server's clock. The clock is borrowed.
class RunClock {
 public:
  RunClock(const Clock& clock, Duration began) : clock_(&clock), began_(began) {}
  Duration now() const { return clock_->now() - began_; }
  Duration began() const { return began_; }
  std::chrono::system_clock::time_point wall(Duration run_time) const {
    return clock_->wall(began_ + run_time);
  }

 private:
  const Clock* clock_;
  Duration began_;
};

}  // namespace mishap::server
