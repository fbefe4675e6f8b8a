#include "server/control/sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace mishap::server::control {
namespace {

constexpr Duration kRest = std::chrono::milliseconds(50);
constexpr std::size_t kMostDrained = 4 * 1024 * 1024;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Error cannot_listen(const std::string& address, Port port, const std::string& why) {
  return {ErrorCode::Environment,
          fmt::format("the control API cannot listen on {}:{}: {}", address, port, why),
          {},
          "give another port, or 0 for any that is free"};
}

Error cannot_listen(const std::string& address, Port port, int error) {
  return cannot_listen(address, port, std::generic_category().message(error));
}

// Whether it became ready in time.
bool wait_for(int fd, short events, Duration patience) {
  pollfd entry{fd, events, 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  return ::poll(&entry, 1, static_cast<int>(std::clamp<Duration::rep>(left, 0, 60'000))) == 1;
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Socket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

tl::expected<Socket, Error> listen_on(const std::string& address, Port port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const auto service = fmt::format("{}", port);
  if (const int code = ::getaddrinfo(address.c_str(), service.c_str(), &hints, &found); code != 0) {
    return tl::unexpected(cannot_listen(address, port, std::string(::gai_strerror(code))));
  }
  const Addresses addresses(found, &::freeaddrinfo);
  Socket socket(::socket(found->ai_family, found->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return tl::unexpected(cannot_listen(address, port, errno));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    return tl::unexpected(cannot_listen(address, port, errno));
  }
  return socket;
}

Port port_of(const Socket& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  // sockaddr is the face of every address family; the socket calls are defined to take it so.
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  in_port_t port = 0;
  const auto offset = address.ss_family == AF_INET6 ? offsetof(sockaddr_in6, sin6_port)
                                                    : offsetof(sockaddr_in, sin_port);
  std::memcpy(&port, reinterpret_cast<const char*>(&address) + offset, sizeof port);
  return ntohs(port);
}

Socket accept_within(const Socket& listener, Duration patience) {
  if (!wait_for(listener.get(), POLLIN, patience)) return {};
  Socket socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  // Out of descriptors: the one that waits makes poll() return at once, so rest a moment.
  if (!socket && errno != EAGAIN && errno != ECONNABORTED) wait_for(-1, 0, kRest);
  return socket;
}

std::size_t receive_by(const Socket& socket, char* into, std::size_t size, const Clock& clock,
                       Duration deadline) {
  for (;;) {
    const auto got = ::recv(socket.get(), into, size, 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EAGAIN && errno != EINTR) return 0;
    const Duration left = deadline - clock.now();
    if (left <= Duration::zero()) return 0;
    wait_for(socket.get(), POLLIN, left);
  }
}

void send_by(const Socket& socket, std::string_view bytes, const Clock& clock, Duration deadline) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return;
    const Duration left = deadline - clock.now();
    if (left <= Duration::zero()) return;
    wait_for(socket.get(), POLLOUT, left);
  }
}

void end_politely(const Socket& socket, const Clock& clock, Duration deadline) {
  ::shutdown(socket.get(), SHUT_WR);
  std::array<char, 16 * 1024> rest;
  for (std::size_t taken = 0; taken < kMostDrained;) {
    const auto got = receive_by(socket, rest.data(), rest.size(), clock, deadline);
    if (got == 0) return;
    taken += got;
  }
}

void shut(int fd) {
  ::shutdown(fd, SHUT_RDWR);
}

}  // namespace mishap::server::control
