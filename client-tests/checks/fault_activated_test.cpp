#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(FaultActivated, PassesWhereEachRuleWasDelivered) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost");
  auto op = r.create("a");
  op.attempt(0ms).fired("lost").lost_by_reset(4ms);
  op.attempt(100ms).answered(201, 101ms);
  const Finding finding = ask(kFaultActivated, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, std::vector<std::uint64_t>{1});
}

TEST(FaultActivated, NamesTheRuleThatWasNotDeliveredAndWhy) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost");
  auto op = r.create("a");
  op.attempt(0ms).fired("lost").lost_by_reset(4ms);
  op.attempt(100ms).undelivered("lost", "the client waited for it").answered(201, 101ms);
  const Finding finding = ask(kFaultActivated, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "lost was not delivered: the client waited for it"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, std::vector<std::uint64_t>{2});
}

TEST(FaultActivated, IsInconclusiveWhereTheCallCameInTheControlOnly) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost");
  r.rule("slow", "latency");
  r.create("a").attempt(0ms).fired("lost").lost_by_reset(4ms);
  const Finding finding = ask(kFaultActivated, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "slow: the client made the call in the control, not here"));
}

TEST(FaultActivated, AllowsACallThatTheClientNeverMakesBesideAnotherRule) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost");
  r.rule("slow", "latency").called_in_control = false;
  r.create("a").attempt(0ms).fired("lost").lost_by_reset(4ms);
  EXPECT_RULING(Pass, ask(kFaultActivated, r));
}

TEST(FaultActivated, DoesNotHoldAnAttemptThatWasNeverMadeAgainstTheRun) {
  RecordingBuilder r("x");
  r.rule("first", "status");
  r.rule("second", "status").attempt = only(2, 2);
  r.create("a").attempt(0ms).fired("first").failed_with(503, 1ms);
  const Finding finding = ask(kFaultActivated, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "warning: second: the client never came that far"));
}

TEST(FaultActivated, IsInconclusiveWhereNothingAtAllHappened) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost").called_in_control = false;
  r.create("a").attempt(0ms).answered(201, 1ms);
  EXPECT_RULING(Inconclusive, ask(kFaultActivated, r));
}

TEST(FaultActivated, IsInconclusiveWhereNoDrawFellOnTheCall) {
  RecordingBuilder r("x");
  r.rule("rare", "status").rate = 0.3;
  r.create("a").attempt(0ms).fired("rare").answered(201, 1ms).raw().rules.back().fired = false;
  EXPECT_RULING(Inconclusive, ask(kFaultActivated, r));
}

TEST(FaultActivated, IsInconclusiveWhereAQuotaWasNeverUsedUp) {
  RecordingBuilder r("x");
  r.rule("quota", "quota");
  server::RuleHit& hit =
      r.create("a").attempt(0ms).fired("quota").answered(201, 1ms).raw().rules.back();
  hit.fired = false;
  hit.readings = {{"count", 1}};
  const Finding finding = ask(kFaultActivated, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "quota: the call came, and was let pass each time"));
}

TEST(FaultActivated, CountsWhatHappenedToListeners) {
  RecordingBuilder r("x");
  r.rule("down", "refuse");
  r.create("a").attempt(0ms).answered(201, 1ms);
  server::ListenerSpell spell;
  server::RuleHit hit;
  hit.rule = "down";
  hit.fired = hit.delivered = true;
  spell.rules.push_back(hit);
  r.recording().journal.spells.push_back(spell);
  EXPECT_RULING(Pass, ask(kFaultActivated, r));
  server::RuleHit& missing = r.recording().journal.spells.at(0).rules.at(0);
  missing.delivered = false;
  missing.shortfall = "nobody tried to connect";
  const Finding finding = ask(kFaultActivated, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "down was not delivered: nobody tried to connect"));
}

TEST(FaultActivated, OfAPortThatRefusesIsProvenByWhomItTurnedAway) {
  RecordingBuilder r("x");
  r.rule("down", "refuse");
  r.create("a").attempt(0ms).answered(201, 1ms);
  server::ListenerSpell& spell = r.recording().journal.spells.emplace_back();
  spell.what = "refused";
  server::RuleHit& hit = spell.rules.emplace_back();
  hit.rule = "down";
  hit.fired = hit.delivered = true;
  spell.number = 1;
  const Finding deaf = ask(kFaultActivated, r);
  EXPECT_RULING(Inconclusive, deaf);
  EXPECT_TRUE(mentions(deaf, "whether the client asked for one meanwhile could not be heard"));
  spell.heard = true;
  const Finding unasked = ask(kFaultActivated, r);
  EXPECT_RULING(Inconclusive, unasked);
  EXPECT_TRUE(mentions(unasked, "down: nobody asked for a connection while they were refused"));
  r.recording().journal.turned_away.push_back({.spell = 1, .lane = 0, .api = "booking", .at = 5ms});
  const Finding asked = ask(kFaultActivated, r);
  EXPECT_RULING(Pass, asked);
  EXPECT_TRUE(mentions(asked, "down turned 1 connect away"));
}

// Beside another rule as well: a call that was lost before it could be heard is not counted
// anywhere.
TEST(FaultActivated, IsOpenWhereWhoWasRefusedCouldNotBeHeard) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.rule("down", "refuse");
  r.create("a").attempt(0ms).fired("busy").failed_with(503, 1ms);
  server::ListenerSpell& spell = r.recording().journal.spells.emplace_back();
  spell.what = "refused";
  server::RuleHit& hit = spell.rules.emplace_back();
  hit.rule = "down";
  hit.fired = hit.delivered = true;
  EXPECT_RULING(Inconclusive, ask(kFaultActivated, r));
  spell.heard = true;
  EXPECT_RULING(Pass, ask(kFaultActivated, r));
}

TEST(FaultActivated, CountsWhatHappenedToConnections) {
  RecordingBuilder r("x");
  r.rule("refused", "reset");
  r.create("a").attempt(0ms).answered(201, 1ms);
  server::RuleHit hit;
  hit.rule = "refused";
  hit.fired = hit.delivered = true;
  r.recording().journal.connections.at(0).rules.push_back(hit);
  EXPECT_RULING(Pass, ask(kFaultActivated, r));
}

TEST(FaultActivated, DoesNotApplyWithoutFaults) {
  RecordingBuilder r("healthy");
  EXPECT_RULING(NotApplicable, ask(kFaultActivated, r));
}

}  // namespace mishap::client_tests
