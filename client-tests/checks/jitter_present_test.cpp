#include "client-tests/checks/waits_testing.h"

namespace mishap::client_tests {

namespace {

Finding jitter_of(const statistics::Waits& waits, const ManyCopies& how = {}) {
  RecordingBuilder r("outage-for-everybody");
  fail_together(r, waits, how);
  return ask(kJitterPresent, r);
}

}  // namespace

TEST(JitterPresent, TellsJitterFromNone) {
  using namespace statistics;
  EXPECT_RULING(Fail, jitter_of(growing(0.4, 2, no_jitter())));
  EXPECT_RULING(Fail, jitter_of(constant(1, no_jitter())));
  EXPECT_RULING(Pass, jitter_of(growing(0.4, 2, between(0))));
  EXPECT_RULING(Pass, jitter_of(growing(0.4, 2, between(0.75))));
  EXPECT_RULING(Pass, jitter_of(growing(0.4, 2, plus_minus(0.1))));
  EXPECT_RULING(Pass, jitter_of(decorrelated(0.3, 5)));
}

TEST(JitterPresent, ShowsSpreadAndBound) {
  const Finding finding = jitter_of(statistics::constant(1, statistics::no_jitter()));
  EXPECT_TRUE(mentions(finding, "retry 1: spread 0.003 s of waits of 1.00 s <= 0.020 s"));
  EXPECT_FALSE(finding.witnesses.at(0).exchanges.empty());
}

// A generator with one seed for all draws the same waits in every copy: jitter on paper only.
TEST(JitterPresent, OneSeedForAllIsNoJitter) {
  using namespace statistics;
  const Sample drawn = {0.31, 0.52, 1.2, 2.9};
  EXPECT_RULING(Fail, jitter_of([&](Chance&, std::size_t index, double) { return drawn[index]; }));
}

// stripe-go: the first wait is always 500 ms, the others are drawn.
TEST(JitterPresent, OneFixedWaitAmongDrawnOnesIsNone) {
  using namespace statistics;
  EXPECT_RULING(Pass, jitter_of([](Chance& c, std::size_t index, double) {
                  return index == 0 ? 0.5 : c.uniform(0.75, 1) * (1 + static_cast<double>(index));
                }));
}

TEST(JitterPresent, OneDrawnWaitAmongFixedOnesIsNeither) {
  using namespace statistics;
  EXPECT_RULING(Inconclusive, jitter_of([](Chance& c, std::size_t index, double) {
                  return index == 0 ? c.uniform(0.5, 1) : doubling(1, index);
                }));
}

TEST(JitterPresent, WaitsTooShortForTheNoiseTellNothing) {
  using namespace statistics;
  EXPECT_RULING(NotApplicable, jitter_of(constant(0.1, no_jitter())));
  ManyCopies noisy;
  noisy.noise = 0.1;
  EXPECT_RULING(Inconclusive, jitter_of(growing(0.1, 2, no_jitter()), noisy));
  EXPECT_RULING(Inconclusive, jitter_of(growing(0.1, 2, plus_minus(0.1)), noisy));
}

TEST(JitterPresent, WantsTwentyCopies) {
  using namespace statistics;
  ManyCopies few;
  few.copies = 19;
  EXPECT_RULING(NotApplicable, jitter_of(constant(1, no_jitter()), few));
  // There were twenty, and not all of them waited.
  RecordingBuilder r("x");
  fail_together(r, constant(1, no_jitter()), few);
  r.recording().scenario.copies = 20;
  EXPECT_RULING(Inconclusive, ask(kJitterPresent, r));
}

TEST(JitterPresent, AClientThatNeverRetriesGivesNoOccasion) {
  ManyCopies once;
  once.retries = 0;
  EXPECT_RULING(NotApplicable, jitter_of(statistics::constant(1, statistics::no_jitter()), once));
}

// One after the other draws from one generator: that says nothing of copies that start together.
TEST(JitterPresent, OneCopyThatFailsTwentyTimesInARowIsNotLookedAt) {
  RecordingBuilder r("x");
  for (int i = 0; i < 25; ++i) {
    auto call = r.create("r-" + std::to_string(i));
    call.attempt(i * 2s).failed_with(503, i * 2s + 1ms);
    call.attempt(i * 2s + 1s).failed_with(503, i * 2s + 1001ms);
  }
  EXPECT_RULING(NotApplicable, ask(kJitterPresent, r));
}

// What one process has in flight at once are instances as well.
TEST(JitterPresent, WorkersOfOneProcessCount) {
  RecordingBuilder r("x");
  for (int i = 0; i < 25; ++i) {
    auto call = r.create("r-" + std::to_string(i));
    call.attempt(1ms * i).failed_with(503, 100ms);
    call.attempt(1100ms).failed_with(503, 1101ms);
  }
  EXPECT_RULING(Fail, ask(kJitterPresent, r));
}

}  // namespace mishap::client_tests
