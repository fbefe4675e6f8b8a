#include "server/wire/os_sock_diag.h"

// This one, and not netinet/tcp.h: the C library's tcp_info ends before the fields that are read.
#include <linux/tcp.h>

#include <ifaddrs.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

namespace mishap::server {
namespace {

constexpr std::size_t kMapped = 12;  // bytes before the IPv4 address in an IPv6 one
constexpr int kQueueBytes = 4 << 20;

IpAddress mapped(const void* four) {
  IpAddress address{};
  address[kMapped - 2] = address[kMapped - 1] = 0xff;
  std::memcpy(address.data() + kMapped, four, 4);
  return address;
}

IpAddress address_of(int family, const void* bytes) {
  if (family == AF_INET) return mapped(bytes);
  IpAddress address{};
  std::memcpy(address.data(), bytes, address.size());
  return address;
}

template <typename T>
std::optional<T> read_as(std::span<const char> bytes) {
  T value{};
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Older kernels have a shorter tcp_info: what they do not say is 0.
tcp_info info_within(std::span<const char> attributes) {
  tcp_info info{};
  while (const auto header = read_as<nlattr>(attributes)) {
    const std::size_t length = header->nla_len;
    if (length < sizeof *header || length > attributes.size()) break;
    if (header->nla_type == INET_DIAG_INFO) {
      std::memcpy(&info, attributes.data() + sizeof *header,
                  std::min(sizeof info, length - sizeof *header));
    }
    attributes = attributes.subspan(std::min(attributes.size(), std::size_t{NLA_ALIGN(length)}));
  }
  return info;
}

std::optional<EndedSocket> read_message(std::span<const char> message) {
  const auto header = read_as<nlmsghdr>(message);
  if (!header || header->nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  const auto body = message.subspan(NLMSG_HDRLEN);
  const auto told = read_as<inet_diag_msg>(body);
  if (!told) return std::nullopt;
  EndedSocket socket;
  socket.from = ntohs(told->id.idiag_sport);
  socket.to = address_of(told->idiag_family, told->id.idiag_dst);
  socket.to_port = ntohs(told->id.idiag_dport);
  const tcp_info info = info_within(body.subspan(NLMSG_ALIGN(sizeof *told)));
  socket.was_connected = info.tcpi_bytes_acked > 0;
  return socket;
}

void read_datagram(std::span<const char> datagram, std::vector<EndedSocket>& into) {
  while (const auto header = read_as<nlmsghdr>(datagram)) {
    const std::size_t length = header->nlmsg_len;
    if (length < NLMSG_HDRLEN || length > datagram.size()) return;
    if (auto socket = read_message(datagram.first(length))) into.push_back(*socket);
    datagram = datagram.subspan(std::min(datagram.size(), std::size_t{NLMSG_ALIGN(length)}));
  }
}

}  // namespace

IpAddress local_address(int socket) {
  const std::string bytes = socket_address(socket);
  if (const auto four = read_as<sockaddr_in>(bytes); four && four->sin_family == AF_INET) {
    return mapped(&four->sin_addr);
  }
  const auto six = read_as<sockaddr_in6>(bytes);
  return six ? address_of(AF_INET6, &six->sin6_addr) : IpAddress{};
}

namespace {

// The address in a sockaddr of either family; 0.0.0.0 where it is of another.
IpAddress address_within(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &address, sizeof four);
    return mapped(&four.sin_addr);
  }
  if (address.sa_family != AF_INET6) return {};
  sockaddr_in6 six{};
  std::memcpy(&six, &address, sizeof six);
  return address_of(AF_INET6, &six.sin6_addr);
}

bool is_loopback(const IpAddress& address) {
  constexpr std::array<std::uint8_t, 4> kUsual{127, 0, 0, 1};
  const IpAddress usual = mapped(kUsual.data());
  IpAddress six{};
  six.back() = 1;
  return address == six || std::equal(usual.begin(), usual.begin() + kMapped + 1, address.begin());
}

}  // namespace

bool is_any(const IpAddress& address) {
  constexpr std::array<std::uint8_t, 4> kAny{};
  return address == IpAddress{} || address == mapped(kAny.data());
}

bool is_of_this_machine(const IpAddress& address) {
  ifaddrs* all = nullptr;
  if (is_loopback(address) || ::getifaddrs(&all) != 0) return is_loopback(address);
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(all, &::freeifaddrs);
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr != nullptr && address_within(*one->ifa_addr) == address) return true;
  }
  return false;
}

bool is_own_loopback(const IpAddress& address) {
  constexpr std::array<std::uint8_t, 4> kUsual{127, 0, 0, 1};
  const IpAddress usual = mapped(kUsual.data());
  return address != usual &&
         std::equal(usual.begin(), usual.begin() + kMapped + 1, address.begin());
}

Descriptor bind_without_listening() {
  sockaddr_storage raw{};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::memcpy(&raw, &address, sizeof address);
  Descriptor bound(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  const auto* at = reinterpret_cast<const sockaddr*>(&raw);
  if (!bound || ::bind(bound.get(), at, sizeof address) != 0) return {};
  return bound;
}

namespace {

constexpr std::uint32_t bit_of(int group) {
  return 1U << static_cast<unsigned>(group - 1);
}

}  // namespace

Descriptor hear_of_ended_sockets() {
  Descriptor heard(
      ::socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!heard) return {};
  ::setsockopt(heard.get(), SOL_SOCKET, SO_RCVBUF, &kQueueBytes, sizeof kQueueBytes);
  sockaddr_storage raw{};
  sockaddr_nl groups{};
  groups.nl_family = AF_NETLINK;
  groups.nl_groups = bit_of(SKNLGRP_INET_TCP_DESTROY) | bit_of(SKNLGRP_INET6_TCP_DESTROY);
  std::memcpy(&raw, &groups, sizeof groups);
  const auto* at = reinterpret_cast<const sockaddr*>(&raw);
  if (::bind(heard.get(), at, sizeof groups) != 0) return {};
  return heard;
}

EndedSockets take_ended_sockets(int descriptor) {
  EndedSockets ended;
  std::array<char, 8192> datagram;
  for (;;) {
    const ssize_t n = ::recv(descriptor, datagram.data(), datagram.size(), 0);
    if (n > 0) {
      read_datagram(std::span(datagram).first(static_cast<std::size_t>(n)), ended.sockets);
    } else if (n < 0 && errno == ENOBUFS) {
      ended.lost_some = true;
    } else if (n == 0 || errno != EINTR) {
      return ended;
    }
  }
}

}  // namespace mishap::server
