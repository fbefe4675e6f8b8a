#include "client-tests/launch/socket_book.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

using std::chrono::milliseconds;
using Texts = std::vector<std::string>;

constexpr Port kServer = 8080;
constexpr const char* kHere = "127.0.0.1";

TcpSocket socket_to(std::uint64_t inode, Port local, const char* address, Port port) {
  return {inode, {kHere, local}, {address, port}, false};
}

TcpSocket listener(std::uint64_t inode, Port port) {
  return {inode, {kHere, port}, {"0.0.0.0", 0}, true};
}

TEST(SocketBook, FollowsASocketToTheServer) {
  SocketBook book({kServer});
  const auto socket = socket_to(1, 50000, kHere, kServer);
  book.note({socket}, milliseconds(100), milliseconds(110));
  book.note({socket}, milliseconds(150), milliseconds(160));
  book.note({}, milliseconds(200), milliseconds(210));
  ASSERT_EQ(book.to_server().size(), 1U);
  const auto seen = book.to_server().front();
  EXPECT_EQ(seen.local_port, 50000);
  EXPECT_EQ(seen.first_seen, milliseconds(110));
  EXPECT_EQ(seen.last_seen, milliseconds(150));
  EXPECT_TRUE(book.foreign_addresses().empty());
}

TcpSocket connecting(TcpSocket socket) {
  socket.connecting = true;
  return socket;
}

TcpSocket half_closed(TcpSocket socket) {
  socket.half_closed = true;
  return socket;
}

TEST(SocketBook, TellsHowLongASocketWaitedForItsConnect) {
  SocketBook book({kServer});
  const auto socket = socket_to(1, 50000, kHere, kServer);
  EXPECT_EQ(book.note({connecting(socket)}, milliseconds(100), milliseconds(110)), 1U);
  EXPECT_EQ(book.to_server().front().connecting_until, milliseconds(110));
  book.note({connecting(socket)}, milliseconds(150), milliseconds(160));
  book.note({socket}, milliseconds(200), milliseconds(210));
  EXPECT_EQ(book.to_server().front().connecting_until, milliseconds(150));
  EXPECT_EQ(book.to_server().front().last_seen, milliseconds(200));
}

TEST(SocketBook, TellsSinceWhenOnlyTheClientHoldsASocket) {
  SocketBook book({kServer});
  const auto socket = socket_to(1, 50000, kHere, kServer);
  book.note({socket}, milliseconds(100), milliseconds(110));
  EXPECT_FALSE(book.to_server().front().half_closed_since);
  book.note({half_closed(socket)}, milliseconds(150), milliseconds(160));
  book.note({half_closed(socket)}, milliseconds(200), milliseconds(210));
  EXPECT_EQ(book.to_server().front().half_closed_since, milliseconds(150));
  EXPECT_EQ(book.note({}, milliseconds(250), milliseconds(260)), 0U);
  EXPECT_EQ(book.to_server().front().last_seen, milliseconds(200));
}

TEST(SocketBook, TellsTwoSocketsWithOnePortApart) {
  SocketBook book({kServer});
  book.note({socket_to(1, 50000, kHere, kServer)}, milliseconds(1), milliseconds(2));
  book.note({socket_to(2, 50000, "::1", kServer)}, milliseconds(3), milliseconds(4));
  EXPECT_EQ(book.to_server().size(), 2U);
}

TEST(SocketBook, NamesPeersElsewhereOnceEach) {
  SocketBook book({kServer});
  book.note({socket_to(1, 50000, "203.0.113.7", 443), socket_to(2, 50001, "203.0.113.7", 443),
             socket_to(3, 50002, "2001:db8::1", 443), socket_to(4, 50003, kHere, 8000),
             socket_to(5, 50004, "203.0.113.7", kServer)},
            milliseconds(1), milliseconds(2));
  EXPECT_EQ(book.foreign_addresses(),
            (Texts{"203.0.113.7:443", "[2001:db8::1]:443", "127.0.0.1:8000", "203.0.113.7:8080"}));
  EXPECT_TRUE(book.to_server().empty());
}

TEST(SocketBook, PassesOverWhatTheTreeDoesWithItself) {
  SocketBook book({kServer});
  // A helper calls a port of the tree; the listener is gone at the second look.
  book.note({listener(1, 9000), socket_to(2, 50000, kHere, 9000)}, milliseconds(1),
            milliseconds(2));
  book.note({socket_to(3, 50001, kHere, 9000)}, milliseconds(3), milliseconds(4));
  // A pair whose listener was never seen.
  book.note({socket_to(4, 50002, kHere, 9100), socket_to(5, 9100, kHere, 50002)}, milliseconds(5),
            milliseconds(6));
  // Somebody else calls the tree.
  book.note({socket_to(6, 9000, kHere, 50009)}, milliseconds(7), milliseconds(8));
  EXPECT_EQ(book.foreign_addresses(), Texts{});
}

TEST(SocketBook, NamesAtMostSixteen) {
  SocketBook book({kServer});
  for (int i = 1; i <= 40; ++i) {
    const std::string address = "203.0.113." + std::to_string(i);
    book.note({socket_to(1, 50000, address.c_str(), 443)}, milliseconds(i), milliseconds(i));
  }
  EXPECT_EQ(book.foreign_addresses().size(), 16U);
}

}  // namespace
}  // namespace mishap::client_tests
