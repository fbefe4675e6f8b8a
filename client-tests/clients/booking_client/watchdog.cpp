#include "client-tests/clients/booking_client/watchdog.h"

#include <utility>

namespace booking {
namespace {
constexpr std::chrono::milliseconds kBetweenCuts{20};
}

Watchdog::Watchdog(std::function<void()> cut)
    : cut_(std::move(cut)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::arm(TimePoint when) {
  {
    const std::lock_guard lock(mutex_);
    when_ = when;
    has_cut_ = false;
  }
  changed_.notify_one();
}

bool Watchdog::disarm() {
  const std::lock_guard lock(mutex_);
  when_.reset();
  return has_cut_;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (!when_) {
      changed_.wait(lock);
    } else if (std::chrono::steady_clock::now() < *when_) {
      changed_.wait_until(lock, *when_);
    } else {
      has_cut_ = true;
      cut_();  // under the lock, so that none comes after disarm()
      changed_.wait_for(lock, kBetweenCuts);
    }
  }
}

}  // namespace booking
