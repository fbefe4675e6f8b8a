#include "server/wire/os_linux.h"

#include <fcntl.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
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

namespace mishap::server {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() {
  return std::exchange(fd_, -1);
}

void Descriptor::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

namespace {

IoStatus status_of(int error) {
  switch (error) {
    case EAGAIN:
    case EINTR:
      return IoStatus::WouldBlock;
    case ECONNRESET:
    case EPIPE:
    case ENOTCONN:
    case ETIMEDOUT:
      return IoStatus::Reset;
    default:
      return IoStatus::Failed;
  }
}

template <typename T>
void set_option(int socket, int level, int name, const T& value) {
  ::setsockopt(socket, level, name, &value, sizeof value);
}

}  // namespace

IoResult receive(int socket, std::span<char> into) {
  const ssize_t n = ::recv(socket, into.data(), into.size(), 0);
  if (n > 0) return {IoStatus::Done, static_cast<std::size_t>(n)};
  if (n == 0) return {IoStatus::End, 0};
  return {status_of(errno), 0};
}

IoResult send_some(int socket, std::string_view bytes) {
  const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (n >= 0) return {IoStatus::Done, static_cast<std::size_t>(n)};
  return {status_of(errno), 0};
}

namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Error environment(std::string message, std::string hint) {
  return {ErrorCode::Environment, std::move(message), {}, std::move(hint)};
}

tl::expected<Addresses, Error> resolve(const std::string& address, Port port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(address.c_str(), fmt::format("{}", port).c_str(), &hints, &found);
  if (code != 0) {
    return tl::unexpected(
        Error{ErrorCode::BadInput,
              fmt::format("cannot listen on \"{}\": {}", address, ::gai_strerror(code)),
              {},
              "give the address of an interface of this machine, as 127.0.0.1 or ::1"});
  }
  return Addresses(found, &::freeaddrinfo);
}

Error cannot_listen(const std::string& address, Port port, int error) {
  return environment(fmt::format("cannot listen on {}:{}: {}", address, port,
                                 std::generic_category().message(error)),
                     error == EADDRINUSE ? "give another port, or 0 for any that is free" : "");
}

}  // namespace

tl::expected<Descriptor, Error> listen_on(const std::string& address, Port port) {
  auto found = resolve(address, port);
  if (!found) return tl::unexpected(found.error());
  const addrinfo& place = **found;
  Descriptor socket(::socket(place.ai_family, place.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return tl::unexpected(cannot_listen(address, port, errno));
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(socket.get(), place.ai_addr, place.ai_addrlen) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    return tl::unexpected(cannot_listen(address, port, errno));
  }
  return socket;
}

Descriptor second_hand_on(int listener) {
  return Descriptor(::fcntl(listener, F_DUPFD_CLOEXEC, 0));
}

namespace {

Port port_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &address, sizeof six);
    return ntohs(six.sin6_port);
  }
  sockaddr_in four{};
  std::memcpy(&four, &address, sizeof four);
  return ntohs(four.sin_port);
}

// sockaddr is the face of every address family; the socket calls are defined to take it so.
sockaddr* as_sockaddr(sockaddr_storage& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

}  // namespace

Port local_port(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(socket, as_sockaddr(address), &length) != 0) return 0;
  return port_of(address);
}

void stop_listening(int listener) {
  ::shutdown(listener, SHUT_RDWR);
}

bool listen_again(int listener, int queue) {
  return ::listen(listener, queue < 0 ? SOMAXCONN : queue) == 0;
}

tl::expected<Descriptor, Error> keep_port(Descriptor listener, const std::string& address) {
  const Port port = local_port(listener.get());
  stop_listening(listener.get());
  listener.close();
  return listen_on(address, port);
}

ListenerQueue queue_of(int listener) {
  ListenerQueue queue;
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
      info.tcpi_state == TCP_LISTEN) {
    queue.waiting = info.tcpi_unacked;  // of a listener: the length of its queue
  }
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
  length = sizeof memory;
  if (::getsockopt(listener, SOL_SOCKET, SO_MEMINFO, memory.data(), &length) == 0) {
    queue.dropped = memory[SK_MEMINFO_DROPS];
  }
  return queue;
}

std::string socket_address(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(socket, as_sockaddr(address), &length) != 0) return {};
  std::string bytes(length, '\0');
  std::memcpy(bytes.data(), &address, length);
  return bytes;
}

Probe probe(int listener) {
  const Dialled dialled = dial(socket_address(listener));
  const int error = dialled.socket ? connect_error(dialled.socket.get()) : dialled.error;
  const Port from = dialled.socket ? local_port(dialled.socket.get()) : Port{0};
  if (error == ECONNREFUSED) return {"refused", from};
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  const bool is_connected =
      dialled.socket && ::getpeername(dialled.socket.get(), as_sockaddr(peer), &length) == 0;
  return {is_connected ? "connected" : "no answer", from};
}

namespace {

AcceptStatus accept_status(int error) {
  switch (error) {
    case EAGAIN:
      return AcceptStatus::Empty;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return AcceptStatus::Exhausted;
    case EBADF:
    case EINVAL:
    case ENOTSOCK:
      return AcceptStatus::Closed;
    default:  // ECONNABORTED, EINTR and network errors of the connection itself: accept(2)
      return AcceptStatus::Again;
  }
}

}  // namespace

Accepted accept_one(int listener) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  const int fd = ::accept4(listener, as_sockaddr(address), &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return {accept_status(errno), {}, 0};
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  return {AcceptStatus::Accepted, Descriptor(fd), port_of(address)};
}

void send_fin(int socket) {
  ::shutdown(socket, SHUT_WR);
}

void send_reset(Descriptor socket) {
  if (!socket) return;
  set_option(socket.get(), SOL_SOCKET, SO_LINGER, linger{.l_onoff = 1, .l_linger = 0});
  // close() alone sends the RST only with the last reference, and a child between fork and exec
  // holds one; dissolving the association sends it at once (connect(2), AF_UNSPEC).
  sockaddr_storage nowhere{};
  nowhere.ss_family = AF_UNSPEC;
  ::connect(socket.get(), as_sockaddr(nowhere), sizeof nowhere);
}

std::uint64_t unacknowledged(int socket) {
  int bytes = 0;
  if (::ioctl(socket, SIOCOUTQ, &bytes) != 0) return 0;
  return static_cast<std::uint64_t>(std::max(bytes, 0));
}

std::size_t unread_bytes(int socket) {
  int bytes = 0;
  if (::ioctl(socket, SIOCINQ, &bytes) != 0) return 0;
  return static_cast<std::size_t>(std::max(bytes, 0));
}

// Asked before every answer, and poll() costs a fraction of what TCP_INFO does.
Departure departure_of(int socket) {
  pollfd entry{socket, POLLRDHUP, 0};
  if (::poll(&entry, 1, 0) != 1) return Departure::None;
  if ((entry.revents & (POLLHUP | POLLERR)) != 0) return Departure::Rst;
  return (entry.revents & POLLRDHUP) != 0 ? Departure::Fin : Departure::None;
}

EpollSet::EpollSet() : set_(::epoll_create1(EPOLL_CLOEXEC)) {}

bool EpollSet::add(int fd, std::uint64_t id) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = id;
  return ::epoll_ctl(set_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void EpollSet::remove(int fd) {
  ::epoll_ctl(set_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

std::size_t EpollSet::poll(std::span<Readiness> into) {
  std::array<epoll_event, 256> events;
  const auto most = static_cast<int>(std::min(events.size(), into.size()));
  const int count = ::epoll_wait(set_.get(), events.data(), most, 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    into[static_cast<std::size_t>(i)] = {
        .id = event.data.u64,
        .readable = (event.events & EPOLLIN) != 0,
        .writable = (event.events & EPOLLOUT) != 0,
        .peer_ended = (event.events & EPOLLRDHUP) != 0,
        .failed = (event.events & EPOLLERR) != 0,
        .hung_up = (event.events & EPOLLHUP) != 0,
    };
  }
  return static_cast<std::size_t>(std::max(count, 0));
}

Dialled dial(std::string_view address) {
  sockaddr_storage raw{};
  if (address.size() > sizeof raw) return {Descriptor(), EINVAL};
  std::memcpy(&raw, address.data(), address.size());
  Dialled dialled{
      Descriptor(::socket(raw.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP))};
  if (!dialled.socket) {
    dialled.error = errno;
    return dialled;
  }
  set_option(dialled.socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  const auto* at = reinterpret_cast<const sockaddr*>(&raw);
  const auto length = static_cast<socklen_t>(address.size());
  if (::connect(dialled.socket.get(), at, length) == 0 || errno == EINPROGRESS) return dialled;
  dialled.error = errno;
  dialled.socket.close();
  return dialled;
}

int connect_error(int socket) {
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

void block_signals_of_this_thread() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace mishap::server
