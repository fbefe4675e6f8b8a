#include "client-tests/checks/crash_testing.h"

namespace mishap::client_tests {

TEST(CancellationStopsRetries, AWordAndAnEndAndNothingMore) {
  RecordingBuilder r("x");
  waiting_create(r);
  r.outcome(510ms, "a", OutcomeKind::Pending);
  ended_at(r, 520ms);
  EXPECT_RULING(Pass, ask(kCancellationStopsRetries, r));
}

TEST(CancellationStopsRetries, AnAttemptAMuteDeathAndAStayAreFails) {
  RecordingBuilder attempt("x");
  auto create = attempt.create("a").key("k1");
  create.attempt(0ms).fired("wait").failed_with(503, 4ms).raw().receipt.signals = {
      told_to_end("SIGTERM")};
  create.attempt(3004ms).effect().answered(201, 3006ms);
  attempt.outcome(3010ms, "a", OutcomeKind::Succeeded);
  ended_at(attempt, 3100ms);
  EXPECT_RULING(Fail, ask(kCancellationStopsRetries, attempt));

  RecordingBuilder mute("x");
  mute.create("other").key("k0").attempt(0ms).effect().answered(201, 1ms);
  mute.outcome(2ms, "other", OutcomeKind::Succeeded);
  waiting_create(mute);
  ended_at(mute, 520ms);
  EXPECT_RULING(Fail, ask(kCancellationStopsRetries, mute));

  RecordingBuilder stays("x");
  waiting_create(stays);
  stays.outcome(510ms, "a", OutcomeKind::Pending);
  ended_at(stays, 5501ms);
  EXPECT_RULING(Fail, ask(kCancellationStopsRetries, stays));
  stays.recording().processes.back().ended = 5500ms;
  EXPECT_RULING(Pass, ask(kCancellationStopsRetries, stays));
}

// A deploy: told to end, and started anew.
TEST(CancellationStopsRetries, AppliesToTheLifeThatWasToldToEnd) {
  const auto with = [](Duration again) {
    RecordingBuilder r("x");
    auto create = r.create("a").key("k1");
    auto signal = told_to_end("SIGTERM");
    signal.restarts = true;
    create.attempt(0ms).fired("wait").failed_with(503, 4ms).raw().receipt.signals = {signal};
    create.attempt(again).effect().answered(201, again + 2ms);
    ended_at(r, again < 2s ? 600ms : 3100ms);
    r.process(again < 2s ? 800ms : 3400ms, 4s, 0).life = 2;
    return ask(kCancellationStopsRetries, r);
  };
  EXPECT_RULING(Pass, with(900ms)) << "the next life goes on with it";
  EXPECT_RULING(Fail, with(3004ms));
}

TEST(CancellationStopsRetries, NeedsAWaitToCancel) {
  RecordingBuilder busy("x");
  auto owed = busy.create("a").key("k1").attempt(100ms).fired("wait").stalled();
  owed.raw().receipt.signals = {told_to_end("SIGTERM")};
  ended_at(busy, 520ms);
  EXPECT_RULING(Inconclusive, ask(kCancellationStopsRetries, busy));

  RecordingBuilder killed("x");
  waiting_create(killed, "SIGKILL");
  ended_at(killed, 520ms);
  EXPECT_RULING(NotApplicable, ask(kCancellationStopsRetries, killed));
}

}  // namespace mishap::client_tests
