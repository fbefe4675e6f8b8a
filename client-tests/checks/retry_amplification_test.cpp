#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

void calls_with(RecordingBuilder& r, int calls, int attempts, StatusCode status = 503) {
  for (int i = 0; i < calls; ++i) {
    auto call = r.create("r-" + std::to_string(i));
    for (int k = 0; k < attempts; ++k) {
      const Duration at = i * 10s + k * 100ms;
      call.attempt(at).fired("outage").failed_with(status, at + 1ms);
    }
  }
}

}  // namespace

TEST(RetryAmplification, ComparesAttemptsForEachCallWithThePromise) {
  RecordingBuilder nine("x");
  nine.promise().max_attempts = 3;
  calls_with(nine, 20, 9);
  const Finding finding = ask(kRetryAmplification, nine);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "9.00 attempts for each of 20 operations > 1.05 x 3"));
  RecordingBuilder three("x");
  three.promise().max_attempts = 3;
  calls_with(three, 20, 3);
  EXPECT_RULING(Pass, ask(kRetryAmplification, three));
  EXPECT_TRUE(mentions(ask(kRetryAmplification, three), "load x 3.0"));
}

TEST(RetryAmplification, WantsTwentyCallsThatAFaultMet) {
  RecordingBuilder few("x");
  few.promise().max_attempts = 3;
  calls_with(few, 19, 9);
  EXPECT_RULING(NotApplicable, ask(kRetryAmplification, few));
}

TEST(RetryAmplification, ResendsOfTheTransportAndRedirectsAreNoLoad) {
  RecordingBuilder resent("x");
  resent.promise().max_attempts = 1;
  for (int i = 0; i < 20; ++i) {
    auto call = resent.create("r-" + std::to_string(i));
    call.attempt(i * 1s).fired("gone").lost_by_close(i * 1s + 1ms);
    call.resend(i * 1s + 2ms).answered(201, i * 1s + 3ms);
  }
  EXPECT_RULING(Pass, ask(kRetryAmplification, resent));
  RecordingBuilder followed("x");
  followed.promise().max_attempts = 1;
  calls_with(followed, 20, 3, 307);
  EXPECT_RULING(Pass, ask(kRetryAmplification, followed));
}

TEST(RetryAmplification, PollsAreNoRetries) {
  RecordingBuilder r("x");
  r.promise().max_attempts = 1;
  for (int i = 0; i < 20; ++i) {
    auto call = r.read("/v1/jobs/" + std::to_string(i));
    for (int k = 0; k < 9; ++k) {
      call.attempt(i * 1s + k * 10ms).role(server::Role::Poll).fired("slow").answered(200, i * 1s);
    }
  }
  EXPECT_RULING(NotApplicable, ask(kRetryAmplification, r));
}

}  // namespace mishap::client_tests
