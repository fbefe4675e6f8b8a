#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// The first attempt is cut off and carried out at 3 s; the second is told that it is running.
OperationBuilder conflict(RecordingBuilder& r) {
  auto op = r.create("a").key("k1");
  op.attempt(0ms).fired("lost").lost_by_reset(2ms).effect_at(3s);
  op.attempt(100ms).answered(409, 101ms);
  return op;
}

}  // namespace

TEST(InProgressConflictHandled, PassesTheSameKeyALittleLater) {
  RecordingBuilder r("x");
  auto op = conflict(r);
  op.attempt(700ms).answered(409, 701ms);
  op.attempt(3100ms).answered(201, 3101ms).replayed();
  const Finding finding = ask(kInProgressConflictHandled, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "a: a reset -> 409 -> 409 -> 201"));
}

TEST(InProgressConflictHandled, FailsOnANewKey) {
  RecordingBuilder r("x");
  auto op = conflict(r);
  op.attempt(700ms).key("k2").effect().answered(201, 701ms);
  const Finding finding = ask(kInProgressConflictHandled, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: key k2 after 409 for key k1, which was still running"));
}

TEST(InProgressConflictHandled, FailsWhereItIsReportedFailed) {
  RecordingBuilder r("x");
  conflict(r);
  r.outcome(110ms, "a", OutcomeKind::Failed);
  r.process(0ms, 120ms, 1);
  EXPECT_RULING(Fail, ask(kInProgressConflictHandled, r));
}

TEST(InProgressConflictHandled, LeftPendingIsAWarning) {
  RecordingBuilder r("x");
  conflict(r);
  r.outcome(110ms, "a", OutcomeKind::Pending);
  r.process(0ms, 120ms, 1);
  const Finding finding = ask(kInProgressConflictHandled, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_EQ(finding.warnings.size(), 1u);
}

TEST(InProgressConflictHandled, ALookupThatFindsItIsAnEndAsWell) {
  RecordingBuilder r("x");
  auto op = conflict(r);
  r.lookup(3200ms, {op.number()}, true).answered(200, 3201ms);
  r.process(0ms, 3300ms, 0);
  EXPECT_RULING(Pass, ask(kInProgressConflictHandled, r));
}

TEST(InProgressConflictHandled, HammeringIsNoWaiting) {
  RecordingBuilder r("x");
  auto op = conflict(r);
  op.attempt(102ms).answered(409, 103ms);
  op.attempt(104ms).answered(409, 105ms);
  op.attempt(3100ms).answered(201, 3101ms).replayed();
  const Finding finding = ask(kInProgressConflictHandled, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: 2 attempts at once after 409"));

  RecordingBuilder once("x");
  auto patient = conflict(once);
  patient.attempt(102ms).answered(409, 103ms);
  patient.attempt(3100ms).answered(201, 3101ms).replayed();
  const Finding warned = ask(kInProgressConflictHandled, once);
  EXPECT_RULING(Pass, warned);
  EXPECT_EQ(warned.warnings.size(), 1u);
}

TEST(InProgressConflictHandled, RetryAfterIsAFloor) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k1");
  op.attempt(0ms).fired("lost").lost_by_reset(2ms).effect_at(3s);
  op.attempt(100ms).answered(409, 101ms).header("Retry-After", "2");
  op.attempt(1000ms).answered(409, 1001ms);
  op.attempt(3100ms).answered(201, 3101ms).replayed();
  EXPECT_RULING(Fail, ask(kInProgressConflictHandled, r));
  RecordingBuilder control("control");
  control.control();
  auto usual = control.create("c").key("c1");
  usual.attempt(0ms).effect().answered(201, 2ms);
  usual.attempt(50ms).answered(201, 52ms).replayed();
  EXPECT_NE(ask(kInProgressConflictHandled, r, &control).ruling, Ruling::Fail)
      << "a queue that delivers twice on the good day too";
}

TEST(InProgressConflictHandled, OtherConflictsAreNoOccasion) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k1");
  op.attempt(0ms).effect().answered(201, 2ms);
  op.attempt(100ms).answered(409, 101ms);  // the first one is done: this is about something else
  r.outcome(110ms, "a", OutcomeKind::Failed);
  EXPECT_RULING(NotApplicable, ask(kInProgressConflictHandled, r));
  RecordingBuilder scripted("x");
  auto made_up = scripted.create("a").key("k1");
  made_up.attempt(100ms).fired("status").failed_with(409, 101ms);
  scripted.outcome(110ms, "a", OutcomeKind::Failed);
  EXPECT_RULING(NotApplicable, ask(kInProgressConflictHandled, scripted));
  EXPECT_RULING(Fail,
                ask(kInProgressConflictHandled, scripted, parameters({{"scripted", "true"}})));
}

TEST(InProgressConflictHandled, TheUsersNextEqualCallHasAKeyOfItsOwn) {
  RecordingBuilder control("control");
  control.control();
  for (int i = 1; i <= 2; ++i) {
    control.create()
        .key("c" + std::to_string(i))
        .attempt(i * 10ms)
        .content("equal")
        .answered(201, i * 10ms);
  }
  RecordingBuilder r("x");
  auto op = r.create();
  op.attempt(0ms).key("k1").content("equal").fired("lost").lost_by_reset(2ms).effect_at(3s);
  op.attempt(100ms).key("k1").content("equal").answered(409, 101ms);
  op.attempt(200ms).key("k2").content("equal").effect().answered(201, 201ms);
  r.process(0ms, 300ms, 1);
  EXPECT_RULING(NotApplicable, ask(kInProgressConflictHandled, r, &control));
  EXPECT_RULING(Fail, ask(kInProgressConflictHandled, r));
}

TEST(InProgressConflictHandled, WhatIsNotToldLeavesItOpen) {
  RecordingBuilder silent("x");
  conflict(silent);
  silent.process(0ms, 120ms, 1);
  EXPECT_RULING(Inconclusive, ask(kInProgressConflictHandled, silent));
  RecordingBuilder hung("x");
  conflict(hung);
  killed(hung, 500ms);
  EXPECT_RULING(Inconclusive, ask(kInProgressConflictHandled, hung));
}

}  // namespace mishap::client_tests
