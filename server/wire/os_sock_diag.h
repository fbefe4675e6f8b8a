#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mishap/units.h"
#include "server/wire/os_linux.h"

// What the kernel tells everybody of the TCP sockets of this network namespace (sock_diag(7); what
// `ss -E` shows). It needs no privilege. Who is refused leaves nothing else behind.
namespace mishap::server {

// IPv6, or IPv4 within it (RFC 4291 section 2.5.5.2).
using IpAddress = std::array<std::uint8_t, 16>;
IpAddress local_address(int socket);
bool is_any(const IpAddress& address);  // 0.0.0.0 or ::, of who listens at every address
// Of an interface, or of 127.0.0.0/8.
bool is_of_this_machine(const IpAddress& address);
// Of 127.0.0.0/8, and not the one that everybody uses (loopback.h).
bool is_own_loopback(const IpAddress& address);

// A socket that has been closed by whoever had it.
struct EndedSocket {
  Port from = 0;
  IpAddress to{};
  // 0: the kernel has forgotten it, as it does where a connect that blocked did not come about.
  Port to_port = 0;
  bool was_connected = false;  // some byte of it was acknowledged, the SYN included
};

// A socket at a free port of 127.0.0.1 that listens for nobody.
Descriptor bind_without_listening();

// A descriptor that is readable when sockets have ended. None: the system does not tell.
Descriptor hear_of_ended_sockets();

struct EndedSockets {
  std::vector<EndedSocket> sockets;
  bool lost_some = false;  // more came than the queue holds
};
// All there is now.
EndedSockets take_ended_sockets(int descriptor);

}  // namespace mishap::server
