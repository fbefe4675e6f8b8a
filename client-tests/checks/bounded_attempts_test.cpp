#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

void bounded_attempts_fail(OperationBuilder op, int count, Duration begin = 0ms) {
  for (int i = 0; i < count; ++i) {
    op.attempt(begin + i * 100ms).fired("busy").failed_with(503, begin + i * 100ms + 1ms);
  }
}

}  // namespace

TEST(BoundedAttempts, FailsBeyondTheNumberAndSaysAttemptsAndRetries) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.promise().max_attempts = 5;
  bounded_attempts_fail(r.create("a"), 6);
  r.process(0ms, 1s, 1);
  const Finding finding = ask(kBoundedAttempts, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: 6 attempts (5 retries) > 5"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges.size(), 6u);
}

TEST(BoundedAttempts, PassesAtTheNumber) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.promise().max_attempts = 5;
  bounded_attempts_fail(r.create("a"), 5);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask(kBoundedAttempts, r));
}

TEST(BoundedAttempts, TransportResendsAreNotCounted) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  r.promise().max_attempts = 2;
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("busy").lost_by_close(1ms);
  op.resend(2ms).fired("busy").failed_with(503, 3ms);
  op.attempt(100ms).fired("busy").failed_with(503, 101ms);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask(kBoundedAttempts, r));
}

TEST(BoundedAttempts, EqualCallsOfTheUserMultiplyTheBound) {
  RecordingBuilder control("control");
  control.read().attempt(0ms).answered(200, 1ms);
  control.read().attempt(10ms).answered(200, 11ms);
  RecordingBuilder r("x");
  r.rule("busy", "status").on = "GET /v1/products";
  r.promise().max_attempts = 3;
  bounded_attempts_fail(r.read(), 6);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask(kBoundedAttempts, r, &control));
  EXPECT_RULING(Fail, ask(kBoundedAttempts, r));
}

TEST(BoundedAttempts, KilledBelowTheNumberIsInconclusiveAndBeyondTheDeadlineAFail) {
  RecordingBuilder r("x");
  r.rule("busy", "status");
  bounded_attempts_fail(r.create("a"), 4);
  killed(r, 10s);
  EXPECT_RULING(Inconclusive, ask(kBoundedAttempts, r));
  r.promise().deadline = 5s;
  EXPECT_RULING(Fail, ask(kBoundedAttempts, r));
}

TEST(BoundedAttempts, DoesNotApplyWhereTheFaultStopped) {
  RecordingBuilder r("x");
  r.rule("busy", "status").attempt = only(1, 2);
  auto op = r.create("a");
  bounded_attempts_fail(op, 2);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(NotApplicable, ask(kBoundedAttempts, r));
}

TEST(BoundedAttempts, TheNextLookOfAPollingServiceIsNoRetry) {
  RecordingBuilder control("control");
  control.control();
  for (int i = 0; i < 3; ++i) {
    control.operation("GET", "/status").attempt(i * 1s).content("look").answered(200, i * 1s + 1ms);
  }
  RecordingBuilder r("x");
  auto op = r.operation("GET", "/status");
  for (int i = 0; i < 40; ++i) {
    op.attempt(i * 1s).content("look").fired("404").failed_with(503, i * 1s + 1ms);
  }
  r.process(0ms, 41s, 0);
  EXPECT_RULING(Fail, ask(kBoundedAttempts, r, &control));
  r.recording().processes.front().role = ProcessRole::Service;
  EXPECT_RULING(NotApplicable, ask(kBoundedAttempts, r, &control));
}

TEST(BoundedAttempts, HopsOfRedirectsAreNoAttempts) {
  RecordingBuilder r("loop");
  r.promise().max_attempts = 3;
  auto op = r.read("/v1/loop");
  for (int i = 0; i < 12; ++i) op.attempt(i * 10ms).fired("loop").failed_with(302, i * 10ms + 1ms);
  r.process(0ms, 1s, 0);
  EXPECT_RULING(NotApplicable, ask(kBoundedAttempts, r));
  // Retries in between are.
  RecordingBuilder mixed("loop");
  mixed.promise().max_attempts = 3;
  auto retried = mixed.read("/v1/list");
  for (int i = 0; i < 4; ++i) retried.attempt(i * 1s).failed_with(503, i * 1s + 1ms);
  EXPECT_RULING(Fail, ask(kBoundedAttempts, mixed));
}

}  // namespace mishap::client_tests
