#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(TotalDeadlineBounded, FailsAnOperationThatIsToldTooLate) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.promise().deadline = 2s;
  auto op = r.create("a");
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(2s).fired("busy").failed_with(503, 2001ms);
  r.outcome(2600ms, "a", OutcomeKind::Failed);
  r.process(0ms, 3s, 1);
  const Finding finding = ask(kTotalDeadlineBounded, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: over after 2.60 s > 2.00 s + 0.50 s"));
}

TEST(TotalDeadlineBounded, PassesOneThatIsGivenUpInTime) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.promise().deadline = 2s;
  r.create("a").attempt(0ms).fired("busy").failed_with(503, 1ms);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask(kTotalDeadlineBounded, r));
}

TEST(TotalDeadlineBounded, AFaultThatStopsProvesNothing) {
  RecordingBuilder r("x");
  r.rule("busy", "status").attempt = only(1, 1);
  r.promise().deadline = 2s;
  auto op = r.create("a");
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(1s).answered(201, 1001ms);
  r.process(0ms, 2s, 0);
  EXPECT_RULING(NotApplicable, ask(kTotalDeadlineBounded, r));
}

TEST(TotalDeadlineBounded, GivingUpAHugeRetryAfterIsAPassAndSleepingItOutAFail) {
  RecordingBuilder r("x");
  r.rule("limit", "status").attempt = only(1, 1);
  r.promise().deadline = 2s;
  r.create("a").attempt(0ms).fired("limit").failed_with(429, 1ms).header("Retry-After", "3600");
  auto& process = r.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask(kTotalDeadlineBounded, r));
  process.stop = Stop::Killed;
  process.ended = r.recording().scenario.kill_after = 8s;
  const Finding finding = ask(kTotalDeadlineBounded, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: not over after 8.00 s > 2.00 s + 0.50 s"));
}

TEST(TotalDeadlineBounded, KilledBeforeTheDeadlineIsInconclusive) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.create("a").attempt(0ms).fired("busy").failed_with(503, 1ms);
  killed(r, 8s);
  EXPECT_RULING(Inconclusive, ask(kTotalDeadlineBounded, r));
}

TEST(TotalDeadlineBounded, ASequentialClientWithoutOutcomesIsJudgedByItsNextStep) {
  RecordingBuilder r("x");
  r.rule("busy", "status").op = only(1, 1);
  r.promise().deadline = 2s;
  r.create("a").attempt(0ms).fired("busy").failed_with(503, 1ms);
  r.create("b").attempt(500ms).effect().answered(201, 502ms);
  r.process(0ms, 60s, 1);
  EXPECT_RULING(Pass, ask(kTotalDeadlineBounded, r));
}

}  // namespace mishap::client_tests
