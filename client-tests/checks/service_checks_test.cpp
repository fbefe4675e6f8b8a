#include "client-tests/checks/check_testing.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/operation_end.h"

// What the checks conclude of a service: it lives on, so that only silence and the end of its drive
// tell that something is over.
namespace mishap::client_tests {

TEST(ServiceLife, IsItsOwnUntilItIsToldToEnd) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).failed_with(503, 1ms);
  stopped(r, 5s);
  const CaseOf of(r);
  EXPECT_EQ(own_until(r.recording(), 0), 5s);
  EXPECT_FALSE(ended_by_itself(r.recording(), 0));
  EXPECT_FALSE(was_killed(r.recording(), 0));
  EXPECT_TRUE(is_closed_after(of.value, 0, 2s));
  EXPECT_FALSE(is_closed_after(of.value, 0, 2001ms));
}

TEST(ServiceLife, AnOperationEndsWithTheDriveOrInSilence) {
  using How = OperationEnd::How;
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).failed_with(503, 1ms);
  auto& process = stopped(r, 5s);
  const auto how = [&] {
    const CaseOf of(r);
    return end_of(of.value, of.history.operations.front()).how;
  };
  EXPECT_EQ(how(), How::FellSilent);
  driven(r, 100ms, 502);
  EXPECT_EQ(how(), How::DriveEnded);
  process.told_to_end = 2s;  // no quiet window
  EXPECT_EQ(how(), How::StillOpen);
}

TEST(ServiceLife, ADriveThatEndedBeforeTheLastAttemptTellsNothingOfIt) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).failed_with(503, 1ms);
  op.attempt(500ms).failed_with(503, 501ms);
  driven(r, 100ms, 202);
  stopped(r, 8s);
  const CaseOf of(r);
  EXPECT_EQ(end_of(of.value, of.history.operations.front()).how, OperationEnd::How::FellSilent);
}

TEST(ServiceLife, AnAttemptThatIsStillOwedIsOpen) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).stalled();
  stopped(r, 8s);
  const CaseOf of(r);
  EXPECT_EQ(end_of(of.value, of.history.operations.front()).how, OperationEnd::How::StillOpen);
}

TEST(ServiceChecks, AHealthyServiceIsStillThereAndItsDriveSucceeded) {
  RecordingBuilder r("control");
  r.control();
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  auto& process = stopped(r, 1s);
  auto& drive = driven(r, 10ms, 201);
  EXPECT_RULING(Pass, ask(kBaselineHealthy, r));
  drive.status = 500;
  const Finding unanswered = ask(kBaselineHealthy, r);
  EXPECT_RULING(Fail, unanswered);
  EXPECT_TRUE(mentions(unanswered, "(POST http://127.0.0.1:4000/orders) was answered 500"));
  drive.status = 201;
  process.stop = Stop::Exited;
  const Finding gone = ask(kBaselineHealthy, r);
  EXPECT_RULING(Fail, gone);
  EXPECT_TRUE(mentions(gone, "the service ended with exit code 0"));
}

TEST(ServiceChecks, AnExitCodeIsNoWordAboutOperations) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).failed_with(503, 2ms);
  stopped(r, 5s).stop = Stop::Exited;
  driven(r, 10ms, 201);
  EXPECT_RULING(NotApplicable, ask(kExitCodeTruthful, r));
}

TEST(ServiceChecks, GivingUpIsSeenByTheDrivesEnd) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.promise().max_attempts = 2;
  r.promise().deadline = 2s;
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(500ms).fired("busy").failed_with(503, 501ms);
  stopped(r, 10s);
  EXPECT_RULING(Pass, ask(kBoundedAttempts, r));
  EXPECT_RULING(Inconclusive, ask(kTotalDeadlineBounded, r));
  driven(r, 510ms, 502);
  EXPECT_RULING(Pass, ask(kTotalDeadlineBounded, r));
}

TEST(ServiceChecks, BeyondTheDeadlineIsAFailOnlyWhereItWasSeenAtWork) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.promise().deadline = 2s;
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  stopped(r, 30s);
  auto& drive = driven(r, 9s, 502);  // a test-suite may have done other things
  EXPECT_RULING(Inconclusive, ask(kTotalDeadlineBounded, r));
  op.attempt(8s).fired("busy").failed_with(503, 8001ms);
  EXPECT_RULING(Fail, ask(kTotalDeadlineBounded, r));
  drive.ended = 1s;
  EXPECT_RULING(Fail, ask(kTotalDeadlineBounded, r));
}

TEST(ServiceChecks, ADeathUnderAnInvalidAnswerIsACrash) {
  RecordingBuilder r("x");
  r.rule("junk", "garbage");
  r.create("a").attempt(0ms).fired("junk").spoiled(201, 2ms);
  auto& process = stopped(r, 5s);
  EXPECT_NE(ask(kInvalidResponseRejected, r).ruling, Ruling::Fail);
  process.stop = Stop::Exited;
  process.exit_code = 1;
  const Finding finding = ask(kInvalidResponseRejected, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "the service ended with exit code 1"));
}

TEST(ServiceChecks, ADuplicateMayFollowUntilTheQuietWindowIsOver) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  auto& process = stopped(r, 1s);
  EXPECT_RULING(Inconclusive, ask(kNoDuplicateEffects, r));
  process.told_to_end = 4s;
  EXPECT_RULING(Pass, ask(kNoDuplicateEffects, r));
}

TEST(ServiceChecks, WhetherItStillWaitsForAnOddRetryAfterTellsTheDrive) {
  RecordingBuilder r("x");
  r.rule("odd", "status");
  r.create("a").attempt(0ms).fired("odd").failed_with(429, 1ms).header("Retry-After", "soon");
  stopped(r, 5s);
  EXPECT_RULING(Inconclusive, ask(kRetryAfterRobust, r));
  driven(r, 10ms, 502);
  EXPECT_RULING(Pass, ask(kRetryAfterRobust, r));
}

}  // namespace mishap::client_tests
