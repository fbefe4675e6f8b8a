#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>

#include "server/wire/io_thread.h"
#include "server/wire/os_sock_diag.h"

namespace mishap::server {

// Hears of TCP sockets as they are closed, connected or not. A lower bound: who keeps a socket
// open, or lives in another network namespace, is not heard. I/O thread only, but for the
// constructor.
class ConnectWatch final : public Watched {
 public:
  struct Calls {
    std::function<void(const EndedSocket& socket)> ended;
    std::function<void()> lost_some;  // from now on it does not hear all
  };

  ConnectWatch(IoThread& io, Calls calls);

  bool hears() const { return hears_; }  // from any thread: what the system allows
  void start();
  void stop();

  // Ready once it has heard of what was closed before this call.
  std::future<void> catch_up();

 private:
  void on_ready(const Readiness& readiness) override;
  void take(const EndedSocket& socket);

  IoThread& io_;
  Calls calls_;
  Descriptor heard_;
  Descriptor nobody_;  // bound and no listener: what our own markers try to connect to
  const bool hears_;
  std::map<Port, std::promise<void>> markers_;  // by the port that they came from
  std::uint64_t watch_ = 0;
  bool is_watched_ = false;
};

}  // namespace mishap::server
