#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/wire/alarm.h"
#include "server/wire/io_thread.h"
#include "server/wire/os_linux.h"
#include "server/wire/run_clock.h"
#include "server/wire/task.h"

namespace mishap::server {

// A connection of ours to elsewhere. One waiter at a time; I/O thread only. Each wait ends with its
// deadline and with cancel().
class UpstreamSocket final : public Watched {
 public:
  UpstreamSocket(IoThread& io, RunClock clock);
  ~UpstreamSocket();
  UpstreamSocket(const UpstreamSocket&) = delete;
  UpstreamSocket& operator=(const UpstreamSocket&) = delete;

  // To the first address of the host that answers. Nothing where it came about, else why not.
  Task<std::optional<std::string>> connect(std::string host, Port port, Duration deadline);

  // Until the socket may be ready for what was not possible before (true).
  Task<bool> changed(Duration deadline);

  int get() const { return socket_.get(); }
  void cancel();
  bool is_cancelled() const { return cancelled_; }
  void on_ready(const Readiness& readiness) override;

 private:
  using Addresses = std::vector<std::string>;  // sockaddrs as bytes
  struct Lookup;

  Task<Addresses> find_addresses(std::string host, Port port, Duration deadline, std::string& why);
  Task<std::optional<std::string>> connect_to(std::string address, Duration deadline);
  void watch(Descriptor socket);
  void close();
  bool may_wait(Duration deadline) const { return !cancelled_ && clock_.now() < deadline; }

  IoThread& io_;
  RunClock clock_;
  Alarm alarm_;
  Descriptor socket_;
  std::uint64_t watch_ = 0;
  bool changed_ = false;
  bool cancelled_ = false;
};

}  // namespace mishap::server
