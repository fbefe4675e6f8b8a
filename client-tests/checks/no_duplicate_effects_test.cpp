#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(NoDuplicateEffects, FailsOnTwoEffectsOfOneOperation) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).effect("bk_1").fired("lost").lost_by_reset(4ms);
  op.attempt(500ms).effect("bk_2").answered(201, 502ms);
  r.process(0ms, 600ms, 0);
  const Finding finding = ask(kNoDuplicateEffects, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.headline, "2 bookings for one operation");
  EXPECT_TRUE(mentions(finding, "a: 2 effects (bk_1, bk_2) > 1"));
  EXPECT_EQ(finding.witnesses.at(0).effects, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));
}

TEST(NoDuplicateEffects, FailsAlsoWhereNoFaultTemptedTheClient) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).effect().answered(201, 4ms);
  op.attempt(500ms).effect().answered(201, 502ms);
  EXPECT_RULING(Fail, ask(kNoDuplicateEffects, r));
}

TEST(NoDuplicateEffects, BlamesNobodyForWhatTheVendorDoubled) {
  RecordingBuilder control("control");
  control.create("a").attempt(0ms).effect().answered(201, 4ms);
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).effect("bk_1").effect("bk_2").answered(201, 4ms);
  r.process(0ms, 600ms, 0);
  EXPECT_RULING(NotApplicable, ask(kNoDuplicateEffects, r, &control));
  op.attempt(500ms).effect("bk_3").answered(201, 502ms);
  EXPECT_RULING(Fail, ask(kNoDuplicateEffects, r, &control));
}

TEST(NoDuplicateEffects, PassesWhereTheClientWasTempted) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  op.attempt(500ms).replayed().answered(201, 502ms);
  r.process(0ms, 600ms, 0);
  EXPECT_RULING(Pass, ask(kNoDuplicateEffects, r));
}

TEST(NoDuplicateEffects, CountsAnEffectThatCameAfterTheClientHadGone) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).effect_at(3s).stalled().left(1s);
  op.attempt(1100ms).effect().answered(201, 1200ms);
  r.process(0ms, 4s, 0);
  EXPECT_RULING(Fail, ask(kNoDuplicateEffects, r));
}

TEST(NoDuplicateEffects, DoesNotCountWhatTheClientTookBack) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).effect("bk_1").fired("lost").lost_by_reset(4ms);
  op.attempt(500ms).effect("bk_2").answered(201, 502ms);
  r.operation("DELETE", "/v1/bookings/bk_1")
      .attempt(510ms)
      .effect("bk_1")
      .effect_kind(server::EffectKind::Deleted)
      .answered(204, 512ms);
  r.process(0ms, 600ms, 0);
  EXPECT_RULING(Pass, ask(kNoDuplicateEffects, r));
}

TEST(NoDuplicateEffects, DoesNotApplyWhereNothingTookEffectUnseen) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(500ms).effect().answered(201, 502ms);
  r.process(0ms, 600ms, 0);
  EXPECT_RULING(NotApplicable, ask(kNoDuplicateEffects, r));
}

TEST(NoDuplicateEffects, IsInconclusiveWhereTheClientWasKilledAtIt) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  killed(r, 2s);
  EXPECT_RULING(Inconclusive, ask(kNoDuplicateEffects, r));
}

TEST(NoDuplicateEffects, TwoEqualCallsOnPurposeAreNoDuplicate) {
  RecordingBuilder control("control");
  control.create().attempt(0ms).effect().answered(201, 1ms);
  control.create().attempt(10ms).effect().answered(201, 11ms);
  RecordingBuilder r("x");
  auto op = r.create();
  op.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  op.attempt(10ms).effect().answered(201, 12ms);
  r.process(0ms, 20ms, 0);
  EXPECT_RULING(NotApplicable, ask(kNoDuplicateEffects, r, &control));
  auto third = r.create();
  third.attempt(15ms).effect().answered(201, 16ms);
  EXPECT_RULING(Fail, ask(kNoDuplicateEffects, r, &control));
}

// Attempts that share neither a reference nor a key nor their bytes: each stands as an operation.
TEST(NoDuplicateEffects, IsInconclusiveWhereMoreIsMadeThanInTheControlAndNothingTellsWhatBelongs) {
  RecordingBuilder control("control");
  control.create().attempt(0ms).effect().answered(201, 1ms);
  RecordingBuilder r("x");
  r.create().attempt(0ms).content("at 1").effect().fired("lost").lost_by_reset(4ms);
  r.create().attempt(500ms).content("at 2").effect().answered(201, 502ms);
  r.process(0ms, 600ms, 0);
  const Finding finding = ask(kNoDuplicateEffects, r, &control);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_NE(finding.reason.find("2 were created where the healthy control created 1"),
            std::string::npos);
  // As many as usual, and still nothing tells that they are the usual ones.
  control.create().attempt(10ms).content("other").effect().answered(201, 11ms);
  EXPECT_RULING(Inconclusive, ask(kNoDuplicateEffects, r, &control));
  control.create().attempt(20ms).content("at 2").effect().answered(201, 21ms);
  EXPECT_RULING(Pass, ask(kNoDuplicateEffects, r, &control));
}

TEST(NoDuplicateEffects, WhatAnUpstreamDidNotSayIsNotGuessed) {
  RecordingBuilder r("x");
  auto booking = r.create("a").key("k");
  booking.attempt(0ms).answered(503, 1ms).raw().upstream.in_doubt = true;
  booking.attempt(100ms).effect().answered(201, 102ms);
  r.process(0ms, 200ms, 0);
  const Finding finding = ask(kNoDuplicateEffects, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_NE(finding.reason.find("the upstream did not say"), std::string::npos);

  RecordingBuilder twice("x");
  auto charged = twice.create("a").key("k");
  charged.attempt(0ms).answered(503, 1ms).raw().upstream.in_doubt = true;
  charged.attempt(100ms).effect().lost_by_reset(102ms);
  charged.attempt(200ms).effect().answered(201, 202ms);
  twice.process(0ms, 300ms, 0);
  EXPECT_RULING(Fail, ask(kNoDuplicateEffects, twice));
}

TEST(NoDuplicateEffects, WithoutAControlALaterCreateMayBeTheLostOneAgain) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(2ms);
  r.create("b").attempt(100ms).effect().answered(201, 101ms);
  r.process(0ms, 200ms, 0);
  const Finding finding = ask(kNoDuplicateEffects, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "a was left in doubt and 1 more came after it"));
  RecordingBuilder again("x");
  auto op = again.create("a").key("k");
  op.attempt(0ms).effect().fired("lost").lost_by_reset(2ms);
  op.attempt(50ms).answered(201, 51ms);
  again.create("b").key("l").attempt(100ms).effect().answered(201, 101ms);
  again.process(0ms, 200ms, 0);
  EXPECT_RULING(Pass, ask(kNoDuplicateEffects, again));
}

TEST(NoDuplicateEffects, TheSameReferenceWithOtherContentIsNoOtherIntent) {
  RecordingBuilder control("control");
  control.control();
  control.create("a").attempt(0ms).effect().answered(201, 2ms);
  control.create("b").attempt(10ms).effect().answered(201, 12ms);
  for (const std::string second : {"a", "b"}) {
    RecordingBuilder r("x");
    r.create("a").attempt(0ms).content("1").effect().fired("lost").lost_by_reset(2ms);
    r.create(second).attempt(50ms).content("2").effect().answered(201, 52ms);
    r.process(0ms, 100ms, 0);
    const Finding finding = ask(kNoDuplicateEffects, r, &control);
    EXPECT_EQ(finding.ruling, second == "a" ? Ruling::Inconclusive : Ruling::Pass)
        << second << " " << statements(finding);
  }
}

TEST(NoDuplicateEffects, OneMadeTwiceAndAnotherNotAtAllIsNoPass) {
  RecordingBuilder control("control");
  control.control();
  control.create().attempt(0ms).content("a, 10:00").effect().answered(201, 2ms);
  control.create().attempt(10ms).content("b, 10:00").effect().answered(201, 12ms);
  RecordingBuilder twice("x");
  twice.create().attempt(0ms).content("a, 10:01").effect().fired("lost").lost_by_reset(2ms);
  twice.create().attempt(50ms).content("a, 10:02").effect().answered(201, 52ms);
  twice.process(0ms, 100ms, 0);
  EXPECT_RULING(Inconclusive, ask(kNoDuplicateEffects, twice, &control));
  RecordingBuilder goes_on("x");
  goes_on.create().attempt(0ms).content("a, 10:00").effect().fired("lost").lost_by_reset(2ms);
  goes_on.create().attempt(50ms).content("b, 10:00").effect().answered(201, 52ms);
  goes_on.process(0ms, 100ms, 0);
  EXPECT_RULING(Pass, ask(kNoDuplicateEffects, goes_on, &control));
}

// A client that made one order on the good day.
void usual_order(RecordingBuilder& control, const std::string& content, int orders = 1) {
  control.control();
  for (int i = 0; i < orders; ++i) {
    control.create().attempt(i * 10ms).content(content).effect().answered(201, i * 10ms + 4ms);
  }
}

TEST(NoDuplicateEffects, FailsOnASecondCreateThatNoLostAnswerExplains) {
  RecordingBuilder control("control");
  usual_order(control, "order");
  RecordingBuilder r("x");
  r.create().attempt(0ms).content("order").effect().answered(201, 4ms);
  r.create().attempt(500ms).content("order").effect().answered(201, 504ms);
  r.process(0ms, 600ms, 0);
  const Finding finding = ask(kNoDuplicateEffects, r, &control);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.headline, "2 bookings from equal requests, 1 in the control");
  EXPECT_EQ(finding.witnesses.at(0).effects, (std::vector<std::uint64_t>{1, 2}));
}

TEST(NoDuplicateEffects, MoreCreatesThanUsualAreNoPassWhereTheyDiffer) {
  RecordingBuilder control("control");
  usual_order(control, "order");
  RecordingBuilder r("x");
  r.create().attempt(0ms).content("order at 1").effect().answered(201, 4ms);
  r.create().attempt(500ms).content("order at 2").effect().answered(201, 504ms);
  r.process(0ms, 600ms, 0);
  EXPECT_RULING(Inconclusive, ask(kNoDuplicateEffects, r, &control));
}

TEST(NoDuplicateEffects, EqualCreatesOfTheGoodDayAreNoDuplicates) {
  RecordingBuilder control("control");
  usual_order(control, "order", 2);
  RecordingBuilder r("x");
  usual_order(r, "order", 2);
  r.process(0ms, 600ms, 0);
  EXPECT_RULING(NotApplicable, ask(kNoDuplicateEffects, r, &control));
  RecordingBuilder three("x");
  usual_order(three, "order", 3);
  three.process(0ms, 600ms, 0);
  EXPECT_RULING(Inconclusive, ask(kNoDuplicateEffects, three, &control)) << "perhaps meant so";
}

TEST(NoDuplicateEffects, WhatAServiceRepeatsAllDayIsNoDuplicate) {
  RecordingBuilder control("control");
  usual_order(control, "beat", 2);
  RecordingBuilder r("x");
  usual_order(r, "beat", 5);
  ProcessFacts& service = r.process(0ms, 9s, 0);
  service.role = ProcessRole::Service;
  service.stop = Stop::Stopped;
  EXPECT_RULING(NotApplicable, ask(kNoDuplicateEffects, r, &control));
}

TEST(NoDuplicateEffects, ProcessesLeftBehindMayHaveSentItAgain) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  r.process(0ms, 600ms, 0).left_behind = 1;
  const Finding finding = ask(kNoDuplicateEffects, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_NE(finding.reason.find("left 1 of its processes behind"), std::string::npos);
}

}  // namespace mishap::client_tests
