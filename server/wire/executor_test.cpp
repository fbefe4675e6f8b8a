#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/journal/fingerprint.h"
#include "server/wire/executor_fixture.h"

// Answers, waits and what goes on behind them. How exchanges are ended: executor_endings_test.cpp.
namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using End = RawClient::End;
using testing::ElementsAre;
using testing::StartsWith;

TEST_F(ExecutorTest, AnswersAndKeepsTheConnection) {
  begin();
  RawClient client(port());
  for (int i = 0; i < 3; ++i) {
    client.send(get("/"));
    EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
    client.take();
  }
  EXPECT_EQ(client.end(), End::Open);
  const auto seen = engine_->exchanges_once_ended(3);
  for (const SeenExchange& exchange : seen) {
    EXPECT_EQ(exchange.connection, 1U);
    EXPECT_EQ(exchange.receipt.ending, Ending::KeptAlive);
    EXPECT_EQ(exchange.receipt.delivery, Delivery::Complete);
    EXPECT_EQ(exchange.receipt.bytes_planned, kOk.size());
    EXPECT_EQ(exchange.receipt.bytes_written, kOk.size());
    EXPECT_EQ(exchange.receipt.departure, Departure::None);
    ASSERT_TRUE(exchange.receipt.first_write && exchange.receipt.last_write);
    EXPECT_GE(*exchange.receipt.first_write, exchange.first_byte);
    EXPECT_EQ(exchange.receipt.ended, exchange.receipt.last_write);
    EXPECT_EQ(exchange.receipt.bytes_hash, fingerprint(kOk).text());
  }
}

TEST_F(ExecutorTest, ClosesWithFinWhenTheRequestAsksForIt) {
  begin();
  RawClient client(port());
  const Receipt receipt = play(get("/", "Connection: close\r\n"), client);
  EXPECT_EQ(client.take(), kOk);
  EXPECT_EQ(client.end(), End::Fin);
  EXPECT_EQ(receipt.ending, Ending::Finished);
}

TEST_F(ExecutorTest, ClosesWithFinWhenTheAnswerSaysSo) {
  const std::string head = "HTTP/1.1 503 Busy\r\nconnection: close\r\nContent-Length: 0\r\n\r\n";
  apply_with({Send{Part::Head, head}, Finish{}});
  RawClient client(port());
  const Receipt receipt = play(get("/"), client);
  EXPECT_EQ(client.take(), head);
  EXPECT_EQ(client.end(), End::Fin);
  EXPECT_EQ(receipt.ending, Ending::Finished);
  EXPECT_EQ(receipt.delivery, Delivery::Complete);
}

TEST_F(ExecutorTest, AnAnswerWithoutALengthEndsWithTheConnection) {
  const std::string head = "HTTP/1.1 200 OK\r\n\r\n";
  apply_with({Send{Part::Head, head}, Send{Part::Body, "as long as it takes"}, Finish{}});
  RawClient client(port());
  const Receipt receipt = play(get("/"), client);
  EXPECT_EQ(client.take(), head + "as long as it takes");
  EXPECT_EQ(client.end(), End::Fin);
  EXPECT_EQ(receipt.ending, Ending::Finished);
}

TEST_F(ExecutorTest, WaitsAtLeastSoLong) {
  engine_->at_request = [](const RequestHead&) { return Steps{Wait{150ms}, Apply{}}; };
  begin();
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_GE(seen.applied_at - seen.first_byte, 150ms);
  EXPECT_GE(*seen.receipt.first_write, seen.applied_at);
  EXPECT_GE(seen.receipt.lag, 0ns);
  EXPECT_LT(seen.receipt.lag, 10s);
}

TEST_F(ExecutorTest, SendsSlicesAtTheirTimes) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
  apply_with({Send{Part::Head, head}, Send{Part::Body, "0123456789", 3, 50ms}, Finish{}});
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_bytes(head.size() + 10), head + "0123456789");
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  // Slices 0..3: the last one starts three gaps after the first.
  EXPECT_GE(*receipt.last_write - *receipt.first_write, 150ms);
  EXPECT_EQ(receipt.delivery, Delivery::Complete);
  EXPECT_EQ(receipt.ending, Ending::KeptAlive);
}

TEST_F(ExecutorTest, GoesOnWorkingAfterAReset) {
  engine_->at_request = [](const RequestHead&) {
    return Steps{ResetConnection{}, Wait{100ms}, Apply{}};
  };
  begin();
  RawClient client(port());
  client.send(get("/"));
  client.receive_to_end();
  EXPECT_EQ(client.end(), End::Reset);
  EXPECT_TRUE(engine_->wait_until([](const auto& all) { return all.at(0).applied == 1; }));
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_EQ(seen.receipt.ending, Ending::Reset);
  EXPECT_GE(seen.applied_at - *seen.receipt.ended, 100ms);
  EXPECT_EQ(seen.receipt.bytes_written, 0U);
  EXPECT_EQ(seen.receipt.bytes_planned, kOk.size());
  EXPECT_EQ(seen.receipt.delivery, Delivery::Nothing);
  EXPECT_THAT(seen.left, ElementsAre(Departure::None));
}

TEST_F(ExecutorTest, SettlesWhenTheLateEffectHasCome) {
  engine_->at_request = [](const RequestHead&) {
    return Steps{CloseConnection{}, Wait{300ms}, Apply{}};
  };
  begin();
  RawClient client(port());
  client.send(get("/"));
  client.close();
  EXPECT_FALSE(run_->settle(1ms));
  EXPECT_TRUE(run_->settle(20s));
  EXPECT_TRUE(engine_->wait_until([](const auto& all) { return all.at(0).applied == 1; }));
  EXPECT_GE(now(), 300ms);
}

TEST_F(ExecutorTest, IsSettledWhileAStallOrAnIdleConnectionIsLeft) {
  engine_->at_apply = [](const RequestHead& head) {
    if (head.target == "/stall") return Steps{Stall{}};
    return steps(FakeEngine::answer(200, "ok"), {Finish{}});
  };
  begin();
  RawClient idle(port());
  idle.send(get("/"));
  EXPECT_EQ(idle.receive_bytes(kOk.size()), kOk);
  RawClient stalled(port());
  stalled.send(get("/stall"));
  EXPECT_TRUE(run_->settle(20s));
  EXPECT_EQ(engine_->requests(), 2U);
}

TEST_F(ExecutorTest, NoBytesFollowTheHeadOfAHeadRequest) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n";
  engine_->at_apply = [head](const RequestHead& request) {
    if (request.method == "HEAD") return Steps{Send{Part::Head, head}, Finish{}};
    return steps(FakeEngine::answer(200, "ok"), {Finish{}});
  };
  begin();
  RawClient client(port());
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.receive_bytes(head.size()), head);
  client.send(get("/"));
  EXPECT_EQ(client.receive_bytes(head.size() + kOk.size()), head + kOk);
  EXPECT_EQ(engine_->exchanges_once_ended(2).at(0).receipt.delivery, Delivery::Complete);
}

TEST_F(ExecutorTest, ReadsTheRequestAfterAWaitAtAccept) {
  engine_->at_accept = [] { return Steps{Wait{100ms}}; };
  begin();
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
  EXPECT_GE(engine_->exchanges_once_ended(1).at(0).first_byte, 100ms);
}

TEST_F(ExecutorTest, AnEarlyAnswerReachesAClientThatIsStillUploading) {
  engine_->at_head = [](const RequestHead&) {
    return steps(FakeEngine::answer(429, "slow down"), {Finish{}});
  };
  begin();
  RawClient client(port());
  const std::string body(3'000'000, 'u');
  const std::string request = post("/", body);
  EXPECT_EQ(client.send(request), request.size());
  EXPECT_THAT(client.receive_to_end(), StartsWith("HTTP/1.1 429 "));
  EXPECT_EQ(client.end(), End::Fin);
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_EQ(seen.receipt.ending, Ending::Finished);
  EXPECT_EQ(seen.receipt.delivery, Delivery::Complete);
  EXPECT_FALSE(seen.body.has_value());
}

TEST_F(ExecutorTest, ADrainedBodyLeavesTheConnectionUsable) {
  engine_->at_head = [](const RequestHead& head) {
    if (head.method == "GET") return Steps{ReadBody{}};
    return steps(FakeEngine::answer(401, "who"), {Drain{}, Finish{}});
  };
  begin();
  RawClient client(port());
  client.send(post("/", std::string(300'000, 'u')));
  EXPECT_THAT(client.receive_until("who"), StartsWith("HTTP/1.1 401 "));
  client.take();
  client.send(get("/"));
  EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
  EXPECT_EQ(engine_->exchanges_once_ended(2).at(0).receipt.ending, Ending::KeptAlive);
}

}  // namespace
}  // namespace mishap::server
