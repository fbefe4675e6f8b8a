#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/clock.h"
#include "mishap/error.h"
#include "mishap/recording.h"

// One per driver. Watches all running clients with one thread, which reads /proc once per tick (20
// a second, fewer where a tick is dear) however many clients there are. Makes this process the
// reaper of what its clients leave behind (PR_SET_CHILD_SUBREAPER), for good. Thread-safe; must
// outlive every run_clients that uses it.
namespace mishap::client_tests {

struct ProcessId;

class ProcessWatch {
 public:
  using ClientId = std::uint64_t;
  static constexpr std::chrono::milliseconds kPeriod{50};

  struct Client {
    const server::Clock* clock = nullptr;  // borrowed until remove()
    Duration run_began{};
    std::vector<Port> server_ports;
    std::string marker;  // value of MISHAP_RUN in its environment
  };

  // What was seen of a client over its whole life; the fields are those of ProcessFacts.
  struct Seen {
    std::uint64_t samples = 0;
    bool status_known = false;
    int status = 0;          // of the client itself, as of waitpid
    double cpu_seconds = 0;  // of the client, what it waited for, and orphans
    std::uint64_t peak_rss = 0;
    std::uint64_t peak_fds = 0;
    std::vector<SocketSeen> sockets;
    std::vector<ProcessSample> series;
    std::vector<std::string> foreign_addresses;
    std::vector<Port> listening;
    std::vector<std::string> notes;
  };

  struct Living {
    std::vector<ProcessId> processes;  // of the tree, the client itself among them while it runs
    bool settled = true;               // false: a new process is not placed yet, look again
  };

  ProcessWatch();
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  struct Started {
    ClientId id = 0;
    int pid = 0;
  };

  // Calls `spawn`, which starts the client as leader of a session of its own and gives its pid,
  // while no scan can see the child before its place is known.
  tl::expected<Started, Error> add(const Client& client,
                                   const std::function<tl::expected<int, Error>()>& spawn);

  // Looks now, not at the next tick.
  Living living(ClientId id);

  // The client must have ended, and must not have been waited for. Takes its exit status.
  Seen remove(ClientId id);

 private:
  class Sampler;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace mishap::client_tests
