#include "client-tests/checks/waits_testing.h"

namespace mishap::client_tests {

namespace {

// Copies that were told to wait 2 s and came back so long after that.
void told_to_wait(
    RecordingBuilder& r, const std::function<Duration(int)>& beyond,
    const std::function<Duration(int)>& sent = [](int) { return 100ms; }, int copies = 30) {
  r.recording().scenario.copies = copies;
  for (int copy = 0; copy < copies; ++copy) {
    auto call = r.create("r-" + std::to_string(copy));
    call.lane(copy);
    call.attempt(50ms).fired("wait").failed_with(429, sent(copy)).header("Retry-After", "2");
    const Duration back = sent(copy) + 2s + beyond(copy);
    call.attempt(back).answered(201, back + 1ms);
  }
}

}  // namespace

TEST(RetryAfterSpread, TellsWhoAddsNothingOfItsOwn) {
  RecordingBuilder exact("x");
  told_to_wait(exact, [](int copy) { return 1ms * (copy % 5); });
  const Finding finding = ask(kRetryAfterSpread, exact);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "30 of 30 within 0.10 s"));
  EXPECT_TRUE(kRetryAfterSpread.advisory);
  RecordingBuilder spread("x");
  told_to_wait(spread, [](int copy) { return 20ms * copy; });
  EXPECT_RULING(Pass, ask(kRetryAfterSpread, spread));
}

TEST(RetryAfterSpread, ALittleIsNeither) {
  RecordingBuilder r("x");
  told_to_wait(r, [](int copy) { return copy < 20 ? 0ms : 20ms * copy; });
  EXPECT_RULING(Inconclusive, ask(kRetryAfterSpread, r));
}

// Answers that went out apart would spread anybody.
TEST(RetryAfterSpread, OnlyWhereAllWereToldTheSameMoment) {
  RecordingBuilder r("x");
  told_to_wait(
      r, [](int) { return 0ms; }, [](int copy) { return 100ms + 50ms * copy; });
  EXPECT_RULING(NotApplicable, ask(kRetryAfterSpread, r));
  RecordingBuilder few("x");
  told_to_wait(
      few, [](int) { return 0ms; }, [](int) { return 100ms; }, 29);
  EXPECT_RULING(NotApplicable, ask(kRetryAfterSpread, few));
}

}  // namespace mishap::client_tests
