#include "bench/load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

namespace mishap::bench {
namespace {

constexpr std::size_t kPerAddress = 25'000;
constexpr std::size_t kBuffer = 256 * 1024;

sockaddr_in loopback(std::size_t index, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + static_cast<std::uint32_t>(index));
  return address;
}

int connect_from(std::size_t address, std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // The port is chosen when it connects, so that each address has all of them.
  ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  const sockaddr_in from = loopback(address, 0);
  ::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from);
  const sockaddr_in to = loopback(0, port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return fd;
  ::close(fd);
  return -1;
}

}  // namespace

std::string request_text(const std::string& method, const std::string& target,
                         const std::string& body) {
  auto text = fmt::format("{} {} HTTP/1.1\r\nHost: bench\r\n", method, target);
  if (!body.empty()) {
    text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
  }
  return text + "\r\n" + body;
}

void allow_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Crowd::Crowd(std::uint16_t port) : port_(port), epoll_(::epoll_create1(0)), buffer_(kBuffer) {}

Crowd::~Crowd() {
  for (const int file : files_) ::close(file);
  ::close(epoll_);
}

bool Crowd::open(std::size_t connections) {
  while (files_.size() < connections) {
    if (!add()) {
      std::perror("connect");
      return false;
    }
  }
  return true;
}

bool Crowd::add() {
  const int file = connect_from(files_.size() / kPerAddress, port_);
  if (file < 0) return false;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = files_.size();
  files_.push_back(file);
  return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, file, &event) == 0;
}

bool Crowd::send(std::size_t number, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(files_[number], bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void Crowd::take(std::chrono::milliseconds patience, const Taken& taken) {
  std::array<epoll_event, 512> events;
  const int count =
      ::epoll_wait(epoll_, events.data(), events.size(), static_cast<int>(patience.count()));
  const Instant now = Clock::now();
  for (int i = 0; i < count; ++i) {
    const auto number = events[static_cast<std::size_t>(i)].data.u64;
    const ssize_t got = ::recv(files_[number], buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) continue;
    const auto size = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    // Of a connection that has ended nothing more is to be heard.
    if (size == 0) ::epoll_ctl(epoll_, EPOLL_CTL_DEL, files_[number], nullptr);
    taken(number, {buffer_.data(), size}, now);
  }
}

double share_of(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace mishap::bench
