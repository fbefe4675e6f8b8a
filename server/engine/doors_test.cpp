#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/engine/engine_fixture.h"

// What the listeners are told by the rules at connect, and what stands of it in the journal.
namespace mishap::server {
namespace {

using namespace std::chrono_literals;

std::string scenario(const std::string& rules, const std::string& more = "") {
  return "mishap: 1\nscenario: t\napi: any\n" + more + "faults:\n" + rules;
}

bool is_refusing(const Door& door) {
  return std::holds_alternative<RefuseConnections>(door.action);
}

class Doors : public testing::Test {
 protected:
  void play(const std::string& yaml, int lanes = 1) { wire_.emplace(yaml, 1, lanes); }
  Door door(Duration now, int lane = 0) { return wire_->engine->door(lane, "any", now); }
  void connect(Duration now, int lane = 0) { wire_->engine->accept({lane, "any", 1}, now); }
  ListenerSpell spell(std::size_t index) { return wire_->engine->snapshot().spells.at(index); }
  std::size_t spells() { return wire_->engine->snapshot().spells.size(); }

  std::optional<PaperWire> wire_;
};

TEST_F(Doors, NeedNotBeAskedAgainWhereNoRuleIsAtConnect) {
  play(scenario("  - {on: any, at: accept, do: reset}\n"));
  const Door open = door(0s);
  EXPECT_TRUE(std::holds_alternative<TakeConnections>(open.action));
  EXPECT_FALSE(open.may_change);
  connect(0s);
  EXPECT_EQ(wire_->engine->snapshot().connections.at(0).rules.size(), 1U);
}

TEST_F(Doors, RefuseFromTheBeginningForSoLong) {
  play(scenario("  - {fault: {kind: refuse, for: 2s}}\n"));
  EXPECT_TRUE(is_refusing(door(1s)));
  EXPECT_EQ(door(1500ms).until, Duration(3s));
  EXPECT_EQ(spell(0).until, Duration(3s));
  EXPECT_TRUE(is_refusing(door(3s - 1ns)));
  const Door open = door(3s);
  EXPECT_FALSE(is_refusing(open));
  EXPECT_EQ(open.spell, 0U);
  EXPECT_EQ(open.until, std::nullopt);
  EXPECT_FALSE(is_refusing(door(9s)));
  EXPECT_EQ(spells(), 1U);
  connect(9s);
  EXPECT_FALSE(is_refusing(door(9s)));
  EXPECT_TRUE(wire_->engine->snapshot().connections.at(0).rules.empty()) << "the listener's alone";
}

TEST_F(Doors, RefuseInThePlaceOfAConnection) {
  play(scenario("  - {when: {connection: 2}, fault: {kind: refuse, for: 1s}}\n"));
  EXPECT_FALSE(is_refusing(door(0s)));
  connect(5s);
  EXPECT_TRUE(is_refusing(door(5s)));
  EXPECT_FALSE(is_refusing(door(6s)));
  connect(7s);
  EXPECT_FALSE(is_refusing(door(7s)));
}

TEST_F(Doors, FollowTheClockOnceItRuns) {
  play(scenario(
      "  - {when: {during: down}, fault: refuse}\n",
      "timeline: {repeat: true, phases: [{phase: up, for: 2s}, {phase: down, for: 1s}]}\n"));
  EXPECT_EQ(door(50s).until, std::nullopt) << "nobody has come";
  connect(100s);
  EXPECT_EQ(door(100s).until, Duration(102s));
  EXPECT_FALSE(is_refusing(door(101s)));
  EXPECT_TRUE(is_refusing(door(102s)));
  EXPECT_EQ(door(102s).until, Duration(103s));
  EXPECT_FALSE(is_refusing(door(103s)));
  EXPECT_EQ(door(103s).until, Duration(105s));
  EXPECT_TRUE(is_refusing(door(105s)));
  EXPECT_EQ(spells(), 2U);
}

TEST_F(Doors, BelongToTheirCopy) {
  play(scenario("  - {when: {copy: 1}, fault: unanswered}\n"), 2);
  EXPECT_FALSE(door(0s, 0).may_change);
  EXPECT_TRUE(std::holds_alternative<LeaveUnanswered>(door(0s, 1).action));
  EXPECT_EQ(spell(0).lane, 1);
}

TEST_F(Doors, DoWhatTheFirstRuleInForceSays) {
  play(
      scenario("  - {fault: {kind: refuse, for: 1s}}\n"
               "  - {fault: {kind: connection_limit, most: 3}}\n"));
  EXPECT_TRUE(is_refusing(door(0s)));
  EXPECT_EQ(std::get<LimitConnections>(door(1s).action).most, 3U);
  EXPECT_EQ(spell(1).what, "limited");
}

TEST_F(Doors, ProveASpellByWhatTheListenerSaw) {
  play(scenario("  - {fault: {kind: refuse, for: 1s}}\n"));
  const std::uint64_t number = door(0s).spell;
  EXPECT_FALSE(spell(0).rules.at(0).delivered);
  wire_->engine->spell_seen(number, {.began = 1ms, .probe = "connected"});
  EXPECT_EQ(spell(0).rules.at(0).shortfall, "a connect of our own was not refused");
  wire_->engine->spell_seen(number, {.began = 1ms, .ended = 1s + 1ms, .probe = "refused"});
  EXPECT_TRUE(spell(0).rules.at(0).delivered) << spell(0).rules.at(0).shortfall;
  EXPECT_EQ(spell(0).what, "refused");
  EXPECT_EQ(spell(0).ended, Duration(1s + 1ms));
}

TEST_F(Doors, AreNotOpenedByWhoComesToAnotherApi) {
  play(
      "mishap: 1\nscenario: t\napis: {any: any, other: any}\nfaults:\n"
      "  - {on: any any, fault: {kind: refuse, for: 20s}}\n");
  EXPECT_TRUE(is_refusing(door(0s)));
  wire_->engine->accept({0, "other", 1}, 1s);
  EXPECT_TRUE(is_refusing(door(1s)));
  EXPECT_TRUE(is_refusing(door(20s - 1ns)));
  EXPECT_FALSE(is_refusing(door(20s)));
  EXPECT_FALSE(is_refusing(door(50s)));
  EXPECT_EQ(spells(), 1U);
}

TEST_F(Doors, CountTheTimeFromWhenTheListenerDidIt) {
  play(scenario("  - {fault: {kind: refuse, for: 1s}}\n"));
  const std::uint64_t number = door(0s).spell;
  wire_->engine->spell_seen(number, {.began = 3ms, .probe = "refused"});
  EXPECT_TRUE(is_refusing(door(1s)));
  EXPECT_EQ(door(1s).until, Duration(1s + 3ms));
  EXPECT_FALSE(is_refusing(door(1s + 3ms)));
}

TEST_F(Doors, TellOfWhomTheyTurnedAway) {
  play(scenario("  - {when: {copy: 1}, fault: {kind: refuse, for: 1s}}\n"), 2);
  const std::uint64_t number = door(0s, 1).spell;
  wire_->engine->spell_seen(number, {.began = 1ms, .probe = "refused", .heard = true});
  wire_->engine->turned_away(number, 40001, 20ms);
  const Journal journal = wire_->engine->snapshot();
  EXPECT_TRUE(journal.spells.at(0).heard);
  ASSERT_EQ(journal.turned_away.size(), 1U);
  const TurnedAway& one = journal.turned_away.at(0);
  EXPECT_EQ(one.spell, number);
  EXPECT_EQ(one.lane, 1);
  EXPECT_EQ(one.api, "any");
  EXPECT_EQ(one.at, Duration(20ms));
  EXPECT_EQ(one.client_port, 40001);
}

}  // namespace
}  // namespace mishap::server
