#pragma once

#include <functional>
#include <memory>

#include "server/wire/alarm.h"
#include "server/wire/io_thread.h"
#include "server/wire/os_linux.h"
#include "server/wire/patience.h"
#include "server/wire/run_clock.h"
#include "server/wire/task.h"

namespace mishap::server {

// Accepts the connections of one lane and api. I/O thread only, from run() on.
class Listener final : public Watched {
 public:
  using Accept = std::function<void(Descriptor socket, Port client_port)>;

  Listener(IoThread& io, RunClock clock, const Patience& patience, Descriptor socket,
           Accept accept);
  ~Listener() { stop(); }

  static Task<void> run(std::shared_ptr<Listener> self);
  void stop();
  void on_ready(const Readiness& readiness) override;

 private:
  Task<void> accept_all();
  AcceptStatus drain_queue();

  IoThread& io_;
  RunClock clock_;
  Duration back_off_;
  Alarm alarm_;
  Descriptor socket_;
  Accept accept_;
  std::uint64_t watch_ = 0;
  bool is_watched_ = false;
  bool is_ready_ = true;
};

}  // namespace mishap::server
