#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/journal.h"
#include "mishap/units.h"

// What this room asks of the kernel. Sockets are non-blocking and close-on-exec from birth, since
// other threads start children at any moment. Nothing here raises SIGPIPE or throws.
namespace mishap::server {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void close();

 private:
  int fd_ = -1;
};

enum class IoStatus { Done, WouldBlock, End, Reset, Failed };
struct IoResult {
  IoStatus status = IoStatus::Failed;
  std::size_t bytes = 0;
};
IoResult receive(int socket, std::span<char> into);
IoResult send_some(int socket, std::string_view bytes);

tl::expected<Descriptor, Error> listen_on(const std::string& address, Port port);
// The same listener once more, so that another thread may accept at it. Empty: no descriptor is
// left.
Descriptor second_hand_on(int listener);
Port local_port(int socket);
// Ends listening at once, even while a child between fork and exec still holds the socket. The port
// stays bound where it was asked for by number.
void stop_listening(int listener);
// Listens again, or with another length of the queue; `queue` negative: the system's most.
bool listen_again(int listener, int queue = -1);
// A listener at the port that this one was given: one that was given any free port would lose it
// with stop_listening().
tl::expected<Descriptor, Error> keep_port(Descriptor listener, const std::string& address);
// What the kernel holds for a listener: connections that nobody has accepted yet (TCP_INFO), and
// SYNs left unanswered so far (SO_MEMINFO).
struct ListenerQueue {
  std::uint64_t waiting = 0;
  std::uint64_t dropped = 0;
};
ListenerQueue queue_of(int listener);
// The address it is bound to, a sockaddr's bytes.
std::string socket_address(int socket);
// What a connect to that address meets now: "refused", "connected" or "no answer".
struct Probe {
  std::string met;
  Port from = 0;  // our own end
};
Probe probe(int listener);

// Begins to connect to a socket address (a sockaddr's bytes). Whether it came about is known once
// the socket is writable: connect_error() is 0 then. No socket: `error` says why.
struct Dialled {
  Descriptor socket;
  int error = 0;
};
Dialled dial(std::string_view address);
int connect_error(int socket);

enum class AcceptStatus { Accepted, Empty, Again, Exhausted, Closed };
struct Accepted {
  AcceptStatus status = AcceptStatus::Empty;
  Descriptor socket;
  Port client_port = 0;
};
Accepted accept_one(int listener);

void send_fin(int socket);
// RST now: what is unsent is discarded. Closes the socket.
void send_reset(Descriptor socket);

// Bytes that the client's kernel has not acknowledged (SIOCOUTQ).
std::uint64_t unacknowledged(int socket);
// Bytes that have come and were not read (SIOCINQ); a FIN is none.
std::size_t unread_bytes(int socket);

// How the client has left, asked of the kernel without reading. Meaningful before our own FIN.
Departure departure_of(int socket);

struct Readiness {
  std::uint64_t id = 0;
  bool readable = false;
  bool writable = false;
  bool peer_ended = false;  // FIN seen, also while input is unread
  bool failed = false;      // an error is pending: RST
  bool hung_up = false;     // both directions are over
};

// An edge-triggered epoll set. Asio does not tell a FIN while input is unread; this does.
class EpollSet {
 public:
  EpollSet();
  int fd() const { return set_.get(); }
  bool add(int fd, std::uint64_t id);
  void remove(int fd);
  // What is ready now, without waiting.
  std::size_t poll(std::span<Readiness> into);

 private:
  Descriptor set_;
};

// Signals are for the thread that asked for them, not for this one.
void block_signals_of_this_thread();

}  // namespace mishap::server
