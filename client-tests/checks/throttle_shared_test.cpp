#include "client-tests/checks/crowd_testing.h"

namespace mishap::client_tests {

namespace {

constexpr Duration kTold = 2s;

// Twenty calls a second. Those between 2 s and 2.2 s are answered 429 with Retry-After: 3 at
// `answered`; every so many-th of the calls in the wait is made, where there is one.
void throttled_day(RecordingBuilder& r, int every, Duration answered = 2200ms, Duration ends = 8s) {
  int number = 0;
  steadily(0ms, ends, 50ms, [&](Duration at, const std::string& reference) {
    if (at >= kTold && at < answered) {
      auto call = r.create(reference).attempt(at).fired("limit", "status");
      call.failed_with(429, std::max(at, answered)).header("Retry-After", "3");
      return;
    }
    const bool in_wait = at >= answered && at < answered + 3s;
    if (in_wait && (every == 0 || ++number % every != 0)) return;
    goes_well(r, at, reference);
  });
  r.process(0ms, ends, 0);
}

Finding shared(int every, Duration answered = 2200ms, Duration ends = 8s,
               Duration usual_until = 8s) {
  RecordingBuilder usual("healthy");
  well_until(usual, usual_until, 50ms);
  RecordingBuilder r("throttled");
  throttled_day(r, every, answered, ends);
  return ask(kThrottleShared, r, &usual);
}

}  // namespace

TEST(ThrottleShared, TellsWhetherTheOthersWaitAsWell) {
  const Finding right = shared(0);
  EXPECT_RULING(Pass, right);
  EXPECT_TRUE(mentions(right, "0 attempts sent in the 2.90 s to wait, of 58 on a good day"));
  const Finding alone = shared(1);
  EXPECT_RULING(Fail, alone);
  EXPECT_TRUE(mentions(alone, "100 % > 10 %"));
  EXPECT_RULING(Pass, shared(12));
  EXPECT_RULING(Inconclusive, shared(5));
}

TEST(ThrottleShared, WantsSeveralUnderWay) {
  EXPECT_RULING(NotApplicable, shared(1, 2050ms));
}

TEST(ThrottleShared, AClientThatDoesNotComeBackMayBeDone) {
  EXPECT_RULING(Inconclusive, shared(0, 2200ms, 5100ms));
}

TEST(ThrottleShared, WantsTheUsualRate) {
  EXPECT_RULING(NotApplicable, shared(1, 2200ms, 8s, 1100ms));
  RecordingBuilder r("throttled");
  throttled_day(r, 1);
  EXPECT_RULING(NotApplicable, ask(kThrottleShared, r));
}

TEST(ThrottleShared, OtherRoutesAreExempt) {
  RecordingBuilder usual("healthy");
  well_until(usual, 8s, 50ms);
  RecordingBuilder r("throttled");
  throttled_day(r, 0);
  for (int i = 0; i < 100; ++i) {
    const Duration at = 2200ms + i * 30ms;
    r.read("/v1/products").attempt(at).content("p" + std::to_string(i)).answered(200, at + 1ms);
  }
  EXPECT_RULING(Pass, ask(kThrottleShared, r, &usual));
}

}  // namespace mishap::client_tests
