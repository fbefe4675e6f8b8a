#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(OutcomeTruthful, HoldsEachWordAgainstTheLedger) {
  struct Row {
    std::string what;
    bool effect;
    OutcomeKind said;
    Ruling ruling;
  };
  const std::vector<Row> rows = {
      {"true success", true, OutcomeKind::Succeeded, Ruling::Pass},
      {"false success", false, OutcomeKind::Succeeded, Ruling::Fail},
      {"true failure", false, OutcomeKind::Failed, Ruling::Pass},
      {"false failure", true, OutcomeKind::Failed, Ruling::Fail},
      {"not known, done", true, OutcomeKind::Pending, Ruling::Pass},
      {"not known, not done", false, OutcomeKind::Pending, Ruling::Pass},
  };
  for (const Row& row : rows) {
    RecordingBuilder r("x");
    auto attempt = r.create("a").attempt(0ms);
    if (row.effect) attempt.effect();
    attempt.fired("lost").lost_by_reset(4ms);
    r.outcome(10ms, "a", row.said);
    const Finding finding = ask(kOutcomeTruthful, r);
    EXPECT_EQ(finding.ruling, row.ruling) << row.what << "\n" << statements(finding);
  }
}

// Of a create that was refused before its body was read nobody knows the reference.
TEST(OutcomeTruthful, DoesNotMissALineWhoseNameItCannotKnow) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 4ms);
  r.create().key("k").attempt(10ms).incomplete().failed_with(413, 14ms);
  r.outcome(5ms, "a", OutcomeKind::Succeeded);
  r.outcome(15ms, "b", OutcomeKind::Failed);
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(Pass, ask(kOutcomeTruthful, r));
}

TEST(OutcomeTruthful, AnUnreadRequestMayBeThatOfAnOperationWithALine) {
  const auto ruling = [](bool came_again) {
    RecordingBuilder control("control");
    control.create("a").key("c").attempt(0ms).effect().answered(201, 4ms);
    RecordingBuilder r("x");
    if (!came_again) r.create("a").key("k2").attempt(0ms).effect().answered(201, 4ms);
    r.create().key("k1").attempt(10ms).incomplete().lost_by_reset(14ms);
    if (came_again) r.create("a").key("k2").attempt(100ms).effect().answered(201, 104ms);
    r.outcome(105ms, "a", OutcomeKind::Succeeded);
    r.process(0ms, 120ms, 0);
    return ask(kOutcomeTruthful, r, &control).ruling;
  };
  EXPECT_EQ(ruling(true), Ruling::Inconclusive);
  EXPECT_EQ(ruling(false), Ruling::Fail);
}

TEST(OutcomeTruthful, CitesTheEffectThatWasDenied) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  r.outcome(10ms, "a", OutcomeKind::Failed);
  const Finding finding = ask(kOutcomeTruthful, r);
  EXPECT_TRUE(mentions(finding, "a: reported failed, but it took effect after a reset"));
  EXPECT_EQ(finding.witnesses.at(0).effects, std::vector<std::uint64_t>{1});
}

TEST(OutcomeTruthful, TheLastLineWins) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  r.outcome(10ms, "a", OutcomeKind::Failed);
  r.outcome(20ms, "a", OutcomeKind::Pending);
  EXPECT_RULING(Pass, ask(kOutcomeTruthful, r));
}

TEST(OutcomeTruthful, AStatelessRouteConfirmsByItsAnswer) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).answered(200, 4ms);
  r.outcome(10ms, "a", OutcomeKind::Succeeded);
  EXPECT_RULING(Pass, ask(kOutcomeTruthful, r));
}

TEST(OutcomeTruthful, WhatWasTakenBackDidNotHappen) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect("bk_1").fired("lost").lost_by_reset(4ms);
  r.operation("DELETE", "/v1/bookings/bk_1")
      .attempt(10ms)
      .effect("bk_1")
      .effect_kind(server::EffectKind::Deleted)
      .answered(204, 12ms);
  r.outcome(20ms, "a", OutcomeKind::Failed);
  EXPECT_RULING(Pass, ask(kOutcomeTruthful, r));
}

TEST(OutcomeTruthful, AVendorThatRefusesAndDoesItAllTheSameMisleads) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("liar").failed_with(400, 4ms);
  r.outcome(20ms, "a", OutcomeKind::Failed);
  EXPECT_NE(ask(kOutcomeTruthful, r).ruling, Ruling::Fail);
}

TEST(OutcomeTruthful, WarnsOfPendingAfterAValidAnswer) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 4ms);
  r.outcome(20ms, "a", OutcomeKind::Pending);
  const Finding finding = ask(kOutcomeTruthful, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_EQ(finding.warnings.size(), 1u);
}

TEST(OutcomeTruthful, FailsOnAMissingLineOfAClientThatWritesThem) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 4ms);
  r.create("b").attempt(10ms).effect().answered(201, 14ms);
  r.operation("POST", "/v1/login").attempt(20ms).answered(200, 21ms);
  r.outcome(20ms, "a", OutcomeKind::Succeeded);
  r.process(0ms, 30ms, 0);
  const Finding finding = ask(kOutcomeTruthful, r);
  EXPECT_RULING(Fail, finding);
  ASSERT_EQ(finding.witnesses.size(), 1u) << statements(finding);
  EXPECT_TRUE(mentions(finding, "b: no outcome reported after 201"));
}

TEST(OutcomeTruthful, AMissingLineOfAKilledClientIsInconclusive) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 4ms);
  r.outcome(5ms, "a", OutcomeKind::Succeeded);
  r.create("b").attempt(10ms).stalled();
  killed(r, 2s);
  EXPECT_RULING(Inconclusive, ask(kOutcomeTruthful, r));
}

TEST(OutcomeTruthful, IsNotObservedWithoutLinesOrWithNamesOfItsOwn) {
  RecordingBuilder silent("x");
  silent.create("a").attempt(0ms).effect().answered(201, 4ms);
  silent.process(0ms, 30ms, 0);
  EXPECT_RULING(NotObserved, ask(kOutcomeTruthful, silent));
  silent.outcome(5ms, "job-17", OutcomeKind::Succeeded);
  const Finding finding = ask(kOutcomeTruthful, silent);
  EXPECT_RULING(NotObserved, finding);
  EXPECT_TRUE(mentions(finding, "job-17"));
}

TEST(OutcomeTruthful, WhatAnUpstreamDidNotSayIsNotGuessed) {
  for (const auto kind : {OutcomeKind::Succeeded, OutcomeKind::Failed}) {
    RecordingBuilder r("x");
    r.create("a").key("k").attempt(0ms).answered(503, 1ms).raw().upstream.in_doubt = true;
    r.outcome(10ms, "a", kind);
    r.process(0ms, 200ms, 0);
    EXPECT_RULING(Inconclusive, ask(kOutcomeTruthful, r));
  }
}

}  // namespace mishap::client_tests
