// For tests: a server on a raw socket that does to each connection what a test says.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace booking {

// One accepted connection. Every wait in here ends within kPatience.
class RawConnection {
 public:
  static constexpr int kPatienceMs = 10'000;

  explicit RawConnection(int socket) : socket_(socket) {}

  // Reads up to the end of a request without a body; false at the end of the connection.
  bool read_request() {
    std::string seen;
    char byte = 0;
    while (!seen.ends_with("\r\n\r\n")) {
      if (!readable(kPatienceMs) || recv(socket_, &byte, 1, 0) != 1) return false;
      seen += byte;
    }
    return true;
  }

  bool send(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  // Waits for the client to end the connection.
  bool client_leaves(int within_ms = kPatienceMs) {
    char byte = 0;
    return readable(within_ms) && recv(socket_, &byte, 1, 0) <= 0;
  }

 private:
  bool readable(int within_ms) {
    pollfd wait{socket_, POLLIN, 0};
    return poll(&wait, 1, within_ms) == 1;
  }

  int socket_;
};

// Serves one connection after the other, on a thread of its own.
class RawServer {
 public:
  explicit RawServer(std::function<void(RawConnection&)> serve) : serve_(std::move(serve)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    listen(listener_, 16);
    socklen_t size = sizeof(address);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    origin_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { run(); });
  }

  ~RawServer() { stop(); }

  const std::string& origin() const { return origin_; }
  int connections() const { return connections_; }

  // Returns when the connection being served is done with. The client must have left.
  void stop() {
    if (!thread_.joinable()) return;
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

 private:
  void run() {
    for (;;) {
      const int socket = accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      ++connections_;
      RawConnection connection(socket);
      serve_(connection);
      close(socket);
    }
  }

  std::function<void(RawConnection&)> serve_;
  std::string origin_;
  std::atomic<int> connections_ = 0;
  int listener_ = -1;
  std::thread thread_;
};

}  // namespace booking
