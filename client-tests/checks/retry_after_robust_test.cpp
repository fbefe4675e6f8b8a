#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

ExchangeBuilder retry_after_robust_odd(OperationBuilder& op, Duration at,
                                       const std::string& value) {
  return op.attempt(at).fired("odd").failed_with(503, at).header("Retry-After", value);
}

}  // namespace

TEST(RetryAfterRobust, PassesAClientThatGoesOnOrGivesUp) {
  for (const char* value : {"soon", "-5", "1.5", "", "2, 5", "99999999999", "0"}) {
    RecordingBuilder on("x");
    auto op = on.create("a").key("k");
    retry_after_robust_odd(op, 0ms, value);
    op.attempt(200ms).effect().answered(201, 202ms);
    on.process(0ms, 300ms, 0);
    EXPECT_RULING(Pass, ask(kRetryAfterRobust, on)) << value;

    RecordingBuilder up("x");
    auto other = up.create("a").key("k");
    retry_after_robust_odd(other, 0ms, value);
    up.process(0ms, 300ms, 1);
    EXPECT_RULING(Pass, ask(kRetryAfterRobust, up)) << value;
  }
}

TEST(RetryAfterRobust, FailsOnACrash) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  retry_after_robust_odd(op, 0ms, "soon");
  auto& process = r.process(0ms, 20ms, 0);
  process.stop = Stop::Signalled;
  process.signal = 6;
  const Finding finding = ask(kRetryAfterRobust, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: Retry-After: soon; the client was ended by signal 6"));
}

TEST(RetryAfterRobust, FailsWhereAnOutcomeIsMissingThatTheControlReported) {
  RecordingBuilder control("control");
  control.create("a").key("k").attempt(0ms).effect().answered(201, 2ms);
  control.outcome(5ms, "a", OutcomeKind::Succeeded);
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  retry_after_robust_odd(op, 0ms, "soon");
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(Fail, ask(kRetryAfterRobust, r, &control));
  r.outcome(10ms, "a", OutcomeKind::Pending);
  EXPECT_RULING(Pass, ask(kRetryAfterRobust, r, &control));
}

TEST(RetryAfterRobust, FailsAClientThatSleepsUntilItIsKilled) {
  for (const char* value : {"Sun, 06 Nov 1994 08:49:30 GMT", "3600", "99999999999"}) {
    RecordingBuilder r("x");
    r.recording().wall_start = 784111777s;
    auto op = r.create("a").key("k");
    retry_after_robust_odd(op, 0ms, value);
    killed(r, 8s);
    const Finding finding = ask(kRetryAfterRobust, r);
    EXPECT_RULING(Fail, finding);
    EXPECT_TRUE(mentions(finding, "a: still waiting 8.00 s >= 3.00 s after Retry-After"));
  }
}

TEST(RetryAfterRobust, KilledTooSoonIsInconclusive) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  retry_after_robust_odd(op, 0ms, "soon");
  killed(r, 2s);
  EXPECT_RULING(Inconclusive, ask(kRetryAfterRobust, r));
}

TEST(RetryAfterRobust, FailsOnAHotLoopAndAllowsZeroOnce) {
  RecordingBuilder hot("x");
  auto op = hot.create("a").key("k");
  retry_after_robust_odd(op, 0ms, "-5");
  op.attempt(1ms).effect().answered(201, 2ms);
  EXPECT_RULING(Pass, ask(kRetryAfterRobust, hot));  // one tiny wait may be jitter: a warning
  EXPECT_FALSE(ask(kRetryAfterRobust, hot).warnings.empty());
  auto second = hot.create("b").key("l");
  retry_after_robust_odd(second, 10ms, "-5");
  second.attempt(11ms).effect().answered(201, 12ms);
  const Finding finding = ask(kRetryAfterRobust, hot);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: gap 0.001 s < 0.050 s after Retry-After: -5"));

  RecordingBuilder zero("x");
  auto other = zero.create("a").key("k");
  retry_after_robust_odd(other, 0ms, "0");
  retry_after_robust_odd(other, 1ms, "0");
  EXPECT_EQ(ask(kRetryAfterRobust, zero).ruling, Ruling::Inconclusive) << "no process facts";
  other.attempt(200ms).effect().answered(201, 201ms);
  EXPECT_RULING(Pass, ask(kRetryAfterRobust, zero));
  RecordingBuilder hammer("x");
  auto third = hammer.create("a").key("k");
  retry_after_robust_odd(third, 0ms, "0");
  retry_after_robust_odd(third, 1ms, "0");
  third.attempt(2ms).effect().answered(201, 3ms);
  EXPECT_RULING(Fail, ask(kRetryAfterRobust, hammer));
}

TEST(RetryAfterRobust, AnImmediateFirstRetryMayBeTheClientsHabit) {
  RecordingBuilder habit("busy");
  auto usual = habit.create("a").key("k");
  usual.attempt(0ms).failed_with(503, 0ms);
  usual.attempt(1ms).answered(201, 2ms);
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  retry_after_robust_odd(op, 0ms, "soon");
  op.attempt(1ms).effect().answered(201, 2ms);
  EXPECT_RULING(Pass, ask(kRetryAfterRobust, r, nullptr, &habit));
}

TEST(RetryAfterRobust, PlainWaitsAreNoOccasion) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  retry_after_robust_odd(op, 0ms, "2");
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(NotApplicable, ask(kRetryAfterRobust, r));
}

}  // namespace mishap::client_tests
