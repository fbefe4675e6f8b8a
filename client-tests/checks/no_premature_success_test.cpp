#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// One create that is done at its second attempt, 1 s after the first; the line is written at
// `told`.
Finding told_at(Duration told, OutcomeKind kind = OutcomeKind::Succeeded) {
  RecordingBuilder r("unavailable-once");
  auto call = r.create("r-1").key("k1");
  call.attempt(0ms).fired("busy").failed_with(503, 1ms);
  call.attempt(1s).effect().answered(201, 1010ms);
  r.outcome(told, "r-1", kind);
  r.process(0ms, 2s, 0);
  return ask(kNoPrematureSuccess, r);
}

}  // namespace

TEST(NoPrematureSuccess, FailsALineBeforeTheAnswer) {
  EXPECT_RULING(Fail, told_at(500ms));
  EXPECT_TRUE(
      mentions(told_at(500ms), "reported succeeded at 0.50 s < first confirmation at 1.01 s"));
  EXPECT_RULING(Fail, told_at(1004ms));
  EXPECT_RULING(Pass, told_at(1006ms));  // the two clocks are one, the two threads are not
  EXPECT_RULING(Pass, told_at(1500ms));
}

TEST(NoPrematureSuccess, OtherWordsMayBeEarly) {
  EXPECT_RULING(NotApplicable, told_at(500ms, OutcomeKind::Pending));
  EXPECT_RULING(NotApplicable, told_at(500ms, OutcomeKind::Failed));
}

TEST(NoPrematureSuccess, ALookupConfirmsToo) {
  const auto told = [](Duration at) {
    RecordingBuilder r("lost");
    auto call = r.create("r-1");
    call.attempt(0ms).effect().fired("lost").lost_by_reset(5ms);
    r.lookup(300ms, {call.number()}, true).answered(200, 310ms);
    r.outcome(at, "r-1", OutcomeKind::Succeeded);
    r.process(0ms, 1s, 0);
    return ask(kNoPrematureSuccess, r);
  };
  EXPECT_RULING(Pass, told(320ms));
  EXPECT_RULING(Fail, told(200ms));
}

// No confirmation at all is another check's.
TEST(NoPrematureSuccess, WhatWasNeverConfirmedIsNotJudged) {
  RecordingBuilder r("lost");
  auto call = r.create("r-1");
  call.attempt(0ms).effect().fired("lost").lost_by_reset(5ms);
  r.outcome(10ms, "r-1", OutcomeKind::Succeeded);
  EXPECT_RULING(NotApplicable, ask(kNoPrematureSuccess, r));
}

TEST(NoPrematureSuccess, ALineForSeveralOperationsIsAboutOneOfThem) {
  RecordingBuilder r("one-key");
  auto first = r.create("r-1").key("k");
  first.attempt(0ms).effect().answered(201, 5ms);
  auto second = r.create("r-2").key("k");
  second.attempt(1s).effect().answered(201, 1005ms);
  r.outcome(10ms, "k", OutcomeKind::Succeeded);
  EXPECT_RULING(NotApplicable, ask(kNoPrematureSuccess, r));
}

TEST(NoPrematureSuccess, IsNotObservedWithoutLines) {
  RecordingBuilder r("x");
  auto call = r.create("r-1");
  call.attempt(0ms).effect().answered(201, 5ms);
  EXPECT_RULING(NotObserved, ask(kNoPrematureSuccess, r));
}

}  // namespace mishap::client_tests
