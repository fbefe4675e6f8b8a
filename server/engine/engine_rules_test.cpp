// Rules: which of them apply, how they compose, what is drawn and what is proven.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "server/engine/engine_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string scenario(const std::string& faults, const std::string& rest = "") {
  return "mishap: 1\nscenario: x\napi: any\n" + rest + "faults:\n" + faults;
}

TEST(Rules, CountAttemptsWithinAnOperation) {
  PaperWire wire(
      scenario("  - {on: POST /x, when: {attempt: 1..2}, fault: {kind: status, code: 503}}\n"));
  const Ask ask = post("/x", R"({"a":1})", "k");
  EXPECT_EQ(wire.send(ask).answer.status, 503);
  EXPECT_EQ(wire.send(ask).answer.status, 503);
  const Exchange third = wire.send(ask);
  EXPECT_EQ(third.answer.status, 201);
  EXPECT_EQ(third.identity.attempt, 3U);
  EXPECT_TRUE(third.rules.empty());
  EXPECT_EQ(wire.journal.effects.size(), 1U) << "503 before the effect";
}

TEST(Rules, AreMetNoMoreOnceTheVendorIsWell) {
  PaperWire wire(scenario("  - {on: POST /x, fault: {kind: status, code: 503}}\n"));
  EXPECT_EQ(wire.send(post("/x", R"({"a":1})", "k")).answer.status, 503);
  wire.engine->heal();
  const Exchange later = wire.send(post("/x", R"({"a":1})", "k"));
  EXPECT_EQ(later.answer.status, 201);
  EXPECT_TRUE(later.rules.empty());
}

TEST(Rules, HaveWhatWasSentOnceCarriedOutTwice) {
  PaperWire wire(scenario("  - {on: POST /x, when: {attempt: 1}, fault: carried_out_twice}\n"));
  const Ask ask = post("/x", R"({"a":1})", "k");
  const Exchange first = wire.send(ask);
  EXPECT_EQ(first.effects, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_TRUE(first.answer.healthy) << "the client is told of the first";
  EXPECT_TRUE(first.rules.at(0).delivered) << first.rules.at(0).shortfall;
  EXPECT_TRUE(wire.send(ask).answer.replayed);
  EXPECT_EQ(wire.journal.effects.size(), 2U);
}

TEST(Rules, AtTheAnswerMeetOneThatWasGivenInTheVendorsPlace) {
  PaperWire wire(
      scenario("  - {on: POST /x, when: {attempt: 1}, fault: {kind: status, code: 503}}\n"
               "  - {on: POST /x, when: {attempt: 1}, fault: {kind: truncated_body, after: 5B}}\n"
               "  - {on: POST /x, when: {attempt: 1}, at: after_effect, do: delay, for: 2s}\n"));
  const Exchange sent = wire.send(post("/x", R"({"a":1})", "k"));
  EXPECT_EQ(sent.answer.status, 503);
  EXPECT_EQ(sent.receipt.ending, Ending::Closed);
  ASSERT_EQ(sent.rules.size(), 2U) << "there was no effect to be late after";
  EXPECT_EQ(sent.rules.at(0).fault, "status");
  EXPECT_EQ(sent.rules.at(1).fault, "truncated_body");
  EXPECT_TRUE(sent.effects.empty());
  EXPECT_EQ(wire.send(post("/x", R"({"a":1})", "k")).answer.status, 201);
}

// Whoever is refused in the vendor's place and comes back at once meets no request that is running.
TEST(Rules, ThatRefuseInTheVendorsPlaceHoldNoKeyWhileTheirAnswerGoesOut) {
  PaperWire wire(
      scenario("  - {on: POST /x, when: {attempt: 1}, fault: {kind: status, code: 503}}\n"));
  const Ask ask = post("/x", R"({"a":1})", "k");
  Underway refused = wire.start(ask);
  wire.run_until_apply(refused);
  EXPECT_EQ(wire.send(ask).answer.status, 201) << "not 409: nothing is being processed";
  EXPECT_EQ(wire.finish(refused).answer.status, 503);
}

// RFC 9110 section 15.4.8: the same request, elsewhere.
TEST(Rules, MeetTheRedirectOfACreateAndNotTheRequestThatFollowsIt) {
  PaperWire wire(scenario(
      "  - {on: {method: POST}, when: {op: 1..2, attempt: 1}, fault: {kind: status, code: 307, "
      "headers: {Location: '/elsewhere?from=x'}}}\n"));
  const Exchange sent = wire.send(post("/x", R"({"a":1})", "k"));
  EXPECT_EQ(sent.answer.status, 307);
  EXPECT_NE(wire.send(post("/elsewhere", R"({"a":2})", "k2")).identity.operation,
            sent.identity.operation)
      << "another body is another intent";
  const Exchange followed = wire.send(post("/elsewhere?from=x", R"({"a":1})", "k"));
  EXPECT_EQ(followed.answer.status, 201);
  EXPECT_EQ(followed.identity.operation, sent.identity.operation);
  EXPECT_EQ(followed.identity.attempt, 2U);
}

struct CountCase {
  std::string when;
  std::vector<int> spoiled;  // of six GETs, two on each connection
};

class Counting : public testing::TestWithParam<CountCase> {};

TEST_P(Counting, ChoosesTheseRequests) {
  PaperWire wire(scenario("  - {on: GET /x, when: {" + GetParam().when +
                          "}, fault: {kind: status, code: 503}}\n"));
  std::vector<int> spoiled;
  std::uint64_t connection = 0;
  for (int i = 1; i <= 6; ++i) {
    wire.send(get("/other"));
    if (i % 2 == 1) connection = wire.connect();
    Ask ask = get("/x?n=" + std::to_string(i));
    ask.connection = connection;
    if (wire.send(ask).answer.status == 503) spoiled.push_back(i);
  }
  EXPECT_EQ(spoiled, GetParam().spoiled);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Counting,
    testing::Values(CountCase{"request: 2", {2}}, CountCase{"request: 5..", {5, 6}},
                    CountCase{"request: every 3", {3, 6}}, CountCase{"op: 2", {2}},
                    CountCase{"connection: 2", {1, 2}},
                    CountCase{"request_on_connection: 2", {2, 4, 6}},
                    CountCase{"copy: 0", {1, 2, 3, 4, 5, 6}}, CountCase{"copy: 1", {}},
                    CountCase{"rate: 0%", {}}, CountCase{"rate: 100%", {1, 2, 3, 4, 5, 6}},
                    CountCase{"request: 2.., request_on_connection: 1", {3, 5}}));

TEST(Rules, FollowThePhasesOfTheTimeline) {
  PaperWire wire(scenario("  - {on: any, when: {during: down}, fault: {kind: status, code: 503}}\n",
                          "timeline: [{phase: healthy, for: 5s}, {phase: down, for: 20s}]\n"));
  // The clock starts with the first connection, not with the run.
  wire.pass(100s);
  EXPECT_EQ(wire.send(get("/x")).answer.status, 200);
  wire.pass(5s);
  EXPECT_EQ(wire.send(get("/x")).answer.status, 503);
  wire.pass(20s);
  EXPECT_EQ(wire.send(get("/x")).answer.status, 200);
}

TEST(Rules, FollowAWindowOfTime) {
  PaperWire wire(
      scenario("  - {on: any, when: {during: 2s..3s}, fault: {kind: status, code: 503}}\n"));
  EXPECT_EQ(wire.send(get("/x")).answer.status, 200);
  wire.pass(2s);
  EXPECT_EQ(wire.send(get("/x")).answer.status, 503);
  wire.pass(1s);
  EXPECT_EQ(wire.send(get("/x")).answer.status, 200);
}

TEST(Rules, FollowATimelineThatRepeats) {
  PaperWire wire(scenario(
      "  - {on: any, when: {during: down}, fault: {kind: status, code: 503}}\n",
      "timeline: {repeat: true, phases: [{phase: up, for: 2s}, {phase: down, for: 1s}]}\n"));
  EXPECT_EQ(wire.send(get("/x")).answer.status, 200);
  for (int turn = 0; turn < 5; ++turn) {
    wire.pass(2s);
    EXPECT_EQ(wire.send(get("/x")).answer.status, 503);
    wire.pass(1s);
    EXPECT_EQ(wire.send(get("/x")).answer.status, 200);
  }
}

// Hits among a thousand requests in each tenth of the span, by the steps of the request moment.
std::vector<int> hits_over_the_span(const std::string& rate, std::uint64_t seed) {
  PaperWire wire(scenario("  - {on: GET /*, when: {during: 0s..10s, rate: " + rate +
                          "}, fault: {kind: status, code: 503}}\n"),
                 seed);
  std::vector<int> hits(10);
  const std::uint64_t connection = wire.connect();
  for (int i = 0; i < 10'000; ++i) {
    const Decision decision = wire.engine->head(
        connection, {"GET", "/" + std::to_string(i), 1, {}, false, false}, wire.now, wire.now);
    const Steps steps = wire.engine->request(decision.id, "", wire.now);
    hits[static_cast<std::size_t>(i / 1000)] += std::holds_alternative<Apply>(steps[0]) ? 0 : 1;
    wire.engine->end(decision.id, 0, Receipt{});
    wire.pass(1ms);
  }
  return hits;
}

TEST(Rules, RaiseTheirRateEvenlyOverTheSpan) {
  const auto hits = hits_over_the_span("0%..80%", 7);
  for (std::size_t tenth = 0; tenth < hits.size(); ++tenth) {
    const double share = 0.8 * (static_cast<double>(tenth) + 0.5) / 10;
    EXPECT_NEAR(hits[tenth], 1000 * share, 4 * std::sqrt(1000 * share * (1 - share))) << tenth;
  }
  EXPECT_EQ(hits, hits_over_the_span("0%..80%", 7));
  EXPECT_NE(hits, hits_over_the_span("0%..80%", 8));
}

TEST(Rules, LowerTheirRateAsWell) {
  const auto hits = hits_over_the_span("100%..0%", 7);
  EXPECT_GT(hits.front(), 900);
  EXPECT_LT(hits.back(), 100);
}

TEST(Rules, ApplyTheFirstThatMatchesAtAPoint) {
  PaperWire wire(scenario(
      "  - {name: a, on: GET /x, when: {request: 1}, fault: {kind: status, code: 500}}\n"
      "  - {name: b, on: GET /x, when: {request: 1..2}, fault: {kind: status, code: 503}}\n"));
  const Exchange first = wire.send(get("/x"));
  EXPECT_EQ(first.answer.status, 500);
  ASSERT_EQ(first.rules.size(), 1U);
  EXPECT_EQ(first.rules[0].rule, "a");
  EXPECT_EQ(wire.send(get("/x")).answer.status, 503);
}

TEST(Rules, ComposeAtDifferentPointsInTheOrderOfARequestsLife) {
  PaperWire wire(
      scenario("  - {on: GET /x, fault: {kind: truncated_body, after: 3B}}\n"
               "  - {on: GET /x, fault: {kind: latency, for: 2s}}\n"));
  const Duration before = wire.now;
  const Exchange spoiled = wire.send(get("/x"));
  EXPECT_GE(wire.now - before, Duration(2s));
  EXPECT_EQ(body_of(wire.last_bytes).size(), 3U);
  ASSERT_EQ(spoiled.rules.size(), 2U);
  EXPECT_EQ(spoiled.rules[0].fault, "latency");
  EXPECT_TRUE(spoiled.rules[0].delivered) << spoiled.rules[0].shortfall;
  EXPECT_FALSE(spoiled.answer.healthy);
}

TEST(Rules, LetALaterRuleApplyWhereTheRateWasLost) {
  PaperWire wire(
      scenario("  - {name: a, on: GET /x, when: {rate: 50%}, fault: {kind: status, code: 500}}\n"
               "  - {name: b, on: GET /x, fault: {kind: status, code: 503}}\n"));
  std::set<StatusCode> seen;
  for (int i = 0; i < 40; ++i) {
    const Exchange answered = wire.send(get("/x?" + std::to_string(i)));
    seen.insert(answered.answer.status);
    ASSERT_FALSE(answered.rules.empty());
    EXPECT_EQ(answered.rules[0].rule, "a");
    EXPECT_EQ(answered.rules[0].draws.at(0).purpose, "rate");
    EXPECT_EQ(answered.rules[0].fired, answered.rules[0].draws[0].value < 0.5);
    EXPECT_EQ(answered.rules.size(), answered.rules[0].fired ? 1U : 2U);
  }
  EXPECT_EQ(seen, (std::set<StatusCode>{500, 503}));
}

TEST(Rules, HitTheirRateOverAThousandOperationsForEachOfTwentySeeds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PaperWire wire(
        scenario("  - {on: GET /*, when: {rate: 30%}, fault: {kind: status, code: 503}}\n"), seed);
    int hits = 0;
    const std::uint64_t connection = wire.connect();
    for (int i = 0; i < 1000; ++i) {
      const Decision decision = wire.engine->head(
          connection, {"GET", "/" + std::to_string(i), 1, {}, false, false}, wire.now, wire.now);
      const Steps steps = wire.engine->request(decision.id, "", wire.now);
      hits += std::holds_alternative<Apply>(steps[0]) ? 0 : 1;
      wire.engine->end(decision.id, 0, Receipt{});
    }
    EXPECT_NEAR(hits, 300, 4 * std::sqrt(1000 * 0.3 * 0.7)) << "seed " << seed;
  }
}

TEST(Rules, MoveNoDrawOfOthersWhenOneIsAdded) {
  const std::string rated =
      "  - {on: GET /x, when: {rate: 50%}, fault: {kind: status, code: 503}}\n";
  const auto drawn = [](const std::string& yaml) {
    PaperWire wire(yaml);
    std::vector<double> values;
    for (int i = 0; i < 20; ++i) {
      for (const RuleHit& hit : wire.send(get("/x?" + std::to_string(i))).rules) {
        if (hit.fault == "status") values.push_back(hit.draws.at(0).value);
      }
    }
    return values;
  };
  EXPECT_EQ(drawn(scenario(rated)), drawn(scenario("  - {on: GET /x, when: {rate: 70%}, fault: "
                                                   "{kind: latency, for: 1s, at: after_effect}}\n" +
                                                   rated)));
}

TEST(Rules, LoseTheAnswerAfterTheEffect) {
  PaperWire wire(scenario("  - {on: POST /x, when: {attempt: 1}, fault: response_lost}\n"));
  const Exchange lost = wire.send(post("/x", R"({"a":1})"));
  EXPECT_EQ(wire.last_bytes, "");
  EXPECT_EQ(lost.answer.status, 0);
  EXPECT_FALSE(lost.answer.healthy);
  ASSERT_TRUE(lost.applied);
  EXPECT_EQ(lost.effects.size(), 1U);
  ASSERT_EQ(lost.rules.size(), 1U);
  EXPECT_TRUE(lost.rules[0].delivered) << lost.rules[0].shortfall;
  EXPECT_EQ(wire.send(post("/x", R"({"a":1})")).identity.attempt, 2U);
}

TEST(Rules, JoinARetryToAnOperationWhoseCommitIsStillToCome) {
  PaperWire wire(scenario(
      "  - {on: POST /x, when: {attempt: 1}, fault: {kind: response_lost, commit_after: 3s}}\n"));
  Underway lost = wire.start(post("/x", R"({"a":1})"));
  wire.run_until_apply(lost);  // the reset is out, then three seconds pass
  const Exchange retry = wire.send(post("/x", R"({"a":1})"));
  EXPECT_EQ(retry.identity.operation, 1U);
  EXPECT_EQ(retry.identity.attempt, 2U);
  EXPECT_EQ(wire.finish(lost).effects.size(), 1U);
}

TEST(Rules, JoinARetryThatComesBeforeTheLateCommit) {
  PaperWire wire(scenario(
      "  - {on: POST /x, when: {attempt: 1}, fault: {kind: response_lost, commit_after: 3s}}\n"));
  Underway lost = wire.start(post("/x", R"({"a":1})", "k"));
  wire.pass(1s);
  const Exchange retry = wire.send(post("/x", R"({"a":1})", "k"));
  EXPECT_EQ(retry.identity.attempt, 2U);
  EXPECT_EQ(retry.answer.status, 409) << "its key is in use until the commit";
  wire.finish(lost);
  EXPECT_TRUE(wire.send(post("/x", R"({"a":1})", "k")).answer.replayed);
}

TEST(Rules, StoreTheVendorsAnswerNotTheFaultsForAKey) {
  PaperWire wire(
      scenario("  - {on: POST /x, when: {attempt: 1}, fault: {kind: status, code: 500, at: "
               "after_effect}}\n"));
  EXPECT_EQ(wire.send(post("/x", R"({"a":1})", "k")).answer.status, 500);
  const Exchange retry = wire.send(post("/x", R"({"a":1})", "k"));
  EXPECT_EQ(retry.answer.status, 201);
  EXPECT_TRUE(retry.answer.replayed);
  EXPECT_EQ(wire.journal.effects.size(), 1U);
}

TEST(Rules, LeaveSlicedBytesHealthyAndJunkNot) {
  PaperWire wire(scenario(
      "  - {on: GET /slow, fault: {kind: dribble, slice: 1B, gap: 10ms, at: response_body}}\n"
      "  - {on: GET /junk, fault: invalid_json}\n"));
  EXPECT_TRUE(wire.send(get("/slow")).answer.healthy);
  const Exchange junk = wire.send(get("/junk"));
  EXPECT_FALSE(junk.answer.healthy);
  EXPECT_EQ(junk.answer.status, 200);
  EXPECT_TRUE(junk.rules.at(0).delivered) << junk.rules[0].shortfall;
}

TEST(Rules, ActOnConnectionsBeforeARequest) {
  PaperWire wire(
      scenario("  - {on: any, when: {connection: 1}, fault: {kind: reset, at: accept}}\n"));
  const Decision first = wire.engine->accept({0, "any", 1}, wire.now);
  ASSERT_FALSE(first.steps.empty());
  EXPECT_TRUE(std::holds_alternative<ResetConnection>(first.steps[0]));
  EXPECT_TRUE(wire.engine->accept({0, "any", 2}, wire.now).steps.empty());
  wire.engine->connection_ended(first.id, {Departure::None, std::nullopt, wire.now, wire.now});
  const Journal journal = wire.engine->snapshot();
  ASSERT_EQ(journal.connections[0].rules.size(), 1U);
  EXPECT_TRUE(journal.connections[0].rules[0].delivered)
      << journal.connections[0].rules[0].shortfall;
}

TEST(Rules, AnswerBeforeTheBodyIsRead) {
  PaperWire wire(
      scenario("  - {on: POST /x, when: {request: 1}, fault: {kind: status, code: 413, at: "
               "request_head}}\n"));
  const Ask ask = post("/x", R"({"a":1})", "k");
  const Exchange early = wire.send(ask);
  EXPECT_EQ(early.answer.status, 413);
  EXPECT_FALSE(early.request.complete);
  EXPECT_EQ(early.identity.by, IdentifiedBy::Key);
  EXPECT_EQ(wire.send(ask).identity.operation, early.identity.operation);
}

TEST(Rules, GuessNothingFromAnUnreadBody) {
  PaperWire wire(scenario("  - {on: POST /x, fault: {kind: reset, at: request_head}}\n"));
  const Exchange early = wire.send(post("/x", R"({"a":1})"));
  EXPECT_EQ(early.identity.operation, 0U);
  EXPECT_EQ(early.identity.by, IdentifiedBy::Nothing);
}

TEST(Rules, KnowAttemptsAtTheHeadWhereTheHeadNamesTheOperation) {
  PaperWire wire(
      "mishap: 1\nscenario: x\napi: {from: any, operation: {from: header X-Ref}}\nfaults:\n"
      "  - {on: POST /x, when: {attempt: 1}, fault: {kind: reset, at: request_head}}\n");
  Ask ask = post("/x", R"({"a":1})");
  ask.headers.push_back({"X-Ref", "order-1"});
  const Exchange first = wire.send(ask);
  EXPECT_EQ(first.receipt.ending, Ending::Reset);
  EXPECT_EQ(first.identity.by, IdentifiedBy::Configured);
  EXPECT_EQ(first.request.reference, "order-1");
  const Exchange second = wire.send(ask);
  EXPECT_EQ(second.identity.attempt, 2U);
  EXPECT_EQ(second.answer.status, 201);
}

TEST(Rules, LabelATransportResend) {
  PaperWire wire(
      scenario("  - {on: POST /x, when: {request_on_connection: 2}, fault: "
               "{kind: response_lost, by: close}}\n"));
  const std::uint64_t connection = wire.connect();
  Ask warm = get("/y");
  warm.connection = connection;
  wire.send(warm);
  Ask ask = post("/x", R"({"a":1})");
  ask.connection = connection;
  const Exchange lost = wire.send(ask);
  wire.pass(3ms);
  ask.connection = 0;
  const Exchange resend = wire.send(ask);
  EXPECT_EQ(resend.role, Role::TransportResend);
  EXPECT_EQ(resend.identity.operation, lost.identity.operation);
  EXPECT_EQ(wire.journal.effects.size(), 2U);
}

}  // namespace
}  // namespace mishap::server
