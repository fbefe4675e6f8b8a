#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

void retry_after_honored_run(RecordingBuilder& r, StatusCode status, const std::string& value,
                             Duration gap) {
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("limit").failed_with(status, 0ms).header("Retry-After", value);
  op.attempt(gap).effect().answered(201, gap + 2ms);
  r.process(0ms, gap + 10ms, 0);
}

void retry_after_honored_habit(RecordingBuilder& r, Duration gap) {
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("busy").failed_with(503, 0ms);
  op.attempt(gap).effect().answered(201, gap + 2ms);
}

}  // namespace

TEST(RetryAfterHonored, SecondsAreAFloor) {
  RecordingBuilder habit("busy");
  retry_after_honored_habit(habit, 300ms);
  RecordingBuilder early("x");
  retry_after_honored_run(early, 429, "2", 1940ms);
  const Finding finding = ask(kRetryAfterHonored, early, nullptr, &habit);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: gap 1.94 s < Retry-After 2 s - 0.050 s"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));

  RecordingBuilder kept("x");
  retry_after_honored_run(kept, 503, "2", 1960ms);
  const Finding pass = ask(kRetryAfterHonored, kept, nullptr, &habit);
  EXPECT_RULING(Pass, pass);
  EXPECT_TRUE(pass.warnings.empty());
}

TEST(RetryAfterHonored, ADateMayBeASecondEarly) {
  RecordingBuilder habit("busy");
  retry_after_honored_habit(habit, 300ms);
  struct Row {
    Duration gap;
    Ruling ruling;
    std::size_t warnings;
  };
  for (const Row& row : std::vector<Row>{
           {1900ms, Ruling::Fail, 0}, {2500ms, Ruling::Pass, 1}, {3100ms, Ruling::Pass, 0}}) {
    RecordingBuilder r("x");
    r.recording().wall_start = 784111777s;
    retry_after_honored_run(r, 429, "Sun, 06 Nov 1994 08:49:40 GMT", row.gap);
    const Finding finding = ask(kRetryAfterHonored, r, nullptr, &habit);
    EXPECT_EQ(finding.ruling, row.ruling) << statements(finding);
    EXPECT_EQ(finding.warnings.size(), row.warnings) << statements(finding);
  }
}

TEST(RetryAfterHonored, AnOwnDelayAsLongProvesNothing) {
  RecordingBuilder habit("busy");
  retry_after_honored_habit(habit, 2100ms);
  RecordingBuilder r("x");
  retry_after_honored_run(r, 429, "2", 2100ms);
  const Finding finding = ask(kRetryAfterHonored, r, nullptr, &habit);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "its own delay of 2.10 s"));
}

TEST(RetryAfterHonored, PassesWithAWarningWhereTheOwnDelayIsNotKnown) {
  RecordingBuilder r("x");
  retry_after_honored_run(r, 429, "2", 2100ms);
  const Finding finding = ask(kRetryAfterHonored, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_EQ(finding.warnings.size(), 1u);
}

TEST(RetryAfterHonored, GivingUpIsNoViolation) {
  RecordingBuilder habit("busy");
  retry_after_honored_habit(habit, 300ms);
  const auto give_up = [](RecordingBuilder& r, const std::string& value) {
    r.create("a").key("k").attempt(0ms).failed_with(429, 0ms).header("Retry-After", value);
    r.process(0ms, 10ms, 1);
  };
  RecordingBuilder shortly("x");
  give_up(shortly, "2");
  EXPECT_RULING(Inconclusive, ask(kRetryAfterHonored, shortly, nullptr, &habit));
  EXPECT_RULING(NotApplicable, ask(kRetryAfterHonored, shortly));
  shortly.promise().retries = false;
  EXPECT_RULING(NotApplicable, ask(kRetryAfterHonored, shortly, nullptr, &habit));

  RecordingBuilder longer("x");
  give_up(longer, "60");
  EXPECT_RULING(Pass, ask(kRetryAfterHonored, longer, nullptr, &habit));
}

TEST(RetryAfterHonored, ALookupAfterTheWaitIsNoGivingUp) {
  for (const Duration looked : {2100ms, 500ms}) {
    RecordingBuilder r("x");
    auto op = r.create("a").key("k");
    op.attempt(0ms).effect().lost_by_reset(1ms);
    op.attempt(100ms).failed_with(503, 101ms).header("Retry-After", "2");
    r.lookup(101ms + looked, {op.number()}, true).answered(200, 102ms + looked);
    r.process(0ms, 3s, 0);
    EXPECT_EQ(ask(kRetryAfterHonored, r).ruling,
              looked > 2s ? Ruling::NotApplicable : Ruling::Inconclusive);
  }
}

TEST(RetryAfterHonored, ARedirectIsFollowedNoEarlier) {
  const auto ruling = [](std::optional<Duration> gap) {
    RecordingBuilder r("x");
    auto op = r.create("a").key("k");
    op.attempt(0ms).fired("moved").failed_with(307, 0ms).header("Retry-After", "2");
    if (gap) op.attempt(*gap).effect().answered(201, *gap + 2ms);
    r.process(0ms, gap.value_or(0ms) + 10ms, gap ? 0 : 1);
    return ask(kRetryAfterHonored, r).ruling;
  };
  EXPECT_EQ(ruling(100ms), Ruling::Fail);
  EXPECT_EQ(ruling(2s), Ruling::Pass);
  EXPECT_EQ(ruling(std::nullopt), Ruling::NotApplicable) << "nobody has to follow";
}

TEST(RetryAfterHonored, MalformedValuesAreNoOccasion) {
  for (const char* value : {"soon", "0", "-1", "2, 5", ""}) {
    RecordingBuilder r("x");
    retry_after_honored_run(r, 429, value, 10ms);
    EXPECT_RULING(NotApplicable, ask(kRetryAfterHonored, r));
  }
}

TEST(RetryAfterHonored, TheUsersNextEqualCallIsNoEarlyReturn) {
  RecordingBuilder control("control");
  control.read().attempt(0ms).answered(200, 1ms);
  control.read().attempt(10ms).answered(200, 11ms);
  RecordingBuilder r("x");
  auto op = r.read();
  op.attempt(0ms).failed_with(429, 0ms).header("Retry-After", "3600");
  op.attempt(2ms).answered(200, 3ms);
  r.process(0ms, 10ms, 1);
  EXPECT_RULING(NotApplicable, ask(kRetryAfterHonored, r, &control));
  EXPECT_RULING(Fail, ask(kRetryAfterHonored, r));
}

}  // namespace mishap::client_tests
