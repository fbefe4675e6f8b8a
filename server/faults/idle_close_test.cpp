#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;

Connection resting(std::uint64_t exchanges, std::optional<Duration> ended,
                   std::optional<Duration> departed) {
  Connection connection;
  connection.exchanges = exchanges;
  connection.server_ended = ended;
  connection.departed = departed;
  return connection;
}

TEST(IdleClose, BoundsTheRestOfTheConnection) {
  EXPECT_THAT(planned(idle_close_fault(), Point::Idle, {{"after", "80ms"}}),
              EndsWith("finish, rest 80ms"));
  EXPECT_THAT(planned(idle_close_fault(), Point::Idle, {{"by", "rst"}}),
              EndsWith("finish, rest 5s then rst"));
}

TEST(IdleClose, IsProvenByTheConnection) {
  Exchange exchange = answered();
  exchange.on_connection = 1;
  const auto said = [&](const Connection& connection) {
    return proof(idle_close_fault(), Point::Idle, exchange, {}, &connection);
  };
  EXPECT_EQ(said(resting(1, seconds(5) + milliseconds(12), {})), "delivered");
  EXPECT_EQ(said(resting(2, seconds(5) + milliseconds(12), {})), "the next request came before");
  EXPECT_EQ(said(resting(1, {}, {})), "the connection was not ended by the server");
  EXPECT_EQ(said(resting(1, seconds(6), seconds(3))), "the client left first");
  EXPECT_THAT(said(resting(1, seconds(2), {})), HasSubstr("not after 5s"));
  EXPECT_EQ(proof(idle_close_fault(), Point::Idle, exchange), "the connection had not ended yet");
}

}  // namespace
}  // namespace mishap::server
