#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/wire/wire_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using End = RawClient::End;
using testing::AnyOf;
using testing::ElementsAre;

// What happens when the client goes away, at every place where it can.
class DepartureTest : public WireTest {
 protected:
  void expect_each_ended_once(std::size_t connections) {
    for (const SeenConnection& seen : engine_->connections_once_ended(connections)) {
      EXPECT_EQ(seen.ended, 1);
    }
    for (const SeenExchange& seen : engine_->exchanges_once_ended(0)) EXPECT_EQ(seen.ended, 1);
  }
};

enum class Leave { Close, Reset, HalfClose };

TEST_F(DepartureTest, AtEveryByteOfARequestEveryExchangeEndsOnce) {
  const std::string request = post("/bookings", "{\"a\":1}", "Expect: 100-continue\r\n") + get("/");
  begin();
  std::size_t connections = 0;
  for (const Leave leave : {Leave::Close, Leave::Reset, Leave::HalfClose}) {
    for (std::size_t length = 0; length <= request.size(); ++length) {
      RawClient client(port());
      client.send(std::string_view(request).substr(0, length));
      ++connections;
      if (leave == Leave::Reset) client.reset();
      if (leave == Leave::Close) client.close();
      if (leave != Leave::HalfClose) continue;
      client.send_fin();
      client.receive_to_end();
      EXPECT_EQ(client.end(), End::Fin) << length;
    }
  }
  expect_each_ended_once(connections);
}

TEST_F(DepartureTest, AtEveryStepEveryExchangeEndsOnce) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
  const std::vector<Step> all = {Wait{5ms},
                                 Send{Part::Head, head},
                                 Wait{5ms},
                                 Send{Part::Body, "123456789", 2, 2ms},
                                 AwaitAcknowledged{},
                                 Drain{},
                                 Finish{}};
  for (std::size_t stall_at = 0; stall_at <= all.size(); ++stall_at) {
    for (const Leave leave : {Leave::Close, Leave::Reset}) {
      engine_ = std::make_shared<FakeEngine>();
      engine_->at_apply = [&](const RequestHead&) {
        Steps steps(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(stall_at));
        if (stall_at < all.size()) steps.emplace_back(Stall{});
        return steps;
      };
      begin();
      RawClient client(port());
      client.send(get("/"));
      client.receive_for(2ms);
      leave == Leave::Close ? client.close() : client.reset();
      expect_each_ended_once(1);
      run_->end();
      EXPECT_EQ(engine_->calls_after_close(), 0);
    }
  }
}

TEST_F(DepartureTest, DoesNotCutAWaitShortAndLosesTheAnswer) {
  engine_->at_request = [](const RequestHead&) { return Steps{Wait{300ms}, Apply{}}; };
  begin();
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_for(50ms), "");
  client.close();
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_EQ(seen.applied, 1);
  EXPECT_GE(seen.applied_at - seen.first_byte, 300ms);
  ASSERT_TRUE(seen.receipt.departed.has_value());
  EXPECT_LT(*seen.receipt.departed, seen.applied_at);
  EXPECT_EQ(seen.receipt.ending, Ending::ClientLeft);
  EXPECT_EQ(seen.receipt.departure, Departure::Rst) << "the answer met a closed socket";
  EXPECT_EQ(seen.receipt.bytes_written, 0U);
  EXPECT_EQ(seen.receipt.delivery, Delivery::Nothing);
  EXPECT_EQ(seen.receipt.bytes_planned, kOk.size());
  EXPECT_THAT(seen.left, ElementsAre(Departure::Fin, Departure::Rst));
}

TEST_F(DepartureTest, InTheInstantBeforeTheAnswerIsStillSeen) {
  RawClient client;
  // On the I/O thread, so that nobody can have told the executor when it begins to write.
  engine_->at_apply = [&client](const RequestHead&) {
    client.close();
    return steps(FakeEngine::answer(200, "ok"), {Finish{}});
  };
  begin();
  client.connect(port());
  client.send(get("/"));
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.delivery, Delivery::Nothing);
  EXPECT_EQ(receipt.ending, Ending::ClientLeft);
  EXPECT_EQ(receipt.departure, Departure::Rst);
}

TEST_F(DepartureTest, TellsAResetFromAFinWhileInputIsUnread) {
  engine_->at_head = [](const RequestHead&) { return Steps{Stall{}}; };
  begin();
  for (const Leave leave : {Leave::HalfClose, Leave::Reset}) {
    RawClient client(port());
    client.send(post("/", std::string(5000, 'x')));
    const std::size_t number = leave == Leave::HalfClose ? 1 : 2;
    EXPECT_TRUE(engine_->wait_until([&](const auto& all) { return all.size() == number; }));
    leave == Leave::HalfClose ? client.send_fin() : client.reset();
    const Receipt receipt = engine_->exchanges_once_ended(number).back().receipt;
    // Whether the stall had begun already is the machine's affair.
    EXPECT_THAT(receipt.ending, AnyOf(Ending::Stalled, Ending::ClientLeft));
    EXPECT_EQ(receipt.departure, leave == Leave::HalfClose ? Departure::Fin : Departure::Rst);
  }
}

TEST_F(DepartureTest, AHalfClosedClientStillGetsItsAnswer) {
  engine_->at_request = [](const RequestHead&) { return Steps{Wait{100ms}, Apply{}}; };
  begin();
  RawClient client(port());
  client.send(get("/"));
  client.send_fin();
  EXPECT_EQ(client.receive_to_end(), kOk);
  EXPECT_EQ(client.end(), End::Fin);
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.departure, Departure::Fin);
  EXPECT_EQ(receipt.delivery, Delivery::Complete);
  EXPECT_EQ(receipt.bytes_written, kOk.size());
  EXPECT_LT(*receipt.departed, *receipt.first_write);
}

TEST_F(DepartureTest, InTheMiddleOfAnAnswerStopsIt) {
  engine_->at_apply = [](const RequestHead&) {
    return steps(FakeEngine::answer(200, std::string(50'000'000, 'x')), {Finish{}});
  };
  begin();
  RawClient client(port(), 4096);
  client.send(get("/"));
  client.receive_bytes(1000);
  client.close();  // with unread input: a RST
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.ending, Ending::ClientLeft);
  EXPECT_EQ(receipt.departure, Departure::Rst);
  EXPECT_EQ(receipt.delivery, Delivery::PartOfBody);
  EXPECT_LT(receipt.bytes_written, receipt.bytes_planned);
  EXPECT_EQ(receipt.ended, receipt.departed);
}

TEST_F(DepartureTest, BetweenSlicesEndsThem) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
  engine_->at_apply = [head](const RequestHead&) {
    return Steps{Send{Part::Head, head}, Send{Part::Body, std::string(1000, 'd'), 1, 100ms},
                 Finish{}};
  };
  begin();
  RawClient client(port());
  client.send(get("/"));
  client.receive_bytes(head.size() + 2);
  client.reset();
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.ending, Ending::ClientLeft);
  EXPECT_EQ(receipt.delivery, Delivery::PartOfBody);
  EXPECT_LT(receipt.bytes_written, head.size() + 20);
}

TEST_F(DepartureTest, BeforeAScriptedResetTheClientIsTheOneWhoLeft) {
  engine_->at_apply = [](const RequestHead&) { return Steps{Wait{200ms}, ResetConnection{}}; };
  begin();
  RawClient client(port());
  client.send(get("/"));
  client.receive_for(20ms);
  client.close();
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.ending, Ending::ClientLeft);
  EXPECT_EQ(receipt.ended, receipt.departed);
}

TEST_F(DepartureTest, WithAnUnfinishedBodyTheRequestNeverTakesEffect) {
  begin();
  RawClient client(port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  client.close();
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_FALSE(seen.body.has_value());
  EXPECT_EQ(seen.applied, 0);
  EXPECT_EQ(seen.body_bytes, 3U);
  EXPECT_EQ(seen.receipt.ending, Ending::ClientLeft);
  EXPECT_EQ(seen.receipt.bytes_planned, 0U);
}

}  // namespace
}  // namespace mishap::server
