// The life of a request through the engine: what it decides, remembers and answers.
#include "server/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/engine/engine_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Engine, AnswersACreateAndRecordsItsEffect) {
  PaperWire wire(kBooking);
  const Exchange made = wire.send(post("/v1/bookings", kTent, "k1"));
  EXPECT_EQ(wire.last_bytes,
            "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
            "Location: /v1/bookings/bk_1\r\nContent-Length: 47\r\n\r\n"
            R"({"id":"bk_1","reference":"R1","product":"tent"})");
  EXPECT_EQ(made.answer.status, 201);
  EXPECT_TRUE(made.answer.healthy);
  EXPECT_TRUE(made.answer.success);
  EXPECT_EQ(made.identity.by, IdentifiedBy::Reference);
  EXPECT_EQ(made.request.reference, "R1");
  EXPECT_EQ(made.request.key, "k1");
  ASSERT_EQ(wire.journal.effects.size(), 1U);
  const Effect& effect = wire.journal.effects[0];
  EXPECT_EQ(effect.id, "bk_1");
  EXPECT_EQ(effect.resource, "bookings");
  EXPECT_EQ(effect.reference, "R1");
  EXPECT_EQ(effect.operation, made.identity.operation);
  EXPECT_EQ(made.effects, std::vector<std::uint64_t>{effect.number});
}

TEST(Engine, AsksForTheBodyWithA100OnlyWhereItWasAskedFor) {
  PaperWire wire(kAny);
  RequestHead head{"POST", "/x", 1, {}, true, true};
  const Decision asked = wire.engine->head(wire.connect(), head, 1s, 1s);
  ASSERT_EQ(asked.steps.size(), 2U);
  EXPECT_EQ(std::get<Send>(asked.steps[0]).part, Part::Interim);
  EXPECT_TRUE(std::holds_alternative<ReadBody>(asked.steps[1]));
  head.expects_continue = false;
  EXPECT_EQ(wire.engine->head(wire.connect(), head, 1s, 1s).steps.size(), 1U);
}

TEST(Engine, ReplaysTheStoredAnswerByteForByteWithAMark) {
  PaperWire wire(kBooking);
  wire.send(post("/v1/bookings", kTent, "\"k1\""));
  const std::string first = wire.last_bytes;
  const Exchange again = wire.send(post("/v1/bookings", kTent, "k1"));
  EXPECT_TRUE(again.answer.replayed);
  EXPECT_TRUE(again.answer.healthy);
  EXPECT_EQ(again.answer.status, 201);
  EXPECT_EQ(body_of(wire.last_bytes), body_of(first));
  EXPECT_TRUE(has_line(wire.last_bytes, "Idempotency-Replayed: true"));
  EXPECT_TRUE(again.effects.empty());
  EXPECT_EQ(wire.journal.effects.size(), 1U);
  EXPECT_EQ(again.identity.attempt, 2U);
}

TEST(Engine, AnswersInProgressWhileTheFirstRuns) {
  PaperWire wire(kBooking);
  Underway first = wire.start(post("/v1/bookings", kTent, "k1"));
  const Exchange second = wire.send(post("/v1/bookings", kTent, "k1"));
  EXPECT_EQ(second.answer.status, 409);
  EXPECT_THAT(wire.last_bytes, HasSubstr("problems/idempotency-key-in-progress"));
  EXPECT_EQ(wire.finish(first).answer.status, 201);
  EXPECT_TRUE(wire.send(post("/v1/bookings", kTent, "k1")).answer.replayed);
}

TEST(Engine, RefusesAKeyWithOtherContent) {
  PaperWire wire(kBooking);
  wire.send(post("/v1/bookings", kTent, "k1"));
  const Exchange other = wire.send(post("/v1/bookings", R"({"reference":"R2"})", "k1"));
  EXPECT_EQ(other.answer.status, 422);
  EXPECT_EQ(other.identity.operation, 2U);
}

TEST(Engine, TakesReorderedJsonForEqualContent) {
  PaperWire wire(kBooking);
  wire.send(post("/v1/bookings", kTent, "k1"));
  const Exchange same =
      wire.send(post("/v1/bookings", R"({ "product": "tent", "reference": "R1" })", "k1"));
  EXPECT_TRUE(same.answer.replayed);
}

TEST(Engine, FreesAKeyWhenTheExchangeEndsWithoutItsEffect) {
  PaperWire wire(kBooking);
  const Underway lost = wire.start(post("/v1/bookings", kTent, "k1"));
  wire.engine->end(lost.exchange, 0, Receipt{});
  EXPECT_EQ(wire.send(post("/v1/bookings", kTent, "k1")).answer.status, 201);
}

TEST(Engine, MakesIdsPerLaneUnlessStateIsShared) {
  PaperWire apart(kBooking, 1, 2);
  apart.send(post("/v1/bookings", kTent));
  apart.lane = 1;
  apart.send(post("/v1/bookings", kTent));
  EXPECT_THAT(apart.last_bytes, HasSubstr("\"bk_1\""));

  PaperWire shared(std::string(kBooking) + "client: {copies: {count: 2, share: state}}\n", 1, 2);
  shared.send(post("/v1/bookings", kTent));
  shared.lane = 1;
  shared.send(post("/v1/bookings", kTent));
  EXPECT_THAT(shared.last_bytes, HasSubstr("\"bk_2\""));
}

TEST(Engine, AnswersAHeadRequestWithoutABody) {
  PaperWire wire(kBooking);
  wire.send(get("/v1/bookings"));
  const std::string full = wire.last_bytes;
  Ask ask = get("/v1/bookings");
  ask.method = "HEAD";
  wire.send(ask);
  EXPECT_EQ(wire.last_bytes, full.substr(0, full.find("\r\n\r\n") + 4));
}

TEST(Engine, NamesTheNearestRouteForWhatNothingMatches) {
  PaperWire wire(kBooking);
  const Exchange lost = wire.send(get("/v1/bookngs"));
  EXPECT_EQ(lost.role, Role::Unmatched);
  EXPECT_EQ(lost.identity.operation, 0U);
  EXPECT_EQ(lost.answer.status, 404);
  EXPECT_THAT(lost.note, HasSubstr("nearest is GET /v1/bookings"));
  EXPECT_THAT(wire.last_bytes, HasSubstr("nearest is GET /v1/bookings"));
}

TEST(Engine, NotesWhyTheVendorRefused) {
  PaperWire wire(kBooking);
  const Exchange unfit = wire.send(post("/v1/bookings", R"({"product":"tent"})"));
  EXPECT_EQ(unfit.answer.status, 422);
  EXPECT_THAT(unfit.note, HasSubstr("reference"));
  EXPECT_THAT(unfit.request.members, testing::ElementsAre(MemberSketch{"product", "string"}));
  EXPECT_EQ(wire.send(get("/v1/bookings")).note, "");
}

TEST(Engine, AsksForABearerTokenWhereOneIsNeeded) {
  PaperWire wire("mishap: 1\nscenario: x\napi: {from: any, auth: {bearer: required}}\n", 1, 1,
                 "s3cr3t");
  const Exchange bare = wire.send(get("/x"));
  EXPECT_EQ(bare.answer.status, 401);
  EXPECT_TRUE(has_line(wire.last_bytes, "WWW-Authenticate: Bearer realm=\"mishap\""));
  Ask ask = get("/x");
  ask.headers = {{"authorization", "bearer s3cr3t"}};
  EXPECT_EQ(wire.send(ask).answer.status, 200);
  ask.headers = {{"Authorization", "Bearer other"}};
  EXPECT_EQ(wire.send(ask).answer.status, 401);
  EXPECT_THAT(wire.last_bytes, HasSubstr("invalid_token"));
}

TEST(Engine, KeepsNoSecret) {
  PaperWire wire(kAny);
  Ask ask = get("/x?token=hunter2&q=1");
  ask.headers = {{"Authorization", "Bearer hunter2"}, {"X-Api-Key", "hunter2"}, {"Accept", "*/*"}};
  const Exchange kept = wire.send(ask);
  EXPECT_THAT(to_json_lines(wire.journal), testing::Not(HasSubstr("hunter2")));
  ASSERT_EQ(kept.request.headers.size(), 3U);
  EXPECT_TRUE(kept.request.headers[0].secret);
  EXPECT_THAT(kept.request.headers[0].value, testing::StartsWith("Bearer sha256:"));
  EXPECT_THAT(kept.request.headers[0].value, testing::EndsWith(" length 7"));
  EXPECT_FALSE(kept.request.headers[2].secret);
  EXPECT_THAT(kept.request.target, testing::EndsWith("&q=1"));
}

TEST(Engine, JoinsARetryByContentAlsoWhileTheVendorStillWorks) {
  PaperWire wire(
      "mishap: 1\nscenario: x\napi: any\nfaults:\n"
      "  - {on: POST /x, when: {attempt: 1}, fault: {kind: latency, for: 5s}}\n");
  Ask ask = post("/x", R"({"a":1})");
  Underway first = wire.start(ask);
  wire.engine->client_left(first.exchange, Departure::Fin, wire.now + 1s);
  wire.pass(2s);
  const Exchange retry = wire.send(ask);
  EXPECT_EQ(retry.identity.operation, 1U);
  EXPECT_EQ(retry.identity.attempt, 2U);
  EXPECT_FALSE(retry.identity.overlapping);
  wire.finish(first);
  EXPECT_EQ(wire.journal.effects.size(), 2U);
  EXPECT_EQ(wire.journal.effects[0].operation, wire.journal.effects[1].operation);
}

TEST(Engine, MarksEqualContentInFlightAsOverlapping) {
  PaperWire wire(kAny);
  Underway first = wire.start(post("/x", R"({"a":1})"));
  const Exchange second = wire.send(post("/x", R"({"a":1})"));
  EXPECT_EQ(second.identity.operation, 2U);
  EXPECT_TRUE(second.identity.overlapping);
  EXPECT_TRUE(wire.finish(first).identity.overlapping);
}

TEST(Engine, TellsTwentyPollsFromRetries) {
  PaperWire wire(kAny);
  for (int i = 0; i < 20; ++i) {
    const Exchange poll = wire.send(get("/status"));
    EXPECT_EQ(poll.identity.attempt, 1U);
    EXPECT_EQ(poll.role, i == 0 ? Role::Attempt : Role::Poll);
  }
}

TEST(Engine, FindsWhatALookupAsksFor) {
  PaperWire wire(
      std::string(kBooking) +
      "faults:\n  - {on: POST /v1/bookings, when: {attempt: 1}, fault: response_lost}\n");
  const Exchange before = wire.send(get("/v1/bookings?reference=R1"));
  EXPECT_EQ(before.role, Role::Attempt);
  const Exchange lost = wire.send(post("/v1/bookings", kTent));
  const Exchange found = wire.send(get("/v1/bookings?reference=R1"));
  EXPECT_EQ(found.role, Role::Lookup);
  EXPECT_EQ(found.looked_up, std::vector<std::uint64_t>{lost.identity.operation});
  EXPECT_TRUE(found.found);
  EXPECT_NE(found.identity.operation, lost.identity.operation);
  const Exchange item = wire.send(get("/v1/bookings/bk_1"));
  EXPECT_TRUE(item.found);
  const Exchange elsewhere = wire.send(get("/v1/bookings?reference=R2"));
  EXPECT_TRUE(elsewhere.looked_up.empty());
}

TEST(Engine, SaysWhenALookupFoundNothing) {
  PaperWire wire(std::string(kBooking) +
                 "faults:\n  - {on: POST /v1/bookings, when: {attempt: 1}, fault: "
                 "{kind: reset, at: before_effect}}\n");
  wire.send(post("/v1/bookings", kTent));
  const Exchange looked = wire.send(get("/v1/bookings?reference=R1"));
  EXPECT_EQ(looked.role, Role::Lookup);
  EXPECT_FALSE(looked.found);
}

TEST(Engine, KeepsAWholeAnswerToADepartedClientFromCountingAsSuccess) {
  const auto attempt_after = [](Duration departed) {
    PaperWire wire("mishap: 1\nscenario: x\napi: any\n");
    Underway under = wire.start(get("/x"));
    wire.engine->apply(under.exchange, 2s);
    Receipt receipt;
    receipt.delivery = Delivery::Complete;
    receipt.last_write = 3s;
    receipt.departure = Departure::Fin;
    receipt.departed = departed;
    wire.engine->end(under.exchange, 0, receipt);
    return wire.send(get("/x")).identity.attempt;
  };
  EXPECT_EQ(attempt_after(2s), 2U) << "left before it was written: not a success, so a retry";
  EXPECT_EQ(attempt_after(4s), 1U) << "left after it: a success, so a new read";
}

}  // namespace
}  // namespace mishap::server
