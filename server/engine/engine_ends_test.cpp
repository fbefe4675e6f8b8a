// What is no request, where an exchange may end, and who looks on from other threads.
#include "server/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "server/engine/engine_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Engine, RecordsWhatIsNoRequestWithItsBytesAndWithoutItsSecrets) {
  PaperWire wire(kAny);
  const Decision decision = wire.engine->rejected(
      wire.connect(),
      {400, "both lengths", "POST /x HTTP/1.1\r\nAuthorization: Bearer hunter2\r\nA: b\r\n\r\n"},
      1s, 2s);
  const std::string bytes = std::get<Send>(decision.steps[0]).bytes;
  EXPECT_THAT(bytes, testing::StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(has_line(bytes, "Connection: close"));
  EXPECT_TRUE(std::holds_alternative<CloseConnection>(decision.steps.back()));
  wire.engine->end(decision.id, 0, Receipt{});
  const Exchange kept = wire.recorded(decision.id);
  EXPECT_EQ(kept.role, Role::Rejected);
  EXPECT_EQ(kept.note, "both lengths");
  EXPECT_EQ(kept.request.method, "POST");
  EXPECT_EQ(kept.identity.operation, 0U);
  EXPECT_THAT(kept.request.raw, HasSubstr("A: b\r\n"));
  EXPECT_THAT(kept.request.raw, testing::Not(HasSubstr("hunter2")));
}

// More than stand in memory: the rest comes back from disk, and what is under way since the first
// second is among them.
TEST(Engine, GivesTheWholeOfALongRun) {
  constexpr std::uint64_t kRequests = 20'000;
  PaperWire wire(kAny);
  const std::uint64_t connection = wire.connect();
  const RequestHead head{"POST", "/v1/bookings", 1, {}, false, true};
  const Decision held = wire.engine->head(wire.connect(), head, 1s, 1s);
  for (std::uint64_t i = 1; i < kRequests; ++i) {
    const Duration now = std::chrono::milliseconds(i);
    const std::uint64_t exchange = wire.engine->head(connection, head, now, now).id;
    wire.engine->request(exchange, "n" + std::to_string(i), now);
    wire.engine->apply(exchange, now);
    wire.engine->end(exchange, 0, Receipt{});
  }
  const Journal whole = wire.engine->snapshot();
  ASSERT_EQ(whole.exchanges.size(), kRequests);
  EXPECT_EQ(whole.effects.size(), kRequests - 1);
  EXPECT_EQ(whole.lost, 0U);
  EXPECT_EQ(whole.exchanges.front().number, held.id);
  EXPECT_FALSE(whole.exchanges.front().request.complete);
  for (std::uint64_t i = 1; i < kRequests; ++i) {
    const Exchange& exchange = whole.exchanges[i];
    ASSERT_EQ(exchange.number, i + 1);
    ASSERT_EQ(exchange.effects, std::vector<std::uint64_t>{i});
    ASSERT_TRUE(exchange.request.complete);
  }
}

TEST(Engine, RejectsABodyAfterItsHeadWasTaken) {
  PaperWire wire(kAny);
  RequestHead head{"POST", "/x", 1, {}, false, true};
  const Decision taken = wire.engine->head(wire.connect(), head, 1s, 1s);
  const Steps steps = wire.engine->rejected_body(taken.id, {413, "too large", ""}, 2s);
  EXPECT_THAT(std::get<Send>(steps[0]).bytes, testing::StartsWith("HTTP/1.1 413"));
  wire.engine->end(taken.id, 100, Receipt{});
  const Exchange kept = wire.recorded(taken.id);
  EXPECT_EQ(kept.role, Role::Rejected);
  EXPECT_EQ(kept.request.body_bytes, 100U);
  EXPECT_FALSE(kept.request.complete);
}

TEST(Engine, ShowsWhatIsUnderWayInASnapshot) {
  PaperWire wire(kAny);
  Underway under = wire.start(get("/x"));
  const Exchange open = wire.recorded(under.exchange);
  EXPECT_EQ(open.receipt.ending, Ending::Open);
  EXPECT_FALSE(open.receipt.ended);
  EXPECT_TRUE(open.request.complete);
  EXPECT_FALSE(wire.journal.connections[0].closed);
  const Journal closed = wire.engine->close(9s);
  EXPECT_EQ(closed.exchanges[0].receipt.ending, Ending::Open);
  EXPECT_EQ(closed.connections[0].closed, Duration(9s));
}

TEST(Engine, SurvivesEveryPointAtWhichAnExchangeMayEnd) {
  for (int stop = 0; stop < 3; ++stop) {
    PaperWire wire(kBooking);
    RequestHead head{"POST", "/v1/bookings", 1, {{"Idempotency-Key", "k"}}, false, true};
    const std::uint64_t connection = wire.connect();
    const std::uint64_t id = wire.engine->head(connection, head, 1s, 1s).id;
    if (stop > 0) wire.engine->request(id, kTent, 2s);
    if (stop > 1) wire.engine->apply(id, 3s);
    wire.engine->end(id, 5, Receipt{});
    wire.engine->connection_ended(connection, {Departure::Rst, 4s, std::nullopt, 4s});
    const Exchange kept = wire.recorded(id);
    EXPECT_EQ(kept.request.complete, stop > 0);
    EXPECT_EQ(kept.effects.size(), stop > 1 ? 1U : 0U);
    EXPECT_EQ(kept.identity.by, stop > 0 ? IdentifiedBy::Reference : IdentifiedBy::Key);
    EXPECT_EQ(wire.journal.connections[0].departure, Departure::Rst);
    // The same operation goes on, and its key is free exactly when nothing was done.
    const Exchange next = wire.send(post("/v1/bookings", kTent, "k"));
    EXPECT_EQ(next.identity.operation, kept.identity.operation);
    EXPECT_EQ(next.answer.replayed, stop > 1);
    EXPECT_EQ(wire.journal.effects.size(), 1U);
  }
}

TEST(Engine, IgnoresWhatComesAfterTheEnd) {
  PaperWire wire(kAny);
  const Exchange done = wire.send(get("/x"));
  EXPECT_EQ(wire.engine->apply(done.number, 9s).size(), 1U);
  EXPECT_EQ(wire.engine->request(done.number, "", 9s).size(), 1U);
  wire.engine->end(done.number, 0, Receipt{});
  EXPECT_EQ(wire.engine->snapshot().exchanges.size(), 1U);
}

TEST(Engine, AnswersTheConnectionOptionInKind) {
  PaperWire wire(kAny);
  Ask ask = get("/x");
  ask.headers = {{"Connection", "foo, Close"}};
  wire.send(ask);
  EXPECT_TRUE(has_line(wire.last_bytes, "Connection: close"));
  wire.send(get("/x"));
  EXPECT_FALSE(has_line(wire.last_bytes, "Connection: close"));
}

TEST(Engine, GivesEqualJournalsForEqualRequestsAndSeed) {
  const std::string yaml =
      "mishap: 1\nscenario: x\napi: any\nfaults:\n"
      "  - {on: any, when: {rate: 50%}, fault: {kind: latency, distribution: lognormal, median: "
      "100ms}}\n";
  const auto played = [&](std::uint64_t seed) {
    PaperWire wire(yaml, seed);
    for (int i = 0; i < 30; ++i) {
      Ask ask = post("/orders", R"({"n":)" + std::to_string(i) + "}", "k" + std::to_string(i));
      ask.headers.push_back({"Authorization", "Bearer x"});
      wire.send(ask);
      wire.send(get("/orders?n=" + std::to_string(i)));
    }
    return to_json_lines(wire.engine->close(wire.now));
  };
  EXPECT_EQ(played(5), played(5));
  EXPECT_NE(played(5), played(6));
}

Receipt delivered_at(Duration at) {
  Receipt receipt;
  receipt.ending = Ending::KeptAlive;
  receipt.ended = receipt.last_write = at;
  receipt.delivery = Delivery::Complete;
  return receipt;
}

TEST(Engine, WritesDownSoonWhatHasEnded) {
  PaperWire wire(kAny);
  std::vector<std::uint64_t> told;
  wire.engine->on_exchange([&](const Exchange& exchange) { told.push_back(exchange.number); });
  const Underway first = wire.start(post("/orders", R"({"n":1})"));
  const Underway second = wire.start(post("/orders", R"({"n":2})"));
  wire.engine->apply(first.exchange, wire.now);
  wire.engine->end_soon(first.exchange, 7, delivered_at(wire.now));
  wire.engine->apply(second.exchange, wire.now);
  EXPECT_TRUE(told.empty()) << "who is to be answered next has waited for it";
  wire.engine->settle();
  EXPECT_EQ(told, std::vector{first.exchange});
  wire.engine->end_soon(second.exchange, 7, delivered_at(wire.now));
  const RequestHead head{"GET", "/orders", 1, {}, false, false};
  const std::uint64_t third = wire.engine->head(second.connection, head, wire.now, wire.now).id;
  EXPECT_EQ(told, (std::vector{first.exchange, second.exchange}));
  wire.engine->end_soon(third, 0, delivered_at(wire.now));
  EXPECT_EQ(wire.recorded(third).receipt.ended, wire.now);
}

// Whoever reacts to an answer finds it written down: equal content is another operation then, and
// not the same one sent twice.
TEST(Engine, HasWrittenDownWhatEndedBeforeTheNextHead) {
  PaperWire wire(kAny);
  const Underway first = wire.start(post("/orders", R"({"n":1})"));
  wire.engine->apply(first.exchange, wire.now);
  wire.engine->end_soon(first.exchange, 7, delivered_at(wire.now));
  const Exchange second = wire.send(post("/orders", R"({"n":1})"));
  EXPECT_EQ(second.identity.attempt, 1U);
  EXPECT_FALSE(second.identity.overlapping);
  EXPECT_NE(second.identity.operation, wire.recorded(first.exchange).identity.operation);
}

TEST(Engine, CountsAndTellsWhoWaits) {
  PaperWire wire(kAny);
  std::vector<std::uint64_t> seen;
  wire.engine->on_exchange([&](const Exchange& exchange) { seen.push_back(exchange.number); });
  std::thread client([&] {
    wire.send(get("/x"));
    wire.send(get("/y"));
  });
  EXPECT_TRUE(wire.engine->wait(
      [](const Journal& journal) {
        return journal.exchanges.size() == 2 && journal.exchanges[1].receipt.ended;
      },
      20s));
  client.join();
  EXPECT_EQ(wire.engine->requests(), 2U);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(wire.engine->last_activity(), wire.now);
  EXPECT_FALSE(wire.engine->wait([](const Journal&) { return false; }, 1ms));
}

TEST(Engine, StepsAtomicallyUnderParallelRequests) {
  // wiremock#456: the "first" answer of a sequence was served several times.
  PaperWire wire(
      "mishap: 1\nscenario: x\napi: any\nfaults:\n"
      "  - {on: GET /x, when: {request: 1}, fault: {kind: status, code: 503}}\n");
  std::vector<std::thread> clients;
  for (int t = 0; t < 4; ++t) {
    clients.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const std::uint64_t line = wire.engine->accept({0, "any", 1}, 1s).id;
        const Decision decision =
            wire.engine->head(line, {"GET", "/x", 1, {}, false, false}, 1s, 1s);
        const Steps steps = wire.engine->request(decision.id, "", 1s);
        if (std::holds_alternative<Apply>(steps[0])) wire.engine->apply(decision.id, 1s);
        wire.engine->end(decision.id, 0, Receipt{});
      }
    });
  }
  for (std::thread& client : clients) client.join();
  int first = 0;
  for (const Exchange& exchange : wire.engine->snapshot().exchanges) {
    first += exchange.answer.status == 503 ? 1 : 0;
  }
  EXPECT_EQ(first, 1);
}

}  // namespace
}  // namespace mishap::server
