#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// An operation whose attempts come that long after each failure.
void no_immediate_retry_waits(OperationBuilder op, const std::vector<Duration>& gaps,
                              Duration begin = 0ms) {
  Duration at = begin;
  op.attempt(at).fired("busy").failed_with(503, at);
  for (const Duration gap : gaps) {
    at += gap;
    op.attempt(at).fired("busy").failed_with(503, at);
  }
}

}  // namespace

TEST(NoImmediateRetry, JudgesOneOperation) {
  struct Row {
    std::vector<Duration> gaps;
    Ruling ruling;
  };
  const std::vector<Row> rows = {
      {{1ms, 2ms}, Ruling::Fail},          {{1ms, 2ms, 3ms, 1ms}, Ruling::Fail},
      {{0ms, 100ms, 200ms}, Ruling::Pass}, {{1ms, 2ms, 100ms}, Ruling::Pass},
      {{100ms, 200ms}, Ruling::Pass},      {{1ms}, Ruling::NotApplicable},
  };
  for (const Row& row : rows) {
    RecordingBuilder r("x");
    no_immediate_retry_waits(r.create("a"), row.gaps);
    const Finding finding = ask(kNoImmediateRetry, r);
    EXPECT_EQ(finding.ruling, row.ruling) << statements(finding);
  }
}

TEST(NoImmediateRetry, ShowsTheWaits) {
  RecordingBuilder r("x");
  no_immediate_retry_waits(r.create("a"), {1ms, 2ms});
  const Finding finding = ask(kNoImmediateRetry, r);
  EXPECT_TRUE(mentions(finding, "0.001 s, 0.002 s < 0.050 s"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(NoImmediateRetry, OfSeveralAllMustBeShortAtTwoRetries) {
  RecordingBuilder fast("x");
  for (int i = 0; i < 3; ++i) no_immediate_retry_waits(fast.create(), {1ms, 1ms, 200ms}, i * 1s);
  EXPECT_RULING(Fail, ask(kNoImmediateRetry, fast));
  RecordingBuilder jitter("x");
  no_immediate_retry_waits(jitter.create("a"), {1ms, 1ms, 200ms});
  no_immediate_retry_waits(jitter.create("b"), {80ms, 150ms, 20ms}, 1s);
  EXPECT_RULING(Pass, ask(kNoImmediateRetry, jitter));
}

TEST(NoImmediateRetry, OfManyHalfIsEnough) {
  RecordingBuilder r("x");
  for (int i = 0; i < 20; ++i) {
    if (i % 2 == 0) {
      no_immediate_retry_waits(r.create("r" + std::to_string(i)), {1ms, 1ms}, i * 1s);
    } else {
      no_immediate_retry_waits(r.create("r" + std::to_string(i)), {100ms, 100ms}, i * 1s);
    }
  }
  EXPECT_RULING(Fail, ask(kNoImmediateRetry, r));
}

TEST(NoImmediateRetry, ResendsOfTheTransportAreNoPolicy) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).lost_by_close(1ms);
  op.resend(2ms).lost_by_close(3ms);
  op.resend(4ms).answered(201, 5ms);
  EXPECT_RULING(NotApplicable, ask(kNoImmediateRetry, r));
}

TEST(NoImmediateRetry, APollerDoesNotRetry) {
  RecordingBuilder control("control");
  for (int i = 0; i < 3; ++i) control.read().attempt(i * 20ms).answered(200, i * 20ms);
  RecordingBuilder r("x");
  no_immediate_retry_waits(r.read(), {20ms, 20ms});
  EXPECT_RULING(NotApplicable, ask(kNoImmediateRetry, r, &control));
}

// Three threads read the same list once: the others' first calls look like retries that came at
// once.
TEST(NoImmediateRetry, FirstCallsOfOtherThreadsAreNoRetries) {
  RecordingBuilder control("control");
  for (int i = 0; i < 3; ++i)
    control.read().attempt(i * 10ms).content("list").answered(200, i * 10ms + 1ms);
  RecordingBuilder r("x");
  auto op = r.read();
  op.attempt(0ms).content("list").fired("busy").failed_with(503, 1ms);
  op.attempt(4ms).content("list").fired("busy").failed_with(503, 5ms);
  op.attempt(8ms).content("list").fired("busy").failed_with(503, 9ms);
  op.attempt(500ms).content("list").answered(200, 501ms);
  EXPECT_RULING(NotApplicable, ask(kNoImmediateRetry, r, &control));
}

}  // namespace mishap::client_tests
