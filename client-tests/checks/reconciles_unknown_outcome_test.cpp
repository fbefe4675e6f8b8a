#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// It took effect and its answer was lost, on a vendor with keys and lists.
OperationBuilder question(RecordingBuilder& r, const std::string& key = "k1") {
  r.recording().scenario.offers_keys = r.recording().scenario.offers_lookup = true;
  auto op = r.create("a").key(key);
  op.attempt(0ms).effect().fired("lost").lost_by_reset(2ms);
  return op;
}

}  // namespace

TEST(ReconcilesUnknownOutcome, PassesAReplayAndALookup) {
  RecordingBuilder replay("x");
  question(replay).attempt(100ms).answered(201, 101ms).replayed();
  replay.outcome(110ms, "a", OutcomeKind::Succeeded);
  EXPECT_RULING(Pass, ask(kReconcilesUnknownOutcome, replay));

  RecordingBuilder lookup("x");
  auto op = question(lookup, "");
  lookup.lookup(100ms, {op.number()}, true).answered(200, 101ms);
  lookup.outcome(110ms, "a", OutcomeKind::Succeeded);
  EXPECT_RULING(Pass, ask(kReconcilesUnknownOutcome, lookup));
}

TEST(ReconcilesUnknownOutcome, FailsWhereItNeverAskedAndSaysFailed) {
  RecordingBuilder r("x");
  question(r);
  r.outcome(10ms, "a", OutcomeKind::Failed);
  r.process(0ms, 20ms, 1);
  const Finding finding = ask(kReconcilesUnknownOutcome, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: not asked again, reported failed after a reset"));
  EXPECT_EQ(finding.witnesses.at(0).effects, std::vector<std::uint64_t>{1});
}

TEST(ReconcilesUnknownOutcome, FailsWhereOneEarlyLookupCountsAsAbsent) {
  RecordingBuilder r("x");
  r.recording().scenario.offers_lookup = true;
  auto op = r.create("a").key("k1");
  op.attempt(0ms).fired("lost").lost_by_reset(2ms).effect_at(1s);
  r.lookup(100ms, {op.number()}, false).answered(200, 101ms);
  r.outcome(110ms, "a", OutcomeKind::Failed);
  r.process(0ms, 1200ms, 1);
  const Finding finding = ask(kReconcilesUnknownOutcome, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "1 further question, 1 absent, reported failed"));
}

TEST(ReconcilesUnknownOutcome, LeftPendingIsInconclusiveWithoutASecondRun) {
  RecordingBuilder r("x");
  question(r);
  r.outcome(10ms, "a", OutcomeKind::Pending);
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(Inconclusive, ask(kReconcilesUnknownOutcome, r));
}

namespace {

ProcessFacts& run_again(RecordingBuilder& r) {
  r.recording().scenario.runs_after = 1;
  ProcessFacts& process = r.process(90ms, 150ms, 0);
  process.life = process.run = 2;
  return process;
}

}  // namespace

TEST(ReconcilesUnknownOutcome, ASecondRunSettlesWhatWasLeftPending) {
  RecordingBuilder r("x");
  auto op = question(r);
  r.outcome(10ms, "a", OutcomeKind::Pending);
  r.process(0ms, 20ms, 1);
  op.attempt(100ms).answered(201, 101ms).replayed();
  r.outcome(110ms, "a", OutcomeKind::Succeeded);
  run_again(r);
  EXPECT_RULING(Pass, ask(kReconcilesUnknownOutcome, r));
}

TEST(ReconcilesUnknownOutcome, FailsASecondRunThatLeavesItPending) {
  RecordingBuilder r("x");
  auto op = question(r);
  // All that it asked in the first run was spoilt.
  op.attempt(15ms).fired("ill").failed_with(503, 16ms);
  r.outcome(17ms, "a", OutcomeKind::Pending);
  r.process(0ms, 20ms, 1);
  r.outcome(110ms, "a", OutcomeKind::Pending);
  run_again(r);
  const Finding finding = ask(kReconcilesUnknownOutcome, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "1 further question, 0 absent, reported pending"))
      << statements(finding);
}

TEST(ReconcilesUnknownOutcome, ASecondRunThatWasKilledDecidesNothing) {
  RecordingBuilder r("x");
  question(r);
  r.outcome(10ms, "a", OutcomeKind::Pending);
  r.process(0ms, 20ms, 1);
  run_again(r).stop = Stop::Killed;
  EXPECT_RULING(Inconclusive, ask(kReconcilesUnknownOutcome, r));
}

TEST(ReconcilesUnknownOutcome, AClientWithoutAWayToAskIsNotJudged) {
  for (const auto word : {OutcomeKind::Pending, OutcomeKind::Failed}) {
    RecordingBuilder r("x");
    question(r, "");
    r.outcome(10ms, "a", word);
    r.process(0ms, 20ms, 1);
    EXPECT_RULING(NotApplicable, ask(kReconcilesUnknownOutcome, r));
  }
  RecordingBuilder plain("x");
  question(plain);
  plain.recording().scenario.offers_keys = plain.recording().scenario.offers_lookup = false;
  plain.outcome(10ms, "a", OutcomeKind::Failed);
  EXPECT_RULING(NotApplicable, ask(kReconcilesUnknownOutcome, plain));
}

TEST(ReconcilesUnknownOutcome, WhereEveryAnswerIsSpoiltPendingIsAllThereIsToSay) {
  RecordingBuilder r("x");
  question(r).attempt(100ms).fired("lost").lost_by_reset(102ms);
  r.outcome(110ms, "a", OutcomeKind::Pending);
  r.process(0ms, 120ms, 1);
  EXPECT_RULING(NotApplicable, ask(kReconcilesUnknownOutcome, r));
}

TEST(ReconcilesUnknownOutcome, FailsWhereTheProofIsDenied) {
  RecordingBuilder r("x");
  question(r).attempt(100ms).answered(201, 101ms).replayed();
  r.outcome(110ms, "a", OutcomeKind::Failed);
  EXPECT_RULING(Fail, ask(kReconcilesUnknownOutcome, r));
}

TEST(ReconcilesUnknownOutcome, LateIsAWarning) {
  RecordingBuilder r("x");
  question(r).attempt(40s).answered(201, 40001ms).replayed();
  const Finding finding = ask(kReconcilesUnknownOutcome, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "warning: a: known after 40.00 s > 30.00 s"));
}

TEST(ReconcilesUnknownOutcome, AServiceIsGivenTimeToAskAgain) {
  RecordingBuilder early("x");
  question(early);
  stopped(early, 1s);
  EXPECT_RULING(Inconclusive, ask(kReconcilesUnknownOutcome, early));
  RecordingBuilder late("x");
  question(late);
  stopped(late, 8s);
  EXPECT_RULING(NotObserved, ask(kReconcilesUnknownOutcome, late));
}

TEST(ReconcilesUnknownOutcome, WithoutLinesWhatItConcludedIsNotObserved) {
  RecordingBuilder r("x");
  question(r);
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(NotObserved, ask(kReconcilesUnknownOutcome, r));
  RecordingBuilder hung("x");
  question(hung);
  killed(hung, 2s);
  EXPECT_RULING(Inconclusive, ask(kReconcilesUnknownOutcome, hung));
  RecordingBuilder fine("x");
  fine.recording().scenario.offers_keys = true;
  fine.create("a").key("k").attempt(0ms).effect().answered(201, 2ms);
  EXPECT_RULING(NotApplicable, ask(kReconcilesUnknownOutcome, fine));
}

}  // namespace mishap::client_tests
