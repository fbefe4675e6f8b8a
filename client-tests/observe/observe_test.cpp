#include "mishap/observed.h"

#include <gmock/gmock.h>

#include "client-tests/checks/waits_testing.h"

namespace mishap::client_tests {
namespace {

// A suite of one control and some runs, as the driver leaves them.
struct Runs {
  Suite suite;

  Runs() {
    RecordingBuilder control("control");
    control.control();
    control.create("c-1").key("k").attempt(1ms).effect().answered(201, 2ms);
    control.read().attempt(3ms).answered(200, 4ms);
    control.process(0ms, 10ms, 0);
    suite.controls.push_back(control.recording());
  }

  void add(RecordingBuilder& run) {
    run.recording().control = "control";
    suite.recordings.push_back(run.recording());
  }

  Observed seen() const { return observe(suite); }
};

// One call that is answered so at each of its attempts, which begin at these instants.
void always(OperationBuilder op, StatusCode status, std::initializer_list<Duration> at) {
  for (const Duration instant : at) {
    op.attempt(instant).fired("r").failed_with(status, instant + 1ms);
  }
}

const AttemptsSeen* row_of(const Observed& seen, const std::string& failure,
                           const std::string& method) {
  for (const AttemptsSeen& row : seen.attempts) {
    if (row.failure == failure && row.method == method) return &row;
  }
  return nullptr;
}

TEST(Observe, CountsAttemptsByFailureAndMethod) {
  Runs runs;
  RecordingBuilder first("unavailable");
  always(first.create("a").key("k1"), 503, {0s, 1s, 2s});
  always(first.read(), 503, {3s, 4s});
  first.process(0ms, 5s, 1);
  runs.add(first);
  RecordingBuilder second("permanent");
  always(second.create("b").key("k2"), 400, {0s});
  second.process(0ms, 1s, 1);
  runs.add(second);
  const Observed seen = runs.seen();
  ASSERT_EQ(seen.attempts.size(), 3U);
  const auto* creates = row_of(seen, "503", "POST");
  ASSERT_NE(creates, nullptr);
  EXPECT_EQ(creates->least, 3U);
  EXPECT_EQ(creates->most, 3U);
  EXPECT_FALSE(creates->stopped || creates->uncertain);
  EXPECT_EQ(row_of(seen, "503", "GET")->most, 2U);
  EXPECT_EQ(row_of(seen, "400", "POST")->most, 1U);
}

TEST(Observe, TellsHowAConnectionEnded) {
  Runs runs;
  RecordingBuilder r("reset");
  r.create("a").key("k1").attempt(0s).fired("r").lost_by_reset(1ms);
  r.create("b").key("k2").attempt(1s).fired("r").lost_by_close(1001ms);
  r.process(0ms, 5s, 1);
  runs.add(r);
  EXPECT_NE(row_of(runs.seen(), "reset", "POST"), nullptr);
  EXPECT_NE(row_of(runs.seen(), "close", "POST"), nullptr);
}

TEST(Observe, DoesNotCountWhatSucceededOrFailedInTwoWays) {
  Runs runs;
  RecordingBuilder r("mixed");
  auto one = r.create("a").key("k1");
  one.attempt(0s).fired("r").failed_with(503, 1ms);
  one.attempt(1s).effect().answered(201, 1001ms);
  auto two = r.create("b").key("k2");
  two.attempt(2s).fired("r").failed_with(503, 2001ms);
  two.attempt(3s).fired("r").failed_with(400, 3001ms);
  r.process(0ms, 5s, 1);
  runs.add(r);
  EXPECT_TRUE(runs.seen().attempts.empty());
}

TEST(Observe, SaysWhereTheClientWasEndedBeforeItGaveUp) {
  Runs runs;
  RecordingBuilder r("unavailable");
  always(r.create("a").key("k1"), 503, {0s, 1s, 2s});
  killed(r, 3s);
  runs.add(r);
  const Observed seen = runs.seen();
  ASSERT_EQ(seen.attempts.size(), 1U);
  EXPECT_TRUE(seen.attempts.front().stopped);
  EXPECT_FALSE(seen.longest_operation);
}

TEST(Observe, MeasuresTheTimeout) {
  Runs runs;
  RecordingBuilder r("no-answer");
  auto op = r.create("a").key("k1");
  op.attempt(0s).fired("r").stalled().left(1s);
  op.attempt(2s).fired("r").stalled().left(3002ms);
  op.attempt(4s).fired("r").stalled().left(5001ms);
  r.process(0ms, 6s, 1);
  runs.add(r);
  const Observed seen = runs.seen();
  ASSERT_TRUE(seen.attempt_timeout);
  EXPECT_EQ(seen.attempt_timeout->count, 3U);
  EXPECT_NEAR(seen.attempt_timeout->middle, 1.001, 1e-9);
  EXPECT_FALSE(seen.no_timeout_within);
  EXPECT_FALSE(seen.deadline) << "three attempts are all it ever makes";
}

TEST(Observe, SaysThatThereIsNoTimeoutAsFarAsItWasWatched) {
  Runs runs;
  RecordingBuilder r("no-answer");
  r.create("a").key("k1").attempt(0s).fired("r").stalled().left(30s);
  killed(r, 30s);
  runs.add(r);
  const Observed seen = runs.seen();
  EXPECT_FALSE(seen.attempt_timeout);
  ASSERT_TRUE(seen.no_timeout_within);
  EXPECT_NEAR(*seen.no_timeout_within, 30, 1);
}

TEST(Observe, FindsTheDeadlineThatCutTheLastAttemptShort) {
  Runs runs;
  RecordingBuilder often("unavailable");
  always(often.create("a").key("k1"), 503, {0s, 100ms, 200ms, 300ms, 400ms});
  often.process(0ms, 1s, 1);
  runs.add(often);
  RecordingBuilder r("no-answer");
  auto op = r.create("b").key("k2");
  op.attempt(0s).fired("r").stalled().left(1s);
  op.attempt(1200ms).fired("r").stalled().left(2200ms);
  op.attempt(2400ms).fired("r").stalled().left(3s);
  r.outcome(3s, "b", OutcomeKind::Failed);
  r.process(0ms, 3s, 1);
  runs.add(r);
  const Observed seen = runs.seen();
  ASSERT_TRUE(seen.deadline);
  EXPECT_NEAR(seen.deadline->at_least, 3, 0.01);
  EXPECT_NEAR(seen.deadline->at_most, 3, 0.01);
}

TEST(Observe, FindsTheDeadlineThatALongWaitWouldHaveBroken) {
  Runs runs;
  RecordingBuilder often("unavailable");
  always(often.create("a").key("k1"), 503, {0s, 100ms, 200ms, 300ms, 400ms});
  often.process(0ms, 1s, 1);
  runs.add(often);
  RecordingBuilder r("told-to-wait");
  auto op = r.create("b").key("k2");
  for (const Duration at : {0s, 4s, 8s}) {
    op.attempt(at).fired("r").failed_with(503, at + 1ms).header("Retry-After", "3");
  }
  r.process(0ms, 8100ms, 1);
  runs.add(r);
  const Observed seen = runs.seen();
  EXPECT_EQ(seen.retry_after.waited, 2U);
  EXPECT_EQ(seen.retry_after.early, 0U);
  EXPECT_EQ(seen.retry_after.gave_up, 1U);
  ASSERT_TRUE(seen.deadline);
  EXPECT_NEAR(seen.deadline->at_least, 8, 0.01);
  EXPECT_NEAR(seen.deadline->at_most, 11.1, 0.05);
  EXPECT_EQ(row_of(seen, "503", "POST")->most, 5U)
      << "what was told to wait is no count of attempts";
}

TEST(Observe, TellsHowWaitsGrowAndWhichJitterTheyHave) {
  Runs runs;
  RecordingBuilder r("many");
  fail_together(r,
                [](statistics::Chance& chance, std::size_t k, double) {
                  return chance.uniform(0, 0.5 * std::pow(2.0, static_cast<double>(k)));
                },
                {.copies = 40, .retries = 5});
  runs.add(r);
  const Observed seen = runs.seen();
  ASSERT_TRUE(seen.backoff);
  EXPECT_EQ(seen.backoff->calls, 40U);
  EXPECT_EQ(seen.backoff->medians.size(), 5U);
  EXPECT_EQ(seen.backoff->growth, GrowthSeen::Grows);
  EXPECT_NEAR(seen.backoff->multiplier, 2, 0.5);
  EXPECT_EQ(seen.backoff->jitter, true);
  EXPECT_EQ(seen.backoff->family, "full");
  EXPECT_FALSE(seen.backoff->cap);
  EXPECT_EQ(seen.backoff->inner, 0U);
}

TEST(Observe, FindsTheCap) {
  Runs runs;
  RecordingBuilder r("many");
  fail_together(r,
                [](statistics::Chance&, std::size_t k, double) {
                  return std::min(2.0, 0.25 * std::pow(2.0, static_cast<double>(k)));
                },
                {.copies = 30, .retries = 6});
  runs.add(r);
  const auto seen = runs.seen().backoff;
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->growth, GrowthSeen::Grows);
  ASSERT_TRUE(seen->cap);
  EXPECT_NEAR(*seen->cap, 2, 0.02);
  EXPECT_EQ(seen->jitter, false);
}

TEST(Observe, LeavesAFirstRetryThatComesAtOnceOutOfTheShape) {
  Runs runs;
  RecordingBuilder r("many");
  fail_together(r,
                [](statistics::Chance&, std::size_t k, double) {
                  return k == 0 ? 0.0 : 0.2 * std::pow(2.0, static_cast<double>(k));
                },
                {.copies = 30, .retries = 5});
  runs.add(r);
  const auto seen = runs.seen().backoff;
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->first_at_once);
  EXPECT_EQ(seen->growth, GrowthSeen::Grows);
  EXPECT_NEAR(seen->multiplier, 2, 0.1);
}

TEST(Observe, FindsARetryLoopInsideAnother) {
  Runs runs;
  RecordingBuilder r("many");
  fail_together(r,
                [](statistics::Chance&, std::size_t k, double) {
                  return k % 3 == 2 ? 2.0 : 0.2 * std::pow(2.0, static_cast<double>(k % 3));
                },
                {.copies = 30, .retries = 8});
  runs.add(r);
  const auto seen = runs.seen().backoff;
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->inner, 3U);
  EXPECT_EQ(seen->outer, 3U);
}

TEST(Observe, SaysNothingOfTheShapeOfAFewWaits) {
  Runs runs;
  RecordingBuilder r("few");
  fail_together(r,
                [](statistics::Chance& chance, std::size_t k, double) {
                  return chance.uniform(0, 0.5 * std::pow(2.0, static_cast<double>(k)));
                },
                {.copies = 5, .retries = 4});
  runs.add(r);
  const auto seen = runs.seen().backoff;
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->growth, GrowthSeen::Unknown);
  EXPECT_FALSE(seen->jitter);
  EXPECT_TRUE(seen->family.empty());
}

TEST(Observe, LooksAtKeys) {
  Runs runs;
  RecordingBuilder r("unavailable");
  always(r.create("a").key("k1"), 503, {0s, 1s});
  auto other = r.create("b");
  other.attempt(2s).key("k2").fired("r").failed_with(503, 2001ms);
  other.attempt(3s).key("k3").fired("r").failed_with(503, 3001ms);
  r.process(0ms, 5s, 1);
  runs.add(r);
  const KeysSeen keys = runs.seen().keys;
  EXPECT_EQ(keys.creates, 1U);
  EXPECT_EQ(keys.with_key, 1U);
  EXPECT_EQ(keys.repeated, 2U);
  EXPECT_EQ(keys.stable, 1U);
}

TEST(Observe, CountsConnectsThatWereRefusedForGood) {
  Runs runs;
  RecordingBuilder r("refused");
  r.refused(0ms, std::nullopt, {1s, 2s, 3s});
  r.process(0ms, 5s, 1);
  runs.add(r);
  const auto refused = runs.seen().refused;
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->connects, 3U);
  EXPECT_EQ(refused->calls, 2U);

  Runs unheard;
  r.recording().journal.spells.front().heard = false;
  unheard.add(r);
  EXPECT_FALSE(unheard.seen().refused);
}

TEST(Observe, NamesRunsThatCouldNotBePlayed) {
  Runs runs;
  RecordingBuilder r("unavailable-read");
  r.recording().trouble = "never ready";
  runs.add(r);
  EXPECT_THAT(runs.seen().notes, testing::ElementsAre("unavailable-read: never ready"));
}

}  // namespace
}  // namespace mishap::client_tests
