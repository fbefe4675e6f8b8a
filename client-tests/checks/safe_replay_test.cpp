#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

ProcessFacts& run_again(RecordingBuilder& r, Duration began, Duration ended, int run = 2) {
  ProcessFacts& process = r.process(began, ended, 0);
  process.life = process.run = run;
  return process;
}

// The first run leaves what took effect pending.
OperationBuilder leave_open(RecordingBuilder& r) {
  r.recording().scenario.runs_after = 1;
  auto create = r.create("r-1").key("k-1");
  create.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  r.outcome(20ms, "r-1", OutcomeKind::Pending);
  r.process(0ms, 30ms, 1);
  return create;
}

}  // namespace

TEST(SafeReplay, FailsASecondEffectOfTheSameOperation) {
  RecordingBuilder r("x");
  auto create = leave_open(r);
  create.key("k-2").attempt(100ms).effect().answered(201, 102ms);
  run_again(r, 90ms, 120ms);
  const Finding finding = ask(kSafeReplay, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "r-1: 2 effects > 1, 1 of them made by a later run"))
      << statements(finding);
}

TEST(SafeReplay, PassesTheOldKeyAndALookup) {
  for (const bool looks_up : {false, true}) {
    RecordingBuilder r("x");
    auto create = leave_open(r);
    if (looks_up) {
      r.lookup(100ms, {create.number()}, true).answered(200, 101ms);
    } else {
      create.attempt(100ms).replayed().answered(201, 102ms);
    }
    r.outcome(110ms, "r-1", OutcomeKind::Succeeded);
    run_again(r, 90ms, 120ms);
    EXPECT_RULING(Pass, ask(kSafeReplay, r));
  }
}

TEST(SafeReplay, FailsTheThirdRunAsWell) {
  RecordingBuilder r("x");
  auto create = leave_open(r);
  create.attempt(100ms).replayed().answered(201, 102ms);
  run_again(r, 90ms, 120ms);
  create.key("k-3").attempt(200ms).effect().answered(201, 202ms);
  run_again(r, 190ms, 220ms, 3);
  EXPECT_RULING(Fail, ask(kSafeReplay, r));
}

TEST(SafeReplay, FailsEqualRequestsUnderOtherNames) {
  RecordingBuilder control("control");
  control.control().create("").key("c").attempt(0ms).content("same").effect().answered(201, 1ms);
  RecordingBuilder r("x");
  r.recording().scenario.runs_after = 1;
  r.create("").key("k-1").attempt(0ms).content("same").effect().fired("lost").lost_by_reset(4ms);
  r.process(0ms, 30ms, 1);
  r.create("").key("k-2").attempt(100ms).content("same").effect().answered(201, 102ms);
  run_again(r, 90ms, 120ms);
  const Finding finding = ask(kSafeReplay, r, &control);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "2 things made by equal requests > 1 in the control"))
      << statements(finding);
}

TEST(SafeReplay, FailsAWrongWordOfTheSecondRun) {
  RecordingBuilder r("x");
  auto create = leave_open(r);
  create.attempt(100ms).replayed().answered(201, 102ms);
  r.outcome(110ms, "r-1", OutcomeKind::Failed);
  run_again(r, 90ms, 120ms);
  EXPECT_RULING(Fail, ask(kSafeReplay, r));
}

TEST(SafeReplay, WhatNoRunTookUpIsNoOccasion) {
  RecordingBuilder r("x");
  leave_open(r);
  run_again(r, 90ms, 120ms);
  EXPECT_RULING(NotApplicable, ask(kSafeReplay, r));
}

TEST(SafeReplay, WithoutASecondRunThereIsNothingToJudge) {
  RecordingBuilder none("x");
  none.process(0ms, 30ms, 0);
  EXPECT_RULING(NotApplicable, ask(kSafeReplay, none));

  RecordingBuilder done("x");
  done.recording().scenario.runs_after = 1;
  done.recording().no_second_run = "the first run left nothing undone";
  done.process(0ms, 30ms, 0);
  const Finding finding = ask(kSafeReplay, done);
  EXPECT_RULING(NotApplicable, finding);
  EXPECT_TRUE(mentions(finding, "left nothing undone"));

  done.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kSafeReplay, done));
}

TEST(SafeReplay, ARunThatWasEndedProvesNothing) {
  RecordingBuilder r("x");
  auto create = leave_open(r);
  create.attempt(100ms).replayed().answered(201, 102ms);
  run_again(r, 90ms, 120ms).stop = Stop::Killed;
  EXPECT_RULING(Inconclusive, ask(kSafeReplay, r));
}

}  // namespace mishap::client_tests
