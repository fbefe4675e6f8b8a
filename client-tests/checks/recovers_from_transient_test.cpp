#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(RecoversFromTransient, PassesAClientThatComesBack) {
  RecordingBuilder r("x");
  r.rule("busy", "status").attempt = only(1, 1);
  r.promise().retries = true;
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(200ms).effect().answered(201, 202ms);
  r.process(0ms, 300ms, 0);
  EXPECT_RULING(Pass, ask(kRecoversFromTransient, r));
}

TEST(RecoversFromTransient, FailsAPromiseThatWasNotKeptAndWarnsWhereNothingWasPromised) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost").attempt = only(1, 1);
  r.create("a").key("k").attempt(0ms).effect().fired("lost").lost_by_reset(1ms);
  r.process(0ms, 300ms, 1);
  const Finding warned = ask(kRecoversFromTransient, r);
  EXPECT_RULING(Pass, warned);
  EXPECT_EQ(warned.warnings.size(), 1u);
  r.promise().retries = true;
  const Finding finding = ask(kRecoversFromTransient, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: a reset, no further attempt"));
  r.promise().retries = false;
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, r));
}

TEST(RecoversFromTransient, NeedsNoRetryOfWhatIsOptionalUnsafeOrStillBroken) {
  struct Row {
    std::string what;
    bool keyed;
    StatusCode status;
    bool stops;
    Ruling ruling;
  };
  const std::vector<Row> rows = {
      {"503", true, 503, true, Ruling::Fail},
      {"500 is optional", true, 500, true, Ruling::Pass},
      {"no key", false, 503, true, Ruling::NotApplicable},
      {"goes on", true, 503, false, Ruling::NotApplicable},
      {"permanent", true, 400, true, Ruling::NotApplicable},
  };
  for (const Row& row : rows) {
    RecordingBuilder r("x");
    auto& rule = r.rule("busy", "status");
    if (row.stops) rule.attempt = only(1, 1);
    r.promise().retries = true;
    auto op = r.create("a");
    if (row.keyed) op.key("k");
    op.attempt(0ms).fired("busy").failed_with(row.status, 1ms);
    r.process(0ms, 300ms, 1);
    const Finding finding = ask(kRecoversFromTransient, r);
    EXPECT_EQ(finding.ruling, row.ruling) << row.what << "\n" << statements(finding);
  }
}

TEST(RecoversFromTransient, ALookupThatFoundItIsARecovery) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost").attempt = only(1, 1);
  r.promise().retries = true;
  auto op = r.create("a").key("k");
  op.attempt(0ms).effect().fired("lost").lost_by_reset(1ms);
  r.lookup(100ms, {op.number()}, true).answered(200, 101ms);
  r.process(0ms, 300ms, 0);
  EXPECT_RULING(Pass, ask(kRecoversFromTransient, r));
}

TEST(RecoversFromTransient, GivingUpALongWaitIsRight) {
  RecordingBuilder r("x");
  r.rule("limit", "status").attempt = only(1, 1);
  r.promise().retries = true;
  r.create("a").key("k").attempt(0ms).fired("limit").failed_with(429, 1ms).header("Retry-After",
                                                                                  "60");
  r.process(0ms, 300ms, 1);
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, r));
}

// Fewer attempts than promised are right where the promised time is over first.
TEST(RecoversFromTransient, GivingUpWhereTheTimeIsOverIsRight) {
  for (const Duration patience : {1900ms, 300ms}) {
    RecordingBuilder r("x");
    r.rule("hung", "stall").attempt = only(1, 1);
    r.promise().retries = true;
    r.promise().max_attempts = 5;
    r.promise().deadline = 2s;
    r.create("a").key("k").attempt(0ms).fired("hung").stalled().left(patience);
    r.process(0ms, patience + 20ms, 1);
    const bool is_over = patience > 1s;
    EXPECT_EQ(ask(kRecoversFromTransient, r).ruling,
              is_over ? Ruling::NotApplicable : Ruling::Fail);
    EXPECT_NE(ask(kBoundedAttempts, r).ruling, Ruling::Fail);
  }
}

TEST(RecoversFromTransient, TheUsersNextEqualCallIsNoRetry) {
  RecordingBuilder control("control");
  control.read().attempt(0ms).answered(200, 1ms);
  control.read().attempt(10ms).answered(200, 11ms);
  RecordingBuilder r("x");
  r.rule("busy", "status").attempt = only(1, 1);
  auto op = r.read();
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(10ms).answered(200, 11ms);
  r.process(0ms, 300ms, 1);
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, r, &control));
}

TEST(RecoversFromTransient, KilledBeforeItCouldIsInconclusive) {
  RecordingBuilder r("x");
  r.rule("busy", "status").attempt = only(1, 1);
  r.promise().retries = true;
  r.create("a").key("k").attempt(0ms).fired("busy").failed_with(503, 1ms);
  killed(r, 2s);
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, r));
}

// A cache-buster makes the retry an operation of its own; it is a retry all the same.
TEST(RecoversFromTransient, ARetryWithOtherBytesIsNotTakenForGivingUp) {
  RecordingBuilder control("control");
  control.read().attempt(0ms).content("?_=0").answered(200, 1ms);
  RecordingBuilder r("x");
  r.promise().retries = true;
  r.read().attempt(0ms).content("?_=1").fired("busy").failed_with(503, 1ms);
  r.process(0ms, 3s, 0);
  EXPECT_RULING(Fail, ask(kRecoversFromTransient, r, &control));
  r.read().attempt(500ms).content("?_=2").answered(200, 501ms);
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, r, &control));
}

}  // namespace mishap::client_tests
