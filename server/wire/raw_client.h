#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "mishap/units.h"
#include "server/wire/os_linux.h"

namespace mishap::server {

// Where a listener is.
struct Place {
  Place(Port at) : port(at) {}  // NOLINT: of a port alone, as nearly all are
  Place(Port at, std::string where) : port(at), host(std::move(where)) {}
  Port port;
  std::string host = "127.0.0.1";
};

// A client that is nothing but a socket, for the tests of this folder. Every wait has a deadline.
class RawClient {
 public:
  enum class End { Open, Fin, Reset };

  RawClient();  // not connected yet
  // `receive_buffer` 0: the system's default.
  explicit RawClient(const Place& place, int receive_buffer = 0);
  // Fails the test where no connection can be made.
  void connect(const Place& place);
  // 0 once connected, ECONNREFUSED, or EINPROGRESS where nothing has come of it by then.
  int try_connect(const Place& place, Duration patience);
  // The same as a call that blocks: 0, or what it failed with.
  int connect_blocking(const Place& place);

  // All of it, or as much as goes before the connection ends or the deadline is over.
  std::size_t send(std::string_view bytes);
  // The same, for so long.
  std::size_t send_for(std::string_view bytes, Duration length);
  void send_fin();
  void reset();  // RST
  void close();

  // More bytes of the connection, as they come; each returns all that has been received since the
  // last take(), whatever it waited for.
  const std::string& receive_until(std::string_view text);
  const std::string& receive_bytes(std::size_t count);
  const std::string& receive_to_end();
  // For so long; the way to prove silence.
  const std::string& receive_for(Duration length);
  std::string take();

  // How the server ended the connection, as far as it was met by receiving or sending.
  End end() const { return end_; }
  bool is_open() const { return static_cast<bool>(socket_); }

 private:
  std::size_t send_until(std::string_view bytes, std::chrono::steady_clock::time_point deadline);
  bool receive_some(std::chrono::steady_clock::time_point deadline);
  void meet(int error);

  Descriptor socket_;
  std::string received_;
  End end_ = End::Open;
};

}  // namespace mishap::server
