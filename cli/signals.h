#pragma once

#include <atomic>
#include <thread>

namespace mishap::cli {

// Turns SIGINT and SIGTERM into a flag. Make it before any other thread, since threads inherit the
// mask that it sets.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  const std::atomic<bool>& interrupted() const { return interrupted_; }

 private:
  std::atomic<bool> interrupted_ = false;
  std::jthread thread_;
};

}  // namespace mishap::cli
