#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "mishap/clock.h"
#include "mishap/error.h"
#include "mishap/units.h"

// The few socket calls of the control API. They are apart from those of the wire, which tells lies
// for a living. Nothing here raises SIGPIPE or throws.
namespace mishap::server::control {

// Owns a file descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

tl::expected<Socket, Error> listen_on(const std::string& address, Port port);
Port port_of(const Socket& listener);

// A connection that waits at the listener, within `patience`; none: nobody came.
Socket accept_within(const Socket& listener, Duration patience);

// At least one byte by `deadline`; 0: the other side ended, or it took too long.
std::size_t receive_by(const Socket& socket, char* into, std::size_t size, const Clock& clock,
                       Duration deadline);

// All of it by `deadline`, or as much as went.
void send_by(const Socket& socket, std::string_view bytes, const Clock& clock, Duration deadline);

// Says that no more will come, and takes in what the other side still sends, so that closing does
// not cut off the answer that is on its way.
void end_politely(const Socket& socket, const Clock& clock, Duration deadline);

void shut(int fd);  // wakes whoever waits for this socket

}  // namespace mishap::server::control
