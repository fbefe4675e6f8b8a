#pragma once

#include <string>

#include "server/wire/client_socket.h"
#include "server/wire/patience.h"
#include "server/wire/proxy_table.h"
#include "server/wire/run_clock.h"
#include "server/wire/task.h"

namespace mishap::server {

// What came of what a client first said to the proxy.
struct Entrance {
  const ProxyRoute* route = nullptr;  // null: turned away, and answered
  std::string asked_for;              // "api.vendor.com:443"; empty: nothing that was understood
  bool is_tunnel = false;
};

// Reads the first head of a connection to a proxy. A tunnel is answered with 200; the first request
// of plain HTTP is put back, for whoever serves the connection then. Borrows all; I/O thread only.
Task<Entrance> enter_proxy(ClientSocket& connection, const ProxyTable& table,
                           const Patience& patience, RunClock clock);

}  // namespace mishap::server
