#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// Three attempts over 2 s, and what the client says of them.
void three_attempts(RecordingBuilder& r, std::optional<std::int64_t> attempts,
                    std::optional<double> duration_ms) {
  auto call = r.create("r-1");
  call.attempt(0ms).fired("busy").failed_with(503, 10ms);
  call.attempt(1s).fired("busy").failed_with(503, 1010ms);
  call.attempt(1990ms).effect().answered(201, 2s);
  OutcomeLine& line = r.outcome(2010ms, "r-1", OutcomeKind::Succeeded);
  line.attempts = attempts;
  line.duration_ms = duration_ms;
}

Finding account(std::optional<std::int64_t> attempts, std::optional<double> duration_ms) {
  RecordingBuilder r("x");
  three_attempts(r, attempts, duration_ms);
  return ask(kAccountingAccurate, r);
}

}  // namespace

TEST(AccountingAccurate, ComparesAttempts) {
  EXPECT_RULING(Pass, account(3, std::nullopt));
  EXPECT_RULING(Fail, account(2, std::nullopt));  // retries are not attempts
  EXPECT_RULING(Fail, account(4, std::nullopt));
  EXPECT_TRUE(mentions(account(1, {}), "reported 1 attempts != 3 that were seen"));
}

TEST(AccountingAccurate, ComparesTheWholeDuration) {
  EXPECT_RULING(Pass, account(std::nullopt, 2005));
  EXPECT_RULING(Pass, account(std::nullopt, 1760));
  EXPECT_RULING(Fail, account(std::nullopt, 12));    // of the last attempt only
  EXPECT_RULING(Pass, account(std::nullopt, 9000));  // it may have begun long before
}

TEST(AccountingAccurate, FieldsThatAreNotThereAreNotObserved) {
  EXPECT_RULING(NotObserved, account(std::nullopt, std::nullopt));
  RecordingBuilder silent("x");
  auto call = silent.create("r-1");
  call.attempt(0ms).effect().answered(201, 5ms);
  EXPECT_RULING(NotObserved, ask(kAccountingAccurate, silent));
}

TEST(AccountingAccurate, OneAttemptIsNoOccasion) {
  RecordingBuilder r("x");
  auto call = r.create("r-1");
  call.attempt(0ms).effect().answered(201, 5ms);
  r.outcome(10ms, "r-1", OutcomeKind::Succeeded).attempts = 9;
  EXPECT_RULING(NotApplicable, ask(kAccountingAccurate, r));
}

TEST(AccountingAccurate, AttemptsThatLeftNoRequestAreTheClientsToCount) {
  RecordingBuilder refused("x");
  refused.refused(0ms, 500ms, {100ms, 300ms});
  three_attempts(refused, 5, std::nullopt);
  EXPECT_RULING(NotApplicable, ask(kAccountingAccurate, refused));
  RecordingBuilder fewer("x");
  fewer.refused(0ms, 500ms, {100ms, 300ms});
  three_attempts(fewer, 1, std::nullopt);
  EXPECT_RULING(Fail, ask(kAccountingAccurate, fewer));
}

TEST(AccountingAccurate, AResendOfTheTransportMayBeCountedOrNot) {
  for (const std::int64_t reported : {2, 3}) {
    RecordingBuilder r("x");
    auto call = r.create("r-1");
    call.attempt(0ms).lost_by_close(1ms);
    call.resend(2ms).failed_with(503, 3ms);
    call.attempt(100ms).effect().answered(201, 101ms);
    r.outcome(200ms, "r-1", OutcomeKind::Succeeded).attempts = reported;
    EXPECT_RULING(Pass, ask(kAccountingAccurate, r));
  }
}

}  // namespace mishap::client_tests
