#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

void wait_so_long(RecordingBuilder& r, const std::vector<Duration>& waits) {
  auto call = r.create("r-1");
  Duration at = 0ms;
  call.attempt(at).fired("outage").failed_with(503, at);
  for (const Duration wait : waits) {
    at += wait;
    call.attempt(at).fired("outage").failed_with(503, at);
  }
}

Finding cap_of(const std::vector<Duration>& waits, std::optional<Duration> promised) {
  RecordingBuilder r("x");
  r.promise().max_delay = promised;
  wait_so_long(r, waits);
  return ask(kBackoffCapped, r);
}

}  // namespace

TEST(BackoffCapped, FailsAWaitBeyondThePromise) {
  const Finding finding = cap_of({500ms, 1s, 2s, 4s}, 1s);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "r-1: wait 4.00 s > 1.25 x 1.00 s + 0.25 s"));
}

TEST(BackoffCapped, PassesWaitsThatStayAtIt) {
  EXPECT_RULING(Pass, cap_of({500ms, 1s, 1s, 1s}, 1s));
  EXPECT_RULING(Pass, cap_of({500ms, 1s, 1200ms, 1490ms}, 1s));  // within the tolerance
}

TEST(BackoffCapped, WaitsThatNeverCameNearProveNothing) {
  EXPECT_RULING(NotApplicable, cap_of({100ms, 200ms, 400ms}, 10s));
  EXPECT_RULING(NotApplicable, cap_of({500ms, 600ms}, 1s));  // no room left to go beyond
}

TEST(BackoffCapped, WithoutAPromiseOnlyTwoMinutesAreTooLong) {
  EXPECT_RULING(NotApplicable, cap_of({500ms, 1s, 1s, 1s}, std::nullopt));
  EXPECT_RULING(Fail, cap_of({60s, 151s}, std::nullopt));
}

TEST(BackoffCapped, ALongRetryAfterIsNotItsOwnWait) {
  RecordingBuilder r("x");
  r.promise().max_delay = 1s;
  auto call = r.create("r-1");
  call.attempt(0ms).failed_with(429, 0ms).header("Retry-After", "9");
  call.attempt(9s).answered(201, 9s);
  EXPECT_RULING(NotApplicable, ask(kBackoffCapped, r));
}

}  // namespace mishap::client_tests
