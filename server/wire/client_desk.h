#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "mishap/server.h"
#include "server/plan/step.h"
#include "server/wire/events.h"
#include "server/wire/io_thread.h"

namespace mishap::server {

// Where the steps of a run reach whoever runs its client. I/O thread only, but for what is said to
// be any thread's.
class ClientDesk : public std::enable_shared_from_this<ClientDesk> {
 public:
  ClientDesk(IoThread& io, std::shared_ptr<Events> events) : io_(io), events_(std::move(events)) {}

  // Any thread. When it has returned the one before is not called any more.
  void on_signal(std::function<void(const SignalOrder&)> callback);
  // Any thread: the order was carried out.
  void carried_out(std::uint64_t order, std::optional<Duration> at, bool gone);

  // Its number; nothing: nobody runs the client.
  std::optional<std::uint64_t> order(int lane, const SignalClient& step);
  // Of Events: happens when the order was carried out.
  static std::uint64_t event_of(std::uint64_t order);

  struct Done {
    std::optional<Duration> at;  // nothing: there was no client any more
    bool gone = false;
  };
  std::optional<Done> outcome(std::uint64_t order) const;

 private:
  IoThread& io_;
  std::shared_ptr<Events> events_;
  std::mutex mutex_;  // of the callback
  std::function<void(const SignalOrder&)> callback_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Done> done_;
};

}  // namespace mishap::server
