#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

void healthy(RecordingBuilder& control, int operations) {
  control.control();
  for (int i = 1; i <= operations; ++i) {
    const std::string name = "c-" + std::to_string(i);
    control.create(name).attempt(i * 10ms).effect().answered(201, i * 10ms + 2ms);
    control.outcome(i * 10ms + 5ms, name, OutcomeKind::Succeeded);
  }
  control.process(0ms, 100ms, 0);
}

}  // namespace

TEST(EveryOperationAccounted, FailsOnAnOperationWithoutAWord) {
  RecordingBuilder control("control");
  healthy(control, 2);
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.create("b").attempt(10ms).fired("503").failed_with(503, 12ms);
  r.outcome(5ms, "a", OutcomeKind::Succeeded);
  r.process(0ms, 30ms, 1);
  const Finding finding = ask(kEveryOperationAccounted, r, &control);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "b: not a word after 503"));
}

TEST(EveryOperationAccounted, PassesAnyWordAboutEach) {
  RecordingBuilder control("control");
  healthy(control, 3);
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.create("b").attempt(10ms).fired("503").failed_with(503, 12ms);
  r.outcome(5ms, "a", OutcomeKind::Succeeded);
  r.outcome(15ms, "b", OutcomeKind::Pending);
  r.outcome(16ms, "c", OutcomeKind::Failed);  // given up before anything was sent
  r.process(0ms, 30ms, 1);
  EXPECT_RULING(Pass, ask(kEveryOperationAccounted, r, &control));
}

TEST(EveryOperationAccounted, FailsOnASuccessOfWhatWasNeverSent) {
  RecordingBuilder control("control");
  healthy(control, 2);
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.outcome(5ms, "a", OutcomeKind::Succeeded);
  r.outcome(6ms, "ghost", OutcomeKind::Succeeded);
  r.process(0ms, 30ms, 0);
  const Finding finding = ask(kEveryOperationAccounted, r, &control);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "ghost: reported succeeded, and no such operation was sent"));
}

TEST(EveryOperationAccounted, WhatWasNotReadWholeMayBeTheGhost) {
  RecordingBuilder control("control");
  healthy(control, 2);
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.create().attempt(5ms).incomplete().lost_by_reset(6ms);
  r.outcome(5ms, "a", OutcomeKind::Succeeded);
  r.outcome(7ms, "ghost", OutcomeKind::Succeeded);
  r.process(0ms, 30ms, 0);
  EXPECT_NE(ask(kEveryOperationAccounted, r, &control).ruling, Ruling::Pass);
}

TEST(EveryOperationAccounted, FewerThanUsualWithExitCodeZeroIsInconclusive) {
  RecordingBuilder control("control");
  healthy(control, 3);
  for (const int code : {0, 1}) {
    RecordingBuilder r("x");
    r.create("a").attempt(0ms).fired("503").failed_with(503, 2ms);
    r.outcome(5ms, "a", OutcomeKind::Failed);
    r.process(0ms, 30ms, code);
    const Finding finding = ask(kEveryOperationAccounted, r, &control);
    EXPECT_EQ(finding.ruling, code == 0 ? Ruling::Inconclusive : Ruling::Pass)
        << statements(finding);
  }
}

TEST(EveryOperationAccounted, AClientThatWasEndedIsInconclusive) {
  RecordingBuilder control("control");
  healthy(control, 2);
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).stalled();
  killed(r, 2s);
  EXPECT_RULING(Inconclusive, ask(kEveryOperationAccounted, r, &control));
}

TEST(EveryOperationAccounted, IsNotObservedWithoutLinesOrWithNamesOfItsOwn) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.process(0ms, 30ms, 0);
  EXPECT_RULING(NotObserved, ask(kEveryOperationAccounted, r));
  r.outcome(5ms, "job-17", OutcomeKind::Succeeded);
  EXPECT_RULING(NotObserved, ask(kEveryOperationAccounted, r));
}

}  // namespace mishap::client_tests
