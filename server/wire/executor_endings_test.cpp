#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/wire/executor_fixture.h"

// FIN, RST and silence, at every place of an exchange.
namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using End = RawClient::End;

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
