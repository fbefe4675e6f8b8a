#include "server/wire/faults_on_the_wire_fixture.h"

// Faults with a memory, as several clients see them at once.
namespace mishap::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ModelOnTheWire : public FaultOnTheWire {
 protected:
  static std::string answer(RawClient& client) {
    client.receive_until("\r\n\r\n");
    return client.take();
  }

  Journal journal_once(const std::function<bool(const Journal&)>& done) {
    EXPECT_TRUE(run_->wait(done, 5s));
    return run_->snapshot();
  }

  static bool all_ended(const Journal& journal) {
    return std::ranges::all_of(journal.exchanges, [](const Exchange& exchange) {
      return exchange.receipt.ended.has_value();
    });
  }

  static std::vector<std::string> shortfalls(const Journal& journal, std::string_view fault) {
    std::vector<std::string> all;
    for (const Exchange& exchange : journal.exchanges) {
      for (const RuleHit& hit : exchange.rules) {
        if (hit.fault == fault && hit.fired) all.push_back(hit.delivered ? "" : hit.shortfall);
      }
    }
    return all;
  }
};

TEST_F(ModelOnTheWire, QuotaLetsInWhoWaitsAsLongAsItWasTold) {
  begin_with("  - {on: any, fault: {kind: quota, limit: 1, window: 1s}}\n");
  RawClient client(port());
  client.send(post("/v1/bookings"));
  EXPECT_THAT(answer(client), StartsWith("HTTP/1.1 201"));
  client.receive_for(50ms);
  client.take();
  client.send(post("/v1/bookings"));
  const std::string refused = answer(client);
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(refused, HasSubstr("\r\nRetry-After: 1\r\n"));
  EXPECT_THAT(refused, HasSubstr("\r\nRateLimit-Policy: \"quota\";q=1;w=1\r\n"));
  EXPECT_THAT(refused, HasSubstr("\r\nRateLimit: \"quota\";r=0;t=1\r\n"));
  client.receive_for(1s);
  client.take();
  client.send(post("/v1/bookings"));
  EXPECT_THAT(answer(client), StartsWith("HTTP/1.1 201"));
  client.close();
  EXPECT_EQ(shortfalls(journal_once(all_ended), "quota"), std::vector<std::string>{""});
}

TEST_F(ModelOnTheWire, QuotaKeepsWhoDoesNotWaitOutForLonger) {
  begin_with(
      "  - {on: POST /v1/bookings, fault: {kind: quota, limit: 1, window: 10s, penalty: 20s}}\n");
  RawClient client(port());
  client.send(post("/v1/bookings"));
  EXPECT_THAT(answer(client), StartsWith("HTTP/1.1 201"));
  client.receive_for(50ms);
  client.take();
  for (const std::string wait : {"10", "30", "50"}) {
    client.send(post("/v1/bookings"));
    const std::string refused = answer(client);
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 429"));
    EXPECT_THAT(refused, HasSubstr("\r\nRetry-After: " + wait + "\r\n"));
    client.receive_for(50ms);
    client.take();
  }
  client.close();
  EXPECT_EQ(shortfalls(journal_once(all_ended), "quota"), (std::vector<std::string>{"", "", ""}));
  EXPECT_EQ(run_->snapshot().effects.size(), 1U);
  next_request_is_clean();
}

TEST_F(ModelOnTheWire, QuotaAtTheHeadAnswersBeforeTheBody) {
  begin_with("  - {on: any, at: request_head, fault: {kind: quota, limit: 0, window: 1s}}\n");
  RawClient client(port());
  client.send("POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n");
  EXPECT_THAT(answer(client), StartsWith("HTTP/1.1 429"));
  client.close();
}

// The answers are held back, so that all are in flight together.
TEST_F(ModelOnTheWire, CapacityMakesTheLaterOnesSlowerAndOneTooManyIsTurnedAway) {
  begin_with(
      "  - {on: any, fault: {kind: capacity, each: 100ms, limit: 3}}\n"
      "  - {on: any, at: after_effect, when: {request: 1..4}, do: delay, for: 200ms}\n");
  RawClient first(port());
  RawClient second(port());
  RawClient third(port());
  RawClient fourth(port());
  std::vector<Duration> sent;
  for (RawClient* client : {&first, &second, &third}) {
    const std::size_t before = run_->requests();
    sent.push_back(clock_.now());
    client->send(post("/v1/bookings"));
    ASSERT_TRUE(run_->wait(
        [&](const Journal& journal) {
          return journal.exchanges.size() == before + 1 && journal.exchanges.back().request_read;
        },
        5s));
  }
  fourth.send(post("/v1/bookings"));
  EXPECT_THAT(answer(fourth), StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(first.receive_for(1ms), "") << "it is still at work";
  EXPECT_THAT(answer(third), StartsWith("HTTP/1.1 201"));
  EXPECT_GE(clock_.now() - sent.at(2), 400ms);
  EXPECT_THAT(answer(second), StartsWith("HTTP/1.1 201"));
  EXPECT_THAT(answer(first), StartsWith("HTTP/1.1 201"));
  for (RawClient* client : {&first, &second, &third, &fourth}) client->close();
  const Journal journal = journal_once(all_ended);
  EXPECT_EQ(shortfalls(journal, "capacity"), (std::vector<std::string>{"", "", ""}));
  next_request_is_clean();
}

const std::string kHeld =
    "  - {on: any, at: request_head, fault: {kind: barrier, count: 3, within: 60s}}\n"
    "  - {on: any, when: {request: 1..3}, fault: {kind: status, code: 503}}\n";

TEST_F(ModelOnTheWire, BarrierHoldsTheFirstAndLetsThemGoTogether) {
  begin_with(kHeld);
  RawClient first(port());
  RawClient second(port());
  RawClient third(port());
  first.send(post("/v1/bookings"));
  second.send(post("/v1/bookings"));
  EXPECT_EQ(first.receive_for(150ms), "");
  EXPECT_EQ(second.receive_for(1ms), "");
  third.send(post("/v1/bookings"));
  for (RawClient* client : {&first, &second, &third}) {
    EXPECT_THAT(answer(*client), StartsWith("HTTP/1.1 503"));
    client->close();
  }
  const Journal journal = journal_once(all_ended);
  EXPECT_EQ(shortfalls(journal, "barrier"), (std::vector<std::string>{"", "", ""}));
  const auto wrote = [&](std::size_t i) { return *journal.exchanges.at(i).receipt.first_write; };
  EXPECT_LE(wrote(0), wrote(1)) << "in the order in which they came";
  EXPECT_LE(wrote(1), wrote(2));
  EXPECT_GE(wrote(0), journal.exchanges.at(2).first_byte);
  next_request_is_clean();
}

TEST_F(ModelOnTheWire, BarrierLetsGoOfAClientThatLeaves) {
  begin_with(kHeld);
  RawClient impatient(port());
  impatient.send(post("/v1/bookings"));
  impatient.receive_for(20ms);
  impatient.close();
  const Journal journal =
      journal_once([](const Journal& j) { return !j.exchanges.empty() && all_ended(j); });
  EXPECT_EQ(journal.exchanges.at(0).receipt.ending, Ending::ClientLeft);
  RawClient second(port());
  RawClient third(port());
  second.send(post("/v1/bookings"));
  EXPECT_EQ(second.receive_for(50ms), "");
  third.send(post("/v1/bookings"));
  EXPECT_THAT(answer(second), StartsWith("HTTP/1.1 503")) << "the one that left had come";
  EXPECT_THAT(answer(third), StartsWith("HTTP/1.1 503"));
}

TEST_F(ModelOnTheWire, BarrierEndsWithTheRun) {
  begin_with(kHeld);
  RawClient held(port());
  held.send(post("/v1/bookings"));
  journal_once([](const Journal& j) { return !j.exchanges.empty(); });
  const Duration began = clock_.now();
  const Journal journal = run_->end();
  EXPECT_LT(clock_.now() - began, 4s);
  EXPECT_EQ(journal.exchanges.at(0).receipt.ending, Ending::Open);
  held.receive_to_end();
  EXPECT_NE(held.end(), End::Open);
}

// Whoever is held waits for others, who may never come: no effect that the run's end must wait for.
TEST_F(ModelOnTheWire, BarrierIsNoEffectToComeWhileItsClientWaits) {
  begin_with("  - {on: any, fault: {kind: barrier, count: 2, within: 60s}}\n");
  RawClient held(port());
  held.send(post("/v1/bookings"));
  journal_once([](const Journal& j) {
    return !j.exchanges.empty() && j.exchanges.front().request_read.has_value();
  });
  const Duration began = clock_.now();
  EXPECT_TRUE(run_->settle(20s));
  EXPECT_LT(clock_.now() - began, 4s);
  held.close();
  // It takes effect though the client has left, and that is waited for.
  EXPECT_TRUE(run_->settle(20s));
  EXPECT_EQ(run_->end().effects.size(), 1U);
}

TEST_F(ModelOnTheWire, BarrierDoesNotWaitForEverForThoseWhoDoNotCome) {
  begin_with("  - {on: any, fault: {kind: barrier, count: 2, within: 200ms}}\n");
  RawClient alone(port());
  const Duration sent = clock_.now();
  alone.send(post("/v1/bookings"));
  EXPECT_THAT(answer(alone), StartsWith("HTTP/1.1 201"));
  EXPECT_GE(clock_.now() - sent, 200ms);
  alone.close();
  EXPECT_EQ(shortfalls(journal_once(all_ended), "barrier"),
            std::vector<std::string>{"only 1 of 2 came within 200ms"});
  next_request_is_clean();
}

}  // namespace
}  // namespace mishap::server
