#include "mishap/clock.h"

namespace mishap::server {

SystemClock::SystemClock()
    : start_(std::chrono::steady_clock::now()), wall_start_(std::chrono::system_clock::now()) {}

Duration SystemClock::now() const {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start_);
}

std::chrono::system_clock::time_point SystemClock::wall(Duration instant) const {
  return wall_start_ + std::chrono::duration_cast<std::chrono::system_clock::duration>(instant);
}

}  // namespace mishap::server
