#include "server/wire/faults_on_the_wire_fixture.h"

// What happens while a request's body is read.
namespace mishap::server {
namespace {

auto ended_in_body(End how, std::uint64_t read) {
  return [how, read](const Sight& s) {
    EXPECT_EQ(s.bytes, "");
    EXPECT_EQ(s.end, how);
    EXPECT_EQ(effects_of_the_first(s), 0U);
    EXPECT_EQ(s.exchange.request.body_bytes, read);
    EXPECT_FALSE(s.exchange.request_read);
  };
}

}  // namespace

std::vector<Row> reading_rows() {
  return {
      {"reset_request_body", "{kind: reset, at: request_body, after: 5B}",
       ended_in_body(End::Reset, 5)},
      {"reset_request_body_at_once", "{kind: reset, at: request_body}",
       ended_in_body(End::Reset, 1)},
      {"close_request_body", "{kind: close, at: request_body, after: 5B}",
       ended_in_body(End::Fin, 5)},
      {"stall_request_body", "{kind: stall, at: request_body, after: 5B}",
       ended_in_body(End::Open, 5), false},
      {"body_that_is_no_longer", "{kind: reset, at: request_body, after: 1KiB}",
       [](const Sight& s) {
         EXPECT_THAT(s.bytes, testing::StartsWith("HTTP/1.1 201"));
         EXPECT_EQ(effects_of_the_first(s), 1U);
       },
       true, false},
      {"slow_read", "{kind: slow_read, slice: 10B, gap: 30ms}",
       [](const Sight& s) {
         EXPECT_THAT(s.bytes, testing::StartsWith("HTTP/1.1 201"));
         EXPECT_GE(s.first_byte, 85ms) << "35 bytes are four slices";
         EXPECT_GE(*s.exchange.request_read - *s.exchange.head_read, 90ms);
         EXPECT_EQ(effects_of_the_first(s), 1U);
       }},
      {"slow_read_until_the_client_left", "{kind: slow_read, gap: 50ms}",
       [](const Sight& s) {
         EXPECT_EQ(s.bytes, "");
         EXPECT_EQ(s.exchange.receipt.ending, Ending::ClientLeft);
         EXPECT_GE(s.exchange.request.body_bytes, 3U);
         EXPECT_LT(s.exchange.request.body_bytes, kBody.size());
         EXPECT_EQ(effects_of_the_first(s), 0U);
       },
       false},
  };
}

INSTANTIATE_TEST_SUITE_P(Reading, FaultOnTheWire, testing::ValuesIn(reading_rows()),
                         [](const auto& row) { return row.param.name; });

class SlowReading : public FaultOnTheWire {};

// A body that no buffer takes: the client's own writing comes to a halt.
TEST_F(SlowReading, BlocksAClientThatSendsMuch) {
  begin("{kind: slow_read, slice: 1KiB, gap: 1s}");
  RawClient client(port());
  const std::string much(64UL * 1024 * 1024, 'x');
  const std::string head =
      "POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Length: 12000000\r\n\r\n";
  EXPECT_LT(client.send_for(head + much.substr(0, 12'000'000), 500ms), 12'000'000U);
  client.close();
  next_request_is_clean();
  Sight sight;
  const auto hits = take_journal(sight);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_TRUE(hits.at(0).delivered) << hits.at(0).shortfall;
}

TEST_F(SlowReading, AnswersABodyThatIsWrong) {
  begin("{kind: slow_read, slice: 2B, gap: 20ms}");
  RawClient client(port());
  client.send(
      "POST /v1/bookings HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4\r\n{\"a\"\r\nno size\r\n");
  EXPECT_THAT(client.receive_until("\r\n\r\n"), testing::StartsWith("HTTP/1.1 400"));
  client.close();
  next_request_is_clean();
}

TEST_F(SlowReading, TakesAChunkedBodyAsWell) {
  begin("{kind: slow_read, slice: 2B, gap: 20ms}");
  RawClient client(port());
  const Duration sent = clock_.now();
  client.send(
      "POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n");
  EXPECT_THAT(client.receive_until("\r\n\r\n"), testing::StartsWith("HTTP/1.1 201"));
  EXPECT_GE(clock_.now() - sent, 60ms) << "seven bytes are four slices";
  client.close();
  Sight sight;
  const auto hits = take_journal(sight);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_TRUE(hits.at(0).delivered) << hits.at(0).shortfall;
}

}  // namespace mishap::server
