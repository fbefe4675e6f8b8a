#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/engine/engine_fixture.h"

// Rules with a memory, through the engine: what is counted together, and when it happens.
namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::StartsWith;

std::string scenario(const std::string& rules) {
  return "mishap: 1\nscenario: t\napi: any\nfaults:\n" + rules;
}

Ask with_token(const std::string& token) {
  Ask ask = get("/x");
  ask.headers.push_back({"Authorization", "Bearer " + token});
  return ask;
}

TEST(Models, KeepAQuotaPerToken) {
  PaperWire wire(scenario("  - {on: any, fault: {kind: quota, limit: 2, window: 10s}}\n"));
  EXPECT_EQ(wire.send(with_token("a")).answer.status, 200);
  EXPECT_EQ(wire.send(with_token("a")).answer.status, 200);
  wire.pass(3500ms);
  const Exchange refused = wire.send(with_token("a"));
  EXPECT_EQ(refused.answer.status, 429);
  EXPECT_TRUE(has_line(wire.last_bytes, "Retry-After: 7"));
  EXPECT_TRUE(has_line(wire.last_bytes, "RateLimit: \"quota\";r=0;t=7"));
  EXPECT_FALSE(refused.applied);
  EXPECT_TRUE(refused.rules.at(0).delivered) << refused.rules.at(0).shortfall;
  EXPECT_EQ(wire.send(with_token("b")).answer.status, 200);
  wire.pass(7s);
  const Exchange let_in = wire.send(with_token("a"));
  EXPECT_EQ(let_in.answer.status, 200);
  EXPECT_TRUE(let_in.answer.healthy);
  EXPECT_FALSE(let_in.rules.at(0).fired);
  EXPECT_EQ(let_in.rules.at(0).readings.at(0).value, 1);
}

TEST(Models, ShareAQuotaBetweenCopies) {
  PaperWire wire(scenario("  - {on: any, fault: {kind: quota, limit: 1, per: all}}\n"), 1, 2);
  EXPECT_EQ(wire.send(get("/x")).answer.status, 200);
  wire.lane = 1;
  EXPECT_EQ(wire.send(get("/x")).answer.status, 429);
}

TEST(Models, LetALaterRuleActWhereTheirOwnDoesNot) {
  PaperWire wire(
      scenario("  - {on: any, fault: {kind: quota, limit: 1}}\n"
               "  - {on: any, fault: {kind: status, code: 503}}\n"));
  EXPECT_EQ(wire.send(get("/x")).answer.status, 503);
  EXPECT_EQ(wire.send(get("/x")).answer.status, 429);
}

TEST(Models, MakeEachInFlightSlowerAndTheNextTooMany) {
  PaperWire wire(
      scenario("  - {on: any, fault: {kind: capacity, each: 100ms, limit: 3, retry_after: 1}}\n"));
  Underway first = wire.start(get("/x?1"));
  Underway second = wire.start(get("/x?2"));
  Underway third = wire.start(get("/x?3"));
  Underway fourth = wire.start(get("/x?4"));
  EXPECT_EQ(wire.finish(fourth).answer.status, 503);
  EXPECT_TRUE(has_line(wire.last_bytes, "Retry-After: 1"));
  const Duration began = wire.now;
  const Exchange slow = wire.finish(third);
  EXPECT_EQ(wire.now - began, Duration(200ms));
  EXPECT_TRUE(slow.rules.at(0).delivered) << slow.rules.at(0).shortfall;
  wire.finish(second);
  EXPECT_FALSE(wire.finish(first).rules.at(0).fired) << "it came when nothing was in flight";
  EXPECT_FALSE(wire.send(get("/x?5")).rules.at(0).fired) << "all have ended";
}

const std::string kThree =
    "  - {on: any, at: request_head, fault: {kind: barrier, count: 3, within: 2s}}\n"
    "  - {on: any, when: {request: 1..3}, fault: {kind: status, code: 503}}\n";

TEST(Models, HoldTheFirstUntilAllHaveComeAndFailThemTogether) {
  PaperWire wire(scenario(kThree));
  const std::uint64_t a = wire.connect();
  const Decision first = wire.engine->head(a, {"GET", "/x?1", 1, {}, false, false}, 1s, 1s);
  ASSERT_EQ(first.steps.size(), 2U);
  const auto hold = std::get<WaitForEvent>(first.steps[0]);
  EXPECT_EQ(hold.most, Duration(2s));
  wire.engine->head(wire.connect(), {"GET", "/x?2", 1, {}, false, false}, 2s, 2s);
  EXPECT_FALSE(wire.happened.contains(hold.event));
  const Decision last =
      wire.engine->head(wire.connect(), {"GET", "/x?3", 1, {}, false, false}, 2500ms, 2500ms);
  EXPECT_TRUE(wire.happened.contains(hold.event));
  EXPECT_EQ(std::get<WaitForEvent>(last.steps[0]).most, Duration(500ms));
  Receipt receipt;
  receipt.first_write = 2500ms;
  wire.engine->request(first.id, "", 2500ms);
  wire.engine->end(first.id, 0, receipt);
  EXPECT_TRUE(wire.recorded(first.id).rules.at(0).delivered);
  EXPECT_EQ(wire.send(get("/x?4")).rules.at(0).fired, false) << "nobody is held afterwards";
}

TEST(Models, GiveUpWaitingForThoseWhoDoNotCome) {
  PaperWire wire(scenario(kThree));
  const Duration began = wire.now;
  const Exchange alone = wire.send(get("/x?1"));
  EXPECT_EQ(wire.now - began, Duration(2s));
  EXPECT_EQ(alone.answer.status, 503);
  EXPECT_FALSE(alone.rules.at(0).delivered);
  EXPECT_EQ(alone.rules.at(0).shortfall, "only 1 of 3 came within 2s");
  EXPECT_FALSE(wire.send(get("/x?2")).rules.at(0).fired);
}

}  // namespace
}  // namespace mishap::server
