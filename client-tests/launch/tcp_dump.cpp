#include "client-tests/launch/tcp_dump.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "client-tests/launch/file_descriptor.h"

namespace mishap::client_tests {
namespace {

constexpr std::uint32_t bit_of(int state) {
  return 1U << static_cast<unsigned>(state);
}

// All but TIME_WAIT, which belongs to nobody any more, and what is neither connected nor listens.
constexpr std::uint32_t kStates = bit_of(TCP_ESTABLISHED) | bit_of(TCP_SYN_SENT) |
                                  bit_of(TCP_SYN_RECV) | bit_of(TCP_FIN_WAIT1) |
                                  bit_of(TCP_FIN_WAIT2) | bit_of(TCP_CLOSE_WAIT) |
                                  bit_of(TCP_LAST_ACK) | bit_of(TCP_LISTEN) | bit_of(TCP_CLOSING);

struct Request {
  nlmsghdr header{};
  inet_diag_req_v2 asked{};
};

template <typename T>
std::optional<T> read_as(std::span<const char> bytes) {
  T value{};
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

FileDescriptor open_diag() {
  FileDescriptor diag(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  // A dump is there when it was asked for; nobody waits for a kernel that is otherwise.
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  if (diag) ::setsockopt(diag.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return diag;
}

bool ask(int diag, int family) {
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.asked.sdiag_family = static_cast<std::uint8_t>(family);
  request.asked.sdiag_protocol = IPPROTO_TCP;
  request.asked.idiag_states = kStates;
  return ::send(diag, &request, sizeof request, 0) == sizeof request;
}

// A v4 address in v6 form is told as v4.
std::string text_of(int family, const std::uint32_t* words) {
  const in6_addr six = [&] {
    in6_addr address{};
    std::memcpy(&address, words, sizeof address);
    return address;
  }();
  const bool is_mapped = family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six);
  const bool is_four = family == AF_INET || is_mapped;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = is_mapped ? words + 3 : words;
  ::inet_ntop(is_four ? AF_INET : AF_INET6, bytes, text.data(), text.size());
  return text.data();
}

TcpSocket socket_of(const inet_diag_msg& told) {
  TcpSocket socket;
  socket.inode = told.idiag_inode;
  socket.local = {text_of(told.idiag_family, told.id.idiag_src), ntohs(told.id.idiag_sport)};
  socket.remote = {text_of(told.idiag_family, told.id.idiag_dst), ntohs(told.id.idiag_dport)};
  socket.listening = told.idiag_state == TCP_LISTEN;
  socket.connecting = told.idiag_state == TCP_SYN_SENT;
  socket.half_closed = told.idiag_state == TCP_CLOSE_WAIT;
  return socket;
}

// What a dump has told so far.
struct Told {
  bool over = false;
  bool refused = false;
};

void read_datagram(std::span<const char> datagram, const std::vector<std::uint64_t>& wanted,
                   std::vector<TcpSocket>& sockets, Told& told) {
  while (const auto header = read_as<nlmsghdr>(datagram)) {
    const std::size_t length = header->nlmsg_len;
    if (length < NLMSG_HDRLEN || length > datagram.size()) return;
    told.refused = told.refused || header->nlmsg_type == NLMSG_ERROR;
    told.over = told.over || header->nlmsg_type == NLMSG_DONE;
    const auto one = read_as<inet_diag_msg>(datagram.first(length).subspan(NLMSG_HDRLEN));
    if (header->nlmsg_type == SOCK_DIAG_BY_FAMILY && one &&
        std::ranges::binary_search(wanted, std::uint64_t{one->idiag_inode})) {
      sockets.push_back(socket_of(*one));
    }
    datagram = datagram.subspan(std::min(datagram.size(), std::size_t{NLMSG_ALIGN(length)}));
  }
}

bool dump(int diag, int family, const std::vector<std::uint64_t>& wanted,
          std::vector<TcpSocket>& sockets) {
  if (!ask(diag, family)) return false;
  std::array<char, 32 * 1024> datagram;
  Told told;
  while (!told.over && !told.refused) {
    const ssize_t got = ::recv(diag, datagram.data(), datagram.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    read_datagram(std::span(datagram).first(static_cast<std::size_t>(got)), wanted, sockets, told);
  }
  return !told.refused;
}

}  // namespace

std::optional<std::vector<TcpSocket>> dump_tcp_sockets(const std::vector<std::uint64_t>& wanted) {
  const FileDescriptor diag = open_diag();
  std::vector<TcpSocket> sockets;
  if (!diag || !dump(diag.get(), AF_INET, wanted, sockets)) return std::nullopt;
  // A machine without IPv6 refuses that, and has none.
  dump(diag.get(), AF_INET6, wanted, sockets);
  return sockets;
}

}  // namespace mishap::client_tests
