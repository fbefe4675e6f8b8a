#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client-tests/launch/probe_linux.h"

namespace mishap::client_tests {

// The same as read_tcp_table(), asked of the kernel as a dump (sock_diag(7)): it is told in
// records, and walks the table once. The text of /proc/net/tcp walks it several times, which takes
// a hundred thousand empty places each time on a machine with some memory. Nothing where the system
// gives no such dump.
std::optional<std::vector<TcpSocket>> dump_tcp_sockets(const std::vector<std::uint64_t>& wanted);

}  // namespace mishap::client_tests
