#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

// The faults that are about the connection rather than the answer: its invitation, its rest.
namespace mishap::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;

const Steps kAsked = {Send{Part::Interim, "HTTP/1.1 100 Continue\r\n\r\n", 0, {}}, ReadBody{}};

std::string invited(const Written& written) {
  return planned(expect_continue_fault(), Point::RequestHead, Moment::Head, written, kAsked);
}

TEST(ExpectContinue, IsNotAnsweredOrOften) {
  const std::string one = R"(send interim "HTTP/1.1 100 Continue\r\n\r\n" | )";
  EXPECT_EQ(invited({}), "read_body");
  EXPECT_EQ(invited({{"how", "repeated"}, {"count", "2"}}), one + one + "read_body");
  EXPECT_EQ(planned(expect_continue_fault(), Point::RequestHead), "read_body");
}

TEST(ExpectContinue, NeedsAClientThatAsks) {
  const auto asking = [](std::uint64_t interim) {
    return changed(answered(), [interim](Exchange& e) {
      e.request.headers.push_back({"expect", "100-continue", false});
      e.receipt.interim_bytes = interim;
    });
  };
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, answered()),
            "the request did not ask for a 100");
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, asking(0)), "delivered");
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, asking(25)), "a 100 was sent");
  const Written often = {{"how", "repeated"}, {"count", "2"}};
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, asking(25), often),
            "fewer 100 went out than scripted");
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, asking(50), often), "delivered");
}

TEST(KeepAlive, IsSaidInTheHead) {
  EXPECT_THAT(planned(keep_alive_fault(), Point::ResponseHead, {{"timeout", "7s"}, {"max", "3"}}),
              HasSubstr("[Keep-Alive: timeout=7, max=3]"));
  EXPECT_THAT(planned(keep_alive_fault(), Point::ResponseHead),
              HasSubstr("[Keep-Alive: timeout=5]"));
}

TEST(IdleClose, BoundsTheRestOfTheConnection) {
  EXPECT_THAT(planned(idle_close_fault(), Point::Idle, {{"after", "80ms"}}),
              EndsWith("finish, rest 80ms"));
  EXPECT_THAT(planned(idle_close_fault(), Point::Idle, {{"by", "rst"}}),
              EndsWith("finish, rest 5s then rst"));
}

Connection resting(std::uint64_t exchanges, std::optional<Duration> ended,
                   std::optional<Duration> departed) {
  Connection connection;
  connection.exchanges = exchanges;
  connection.server_ended = ended;
  connection.departed = departed;
  return connection;
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
