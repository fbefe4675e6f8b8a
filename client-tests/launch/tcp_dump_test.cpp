#include "client-tests/launch/tcp_dump.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "client-tests/launch/file_descriptor.h"

namespace mishap::client_tests {
namespace {

std::uint64_t inode_of(const FileDescriptor& socket) {
  struct stat facts {};
  ::fstat(socket.get(), &facts);
  return facts.st_ino;
}

sockaddr_in6 six_loopback() {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  return address;
}

// Asked without the code that is tested, so that one which gives nothing is not passed over.
bool may_ask_the_kernel() {
  return static_cast<bool>(
      FileDescriptor(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)));
}

sockaddr_in four_loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A v4 client as a socket for v6 shows it.
sockaddr_in6 mapped(const sockaddr_in& four) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = four.sin_port;
  const std::array<std::uint8_t, 16> bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
  std::copy(bytes.begin(), bytes.end(), std::begin(address.sin6_addr.s6_addr));
  return address;
}

// A listener, and a connection to it of which both ends are ours. None where the family is not
// there.
template <typename Address>
std::vector<FileDescriptor> listener_with_a_connection(int family, Address address) {
  std::vector<FileDescriptor> sockets;
  sockets.emplace_back(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  socklen_t size = sizeof address;
  auto* at = reinterpret_cast<sockaddr*>(&address);
  const int listener = sockets[0].get();
  if (!sockets[0] || ::bind(listener, at, size) != 0 || ::listen(listener, 1) != 0) return {};
  ::getsockname(listener, at, &size);
  sockets.emplace_back(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(sockets[1].get(), at, size) != 0) return {};
  sockets.emplace_back(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  return sockets;
}

std::vector<TcpSocket> by_inode(std::vector<TcpSocket> sockets) {
  std::ranges::sort(sockets, {}, &TcpSocket::inode);
  return sockets;
}

// While sockets of others come and go the text may leave one out: it is read again until it has
// them all.
std::vector<TcpSocket> read_whole_table(const std::vector<std::uint64_t>& wanted) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::vector<TcpSocket> read;
  do {
    read = read_tcp_table(wanted);
  } while (read.size() < wanted.size() && std::chrono::steady_clock::now() < deadline);
  return by_inode(std::move(read));
}

// The text of /proc is what the dump has to agree with.
void expect_the_same(const std::vector<FileDescriptor>& sockets) {
  std::vector<std::uint64_t> wanted;
  for (const auto& socket : sockets) wanted.push_back(inode_of(socket));
  std::ranges::sort(wanted);
  const auto dumped = dump_tcp_sockets(wanted);
  if (!may_ask_the_kernel()) GTEST_SKIP() << "the kernel may not be asked for sockets here";
  ASSERT_TRUE(dumped);
  const auto told = by_inode(*dumped);
  const auto read = read_whole_table(wanted);
  ASSERT_EQ(told.size(), sockets.size());
  ASSERT_EQ(read.size(), sockets.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].inode, read[i].inode);
    EXPECT_EQ(told[i].local, read[i].local);
    EXPECT_EQ(told[i].remote, read[i].remote);
    EXPECT_EQ(told[i].listening, read[i].listening);
    EXPECT_EQ(told[i].half_closed, read[i].half_closed);
  }
  EXPECT_EQ(std::ranges::count(told, true, &TcpSocket::listening), 1);
}

TEST(TcpDump, SaysOfAConnectionWhatTheTextSays) {
  const auto sockets = listener_with_a_connection(AF_INET, four_loopback());
  ASSERT_EQ(sockets.size(), 3U);
  expect_the_same(sockets);
}

TEST(TcpDump, SaysTheSameOverIpv6) {
  const auto sockets = listener_with_a_connection(AF_INET6, six_loopback());
  if (sockets.empty()) GTEST_SKIP() << "this machine has no IPv6";
  expect_the_same(sockets);
}

TEST(TcpDump, TellsAV4AddressInV6FormAsV4) {
  const auto sockets = listener_with_a_connection(AF_INET6, mapped(four_loopback()));
  if (sockets.empty()) GTEST_SKIP() << "this machine has no IPv6";
  expect_the_same(sockets);
}

TEST(TcpDump, TellsOnlyOfWhatIsWanted) {
  const auto sockets = listener_with_a_connection(AF_INET, four_loopback());
  ASSERT_EQ(sockets.size(), 3U);
  const auto told = dump_tcp_sockets({inode_of(sockets[1])});
  if (!may_ask_the_kernel()) GTEST_SKIP() << "the kernel may not be asked for sockets here";
  ASSERT_TRUE(told);
  ASSERT_EQ(told->size(), 1U);
  EXPECT_EQ(told->front().inode, inode_of(sockets[1]));
}

// More sockets than go into one datagram of the kernel's.
TEST(TcpDump, TellsOfManyAtOnce) {
  std::vector<FileDescriptor> sockets;
  std::vector<std::uint64_t> wanted;
  for (int i = 0; i < 300; ++i) {
    for (auto& socket : listener_with_a_connection(AF_INET, four_loopback())) {
      wanted.push_back(inode_of(socket));
      sockets.push_back(std::move(socket));
    }
  }
  std::ranges::sort(wanted);
  const auto told = dump_tcp_sockets(wanted);
  if (!may_ask_the_kernel()) GTEST_SKIP() << "the kernel may not be asked for sockets here";
  ASSERT_TRUE(told);
  EXPECT_EQ(told->size(), wanted.size());
}

}  // namespace
}  // namespace mishap::client_tests
