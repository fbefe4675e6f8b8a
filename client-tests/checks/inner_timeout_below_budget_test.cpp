#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// A failure at once, then attempts that are waited for so long, 100 ms apart.
Finding waits(const std::vector<Duration>& patience, std::optional<Duration> deadline = 10s) {
  RecordingBuilder r("x");
  r.promise().deadline = deadline;
  auto call = r.create("r-1");
  call.attempt(0ms).fired("busy").failed_with(503, 0ms);
  Duration at = 100ms;
  for (const Duration waited : patience) {
    call.attempt(at).fired("stall").left(at + waited);
    at += waited + 100ms;
  }
  return ask(kInnerTimeoutBelowBudget, r);
}

}  // namespace

TEST(InnerTimeoutBelowBudget, FailsAnAttemptThatMayTakeAll) {
  EXPECT_RULING(Fail, waits({9900ms}));
  EXPECT_RULING(Fail, waits({9s}));
  EXPECT_TRUE(mentions(waits({9s}), "waited 9.00 s >= 8.91 s, with 9.90 s left of 10.00 s"));
  EXPECT_RULING(Pass, waits({8s}));
  EXPECT_RULING(Pass, waits({1s, 1s, 1s}));
}

TEST(InnerTimeoutBelowBudget, TheLastOneMayTakeWhatIsLeftAndNoMore) {
  EXPECT_RULING(Pass, waits({3s, 3s, 3s, 500ms}));  // cut to what was left
  EXPECT_RULING(Pass, waits({5s, 4700ms}));
  EXPECT_RULING(Fail, waits({6s, 6s}));
}

TEST(InnerTimeoutBelowBudget, LeavesWhatIsBegunTooLateToTheDeadline) {
  EXPECT_RULING(Pass, waits(std::vector<Duration>(11, 1s)));  // the last one 1.1 s behind it
}

TEST(InnerTimeoutBelowBudget, WantsAPromiseAndASecondAttempt) {
  EXPECT_RULING(NotApplicable, waits({9900ms}, std::nullopt));
  RecordingBuilder r("x");
  r.promise().deadline = 10s;
  r.create("r-1").attempt(0ms).left(9900ms);
  EXPECT_RULING(NotApplicable, ask(kInnerTimeoutBelowBudget, r));
  EXPECT_RULING(NotApplicable, waits({}));
}

}  // namespace mishap::client_tests
