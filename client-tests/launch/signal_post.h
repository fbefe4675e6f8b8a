#pragma once

#include <poll.h>

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "client-tests/launch/file_descriptor.h"
#include "mishap/server.h"

namespace mishap::client_tests {

// Signals that a scenario has for its client, on their way from the server's thread to the one that
// lives through the run with the copies.
class SignalPost {
 public:
  // See server::Run::signalled. Called on the thread of the copies.
  using Report = std::function<void(std::uint64_t order, std::optional<Duration> at, bool gone)>;

  explicit SignalPost(Report report);

  // Any thread; does not block.
  void send(const server::SignalOrder& order);

  // For poll(): readable when there is something to take.
  void add_events(std::vector<pollfd>& events) const;
  std::vector<server::SignalOrder> take();
  void report(std::uint64_t order, std::optional<Duration> at, bool gone) const {
    report_(order, at, gone);
  }

 private:
  Report report_;
  FileDescriptor bell_;  // an eventfd; none: it is then looked at every turn
  std::mutex mutex_;
  std::vector<server::SignalOrder> orders_;
};

}  // namespace mishap::client_tests
