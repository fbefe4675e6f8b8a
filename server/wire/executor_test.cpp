#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/wire/wire_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using End = RawClient::End;
using testing::ElementsAre;
using testing::StartsWith;

class ExecutorTest : public WireTest {
 protected:
  // One request, whose answer is read to the end of the connection.
  Receipt play(const std::string& request, RawClient& client) {
    client.send(request);
    client.receive_to_end();
    return engine_->exchanges_once_ended(1).at(0).receipt;
  }
  void apply_with(Steps steps) {
    engine_->at_apply = [steps](const RequestHead&) { return steps; };
    begin();
  }
};

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
    // sha256sum of kOk.
    EXPECT_EQ(exchange.receipt.bytes_hash,
              "543120774fca54420e7ae46b03737c1e06573c03ab298f36fcc0fba19948d1c8");
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

struct ResetCase {
  const char* name;
  std::string request;
  Steps before;
  std::string delivered;
};

TEST_F(ExecutorTest, ResetIsMetAsConnectionReset) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
  const std::vector<ResetCase> cases = {
      {"nothing written", get("/"), {}, ""},
      {"part of a head",
       get("/"),
       {Send{Part::Head, "HTTP/1.1 2"}, AwaitAcknowledged{}},
       "HTTP/1.1 2"},
      {"part of a body",
       post("/", "{}"),
       {Send{Part::Head, head}, Send{Part::Body, "0123456789"}, AwaitAcknowledged{}},
       head + "0123456789"},
      {"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", {}, ""},
      {"more requests unread", get("/") + get("/2") + get("/3"), {}, ""},
  };
  std::atomic<std::size_t> playing = 0;
  engine_->at_apply = [&](const RequestHead&) {
    return steps(cases.at(playing).before, {ResetConnection{}});
  };
  begin();
  std::size_t count = 0;
  for (const ResetCase& one : cases) {
    SCOPED_TRACE(one.name);
    playing = count;
    RawClient client(port());
    client.send(one.request);
    EXPECT_EQ(client.receive_to_end(), one.delivered);
    EXPECT_EQ(client.end(), End::Reset);
    const Receipt receipt = engine_->exchanges_once_ended(++count).back().receipt;
    EXPECT_EQ(receipt.ending, Ending::Reset);
    EXPECT_EQ(receipt.bytes_written, one.delivered.size());
    EXPECT_TRUE(receipt.ended.has_value());
  }
}

TEST_F(ExecutorTest, ResetsAfterAKeptAliveAnswer) {
  int calls = 0;
  engine_->at_apply = [&calls](const RequestHead&) {
    if (++calls == 1) return steps(FakeEngine::answer(200, "ok"), {Finish{}});
    return Steps{ResetConnection{}};
  };
  begin();
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
  client.take();
  client.send(get("/"));
  EXPECT_EQ(client.receive_to_end(), "");
  EXPECT_EQ(client.end(), End::Reset);
}

// Between fork and exec a child holds a copy of every socket, and then close() alone says nothing.
TEST_F(ExecutorTest, EndsAtOnceWhileAChildHoldsACopyOfTheSocket) {
  engine_->at_apply = [](const RequestHead& head) {
    if (head.target == "/reset") return Steps{ResetConnection{}};
    if (head.target == "/close") return Steps{CloseConnection{}};
    return steps(FakeEngine::answer(200, "ok"), {Finish{}});
  };
  patience_.linger = 60s;
  begin();
  RawClient first(port());
  RawClient second(port());
  for (RawClient* client : {&first, &second}) {
    client->send(get("/"));
    EXPECT_EQ(client->receive_bytes(kOk.size()), kOk);
  }
  std::array<int, 2> leash{};
  ASSERT_EQ(::pipe(leash.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(leash[1]);
    char byte = 0;
    while (::read(leash[0], &byte, 1) > 0) {
    }
    ::_exit(0);
  }
  first.send(get("/reset"));
  first.receive_to_end();
  EXPECT_EQ(first.end(), End::Reset);
  second.send(get("/close"));
  second.receive_to_end();
  EXPECT_EQ(second.end(), End::Fin);
  ::close(leash[0]);
  ::close(leash[1]);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_F(ExecutorTest, ResetsWhileTheRequestsBodyIsUnread) {
  engine_->at_head = [](const RequestHead&) { return Steps{ResetConnection{}}; };
  begin();
  RawClient client(port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" +
              std::string(1000, 'x'));
  EXPECT_EQ(client.receive_to_end(), "");
  EXPECT_EQ(client.end(), End::Reset);
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_FALSE(seen.body.has_value());
  EXPECT_EQ(seen.receipt.ending, Ending::Reset);
  EXPECT_EQ(seen.receipt.delivery, Delivery::Nothing);
}

TEST_F(ExecutorTest, ReadsSoMuchOfTheBodyThenResets) {
  engine_->at_head = [](const RequestHead&) { return Steps{ReadBody{7}, ResetConnection{}}; };
  begin();
  RawClient client(port());
  client.send(post("/", "0123456789"));
  client.receive_to_end();
  EXPECT_EQ(client.end(), End::Reset);
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_EQ(seen.body_bytes, 7U);
  EXPECT_FALSE(seen.body.has_value());
}

TEST_F(ExecutorTest, CloseIsACleanFinWithNothingBefore) {
  engine_->at_request = [](const RequestHead&) { return Steps{CloseConnection{}}; };
  patience_.linger = 60s;  // so that it is the FIN which is met, and not the close that follows
  begin();
  RawClient client(port());
  client.send(post("/", "{}") + get("/unread"));
  EXPECT_EQ(client.receive_to_end(), "");
  EXPECT_EQ(client.end(), End::Fin);
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.ending, Ending::Closed);
  EXPECT_EQ(receipt.delivery, Delivery::Nothing);
  EXPECT_FALSE(receipt.first_write.has_value());
  EXPECT_EQ(receipt.bytes_hash, "");
}

TEST_F(ExecutorTest, TruncatesTheBodyAndTheReceiptSaysPartOfIt) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
  apply_with({Send{Part::Head, head}, Send{Part::Body, "{\"id\":"}, CloseConnection{}});
  RawClient client(port());
  const Receipt receipt = play(get("/"), client);
  EXPECT_EQ(client.take(), head + "{\"id\":");
  EXPECT_EQ(client.end(), End::Fin);
  EXPECT_EQ(receipt.ending, Ending::Closed);
  EXPECT_EQ(receipt.delivery, Delivery::PartOfBody);
  EXPECT_EQ(receipt.bytes_planned, receipt.bytes_written);
}

TEST_F(ExecutorTest, AResetLetsMegabytesArriveWhenItAwaitsTheirAcknowledgement) {
  const std::string body(3'000'000, 'b');
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n";
  apply_with(
      {Send{Part::Head, head}, Send{Part::Body, body}, AwaitAcknowledged{}, ResetConnection{}});
  RawClient client(port());
  const Receipt receipt = play(get("/"), client);
  EXPECT_EQ(client.take().size(), head.size() + body.size());
  EXPECT_EQ(client.end(), End::Reset);
  EXPECT_EQ(receipt.bytes_written, head.size() + body.size());
}

TEST_F(ExecutorTest, StallIsOpenAndSilentUntilTheClientLeaves) {
  apply_with({Stall{}});
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_for(300ms), "");
  EXPECT_EQ(client.end(), End::Open);
  client.close();
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.ending, Ending::Stalled);
  EXPECT_EQ(receipt.departure, Departure::Fin);
  EXPECT_GE(*receipt.departed, 300ms);
  EXPECT_EQ(receipt.delivery, Delivery::Nothing);
}

TEST_F(ExecutorTest, AHalfClosedConnectionIsHeldUntilTheClientLeaves) {
  const std::string part = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12";
  apply_with({Send{Part::Head, part}, CloseConnection{.half = true}});
  for (const bool by_reset : {false, true}) {
    RawClient client(port());
    client.send(get("/"));
    EXPECT_EQ(client.receive_to_end(), part);
    EXPECT_EQ(client.end(), End::Fin);
    by_reset ? client.reset() : client.close();
    EXPECT_EQ(engine_->connections_once_ended(by_reset ? 2 : 1).back().ended, 1);
  }
}

TEST_F(ExecutorTest, StallsAfterTheHead) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  apply_with({Send{Part::Head, head}, Stall{}});
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_for(200ms), head);
  EXPECT_EQ(client.end(), End::Open);
  client.reset();
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.ending, Ending::Stalled);
  EXPECT_EQ(receipt.departure, Departure::Rst);
  EXPECT_EQ(receipt.delivery, Delivery::PartOfBody);
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

struct AcceptCase {
  const char* name;
  Steps at_accept;
  End end;
};

TEST_F(ExecutorTest, EndsAnAcceptedConnectionBeforeItsFirstByte) {
  const std::vector<AcceptCase> cases = {
      {"FIN", {CloseConnection{}}, End::Fin},
      {"RST", {ResetConnection{}}, End::Reset},
      {"FIN after a while", {Wait{50ms}, CloseConnection{}}, End::Fin},
  };
  std::atomic<std::size_t> playing = 0;
  engine_->at_accept = [&] { return cases.at(playing).at_accept; };
  begin();
  for (const AcceptCase& one : cases) {
    SCOPED_TRACE(one.name);
    RawClient client(port());
    EXPECT_EQ(client.receive_to_end(), "");
    EXPECT_EQ(client.end(), one.end);
    ++playing;
  }
  for (const SeenConnection& seen : engine_->connections_once_ended(cases.size())) {
    EXPECT_EQ(seen.ended, 1);
    EXPECT_TRUE(seen.end.server_ended.has_value());
    EXPECT_EQ(seen.end.departure, Departure::None);
  }
  EXPECT_EQ(engine_->requests(), 0U);
}

TEST_F(ExecutorTest, NeverReadsAStalledConnection) {
  engine_->at_accept = [] { return Steps{Stall{}}; };
  begin();
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_for(200ms), "");
  EXPECT_EQ(client.end(), End::Open);
  client.close();
  const SeenConnection seen = engine_->connections_once_ended(1).at(0);
  EXPECT_NE(seen.end.departure, Departure::None);
  EXPECT_EQ(engine_->requests(), 0U);
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

TEST_F(ExecutorTest, AWriteThatNobodyTakesEndsInAReset) {
  patience_.blocked_write = 200ms;
  apply_with(steps(FakeEngine::answer(200, std::string(50'000'000, 'x')), {Finish{}}));
  RawClient client(port(), 4096);
  client.send(get("/"));
  const Receipt receipt = engine_->exchanges_once_ended(1).at(0).receipt;
  EXPECT_EQ(receipt.ending, Ending::Reset);
  EXPECT_EQ(receipt.delivery, Delivery::PartOfBody);
  EXPECT_LT(receipt.bytes_written, receipt.bytes_planned);
  client.receive_to_end();
  EXPECT_EQ(client.end(), End::Reset);
}

}  // namespace
}  // namespace mishap::server
