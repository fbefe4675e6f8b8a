#pragma once

#include <memory>
#include <optional>

#include "server/wire/run_clock.h"
#include "server/wire/task.h"

namespace mishap::server {

// The one place of the data plane where time passes. One sleeper at a time; I/O thread only.
class Alarm {
 public:
  Alarm(IoContext& io, RunClock clock);
  ~Alarm();

  // Sleeps until `instant` (none: without end) or until wake(). It may return early: the sleeper
  // looks again at what it waits for.
  Task<void> sleep_until(std::optional<Duration> instant);
  void wake();

 private:
  struct Timer;
  RunClock clock_;
  std::unique_ptr<Timer> timer_;
};

}  // namespace mishap::server
