#pragma once

#include <cstdint>
#include <variant>

// The closed list of what a listener can do to those who connect. It belongs to the lane: no
// connection has come whose steps it could be.
namespace mishap::server {

struct TakeConnections {};

// Nobody listens: the kernel answers a SYN with a RST. The port is kept.
struct RefuseConnections {};

// The kernel's queue is full of one connection that nobody accepts: a SYN gets no answer. Never
// ended: a client's own SYNs come seconds apart, so that no end could be told from none.
struct LeaveUnanswered {};

// Only so many are accepted at once; the others wait in the kernel's queue, connected and unread.
struct LimitConnections {
  std::uint64_t most = 1;
};

using ListenerAction =
    std::variant<TakeConnections, RefuseConnections, LeaveUnanswered, LimitConnections>;

}  // namespace mishap::server
