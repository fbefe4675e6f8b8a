#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/scenario.h"
#include "mishap/server.h"
#include "server/engine/engine.h"
#include "server/wire/io_thread.h"
#include "server/wire/patience.h"
#include "server/wire/run_clock.h"
#include "server/wire/upstreams.h"

namespace mishap::server {

class ProxyTable;
class TlsServer;

// One listener to be opened.
struct LanePlan {
  int lane = 0;
  std::string api;
  scenarios::Limits limits;
  std::shared_ptr<TlsServer> tls{};  // null: plain HTTP
  std::string address{};             // of its own; empty: the run's
};

// By lane: the hosts that its apis stand in for.
using Proxies = std::vector<std::shared_ptr<const ProxyTable>>;

struct LiveRunSetup {
  std::shared_ptr<IoThread> io;
  // Further threads. Each accepts at the listeners that need no order among those who come: plain
  // HTTP, and no rule at connect.
  std::vector<std::shared_ptr<IoThread>> more_io = {};
  std::shared_ptr<Engine> engine;
  RunClock clock;
  std::vector<LanePlan> plans;
  Proxies proxies = {};  // one more listener each
  std::string ca = {};   // PEM; empty: no TLS is spoken
  std::string address = "127.0.0.1";
  Port port = 0;  // of the first plan
  Patience patience = {};
  std::string advertise = {};  // host that URLs name; empty: the address
  PortRange ports = {};
  unsigned turn = 0;  // where in the range to look first: a port that was just freed comes last
  std::shared_ptr<Upstreams> upstreams = nullptr;  // null: no api has one
};

// The host that URLs name, without brackets.
std::string advertised_host(const std::string& address, const std::string& advertise);

// Opens the listeners and plays the engine on them. Its end() must not be called by the callback of
// on_exchange (which runs on an I/O thread) if all sessions are to be waited for.
tl::expected<std::unique_ptr<Run>, Error> begin_live_run(LiveRunSetup setup);

}  // namespace mishap::server
