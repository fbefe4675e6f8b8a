#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// Two creates: one is done, the other fails until the client gives it up.
void one_of_two(RecordingBuilder& r) {
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  auto op = r.create("b");
  op.attempt(10ms).fired("503").failed_with(503, 12ms);
  op.attempt(100ms).fired("503").failed_with(503, 102ms);
}

}  // namespace

TEST(NoLostEffects, FailsOnWhatDisappearsWithoutAWord) {
  RecordingBuilder r("x");
  one_of_two(r);
  r.process(0ms, 120ms, 0);
  const Finding finding = ask(kNoLostEffects, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "b: no effect, no word of it, and exit code 0 after 503 -> 503"));
}

TEST(NoLostEffects, AnExitCodeOrALineIsAWord) {
  RecordingBuilder code("x");
  one_of_two(code);
  code.process(0ms, 120ms, 1);
  EXPECT_RULING(Pass, ask(kNoLostEffects, code));
  for (const auto word : {OutcomeKind::Failed, OutcomeKind::Pending}) {
    RecordingBuilder line("x");
    one_of_two(line);
    line.outcome(110ms, "b", word);
    line.process(0ms, 120ms, 0);
    EXPECT_RULING(Pass, ask(kNoLostEffects, line));
  }
}

TEST(NoLostEffects, FailsOnASuccessThatTheLedgerDoesNotKnow) {
  RecordingBuilder r("x");
  one_of_two(r);
  r.outcome(110ms, "b", OutcomeKind::Succeeded);
  EXPECT_RULING(Fail, ask(kNoLostEffects, r));
}

TEST(NoLostEffects, PassesWhatTookEffectInTheEnd) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).fired("503").failed_with(503, 2ms);
  op.attempt(100ms).effect().answered(201, 102ms);
  r.process(0ms, 120ms, 0);
  EXPECT_RULING(Pass, ask(kNoLostEffects, r));
}

TEST(NoLostEffects, WhatIsDoneUnderAnotherNameIsNotLost) {
  RecordingBuilder control("control");
  control.control();
  control.create().attempt(0ms).effect().answered(201, 2ms);
  RecordingBuilder r("x");
  r.create().attempt(0ms).content("stamp 1").fired("503").failed_with(503, 2ms);
  r.create().attempt(100ms).content("stamp 2").effect().answered(201, 102ms);
  r.process(0ms, 120ms, 0);
  EXPECT_NE(ask(kNoLostEffects, r, &control).ruling, Ruling::Fail);
}

TEST(NoLostEffects, NeedsTroubleAndALedger) {
  RecordingBuilder fine("x");
  fine.create("a").attempt(0ms).effect().answered(201, 2ms);
  fine.process(0ms, 20ms, 0);
  EXPECT_RULING(NotApplicable, ask(kNoLostEffects, fine));
  RecordingBuilder login("x");
  login.operation("POST", "/login").attempt(0ms).fired("503").failed_with(503, 2ms);
  login.process(0ms, 20ms, 0);
  EXPECT_RULING(NotApplicable, ask(kNoLostEffects, login));
}

TEST(NoLostEffects, AClientThatWasEndedIsInconclusive) {
  RecordingBuilder r("x");
  one_of_two(r);
  killed(r, 2s);
  EXPECT_RULING(Inconclusive, ask(kNoLostEffects, r));
}

TEST(NoLostEffects, ASecondRunMayMakeGoodAndMayNotLoseIt) {
  for (const bool is_done : {true, false}) {
    RecordingBuilder r("x");
    r.recording().scenario.runs_after = 1;
    r.create("a").attempt(0ms).effect().answered(201, 2ms);
    auto op = r.create("b");
    op.attempt(10ms).fired("503").failed_with(503, 12ms);
    r.process(0ms, 120ms, 1);
    if (is_done) op.attempt(210ms).effect().answered(201, 212ms);
    ProcessFacts& second = r.process(200ms, 300ms, 0);
    second.life = second.run = 2;
    const Finding finding = ask(kNoLostEffects, r);
    EXPECT_EQ(finding.ruling, is_done ? Ruling::Pass : Ruling::Fail) << statements(finding);
  }
}

TEST(NoLostEffects, AServiceHasNoWordButItsLines) {
  RecordingBuilder r("x");
  one_of_two(r);
  stopped(r, 8s);
  EXPECT_RULING(NotObserved, ask(kNoLostEffects, r));
}

TEST(NoLostEffects, WhatAnUpstreamDidNotSayIsNotGuessed) {
  RecordingBuilder r("x");
  r.create("b").attempt(0ms).effect().answered(201, 2ms);
  r.create("a").attempt(10ms).answered(503, 12ms).raw().upstream.in_doubt = true;
  r.process(0ms, 200ms, 0);
  EXPECT_RULING(Inconclusive, ask(kNoLostEffects, r));
}

}  // namespace mishap::client_tests
