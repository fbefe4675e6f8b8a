#include "client-tests/checks/waits_testing.h"

namespace mishap::client_tests {

namespace {

Finding herd_of(const statistics::Waits& waits, const ManyCopies& how = {}) {
  RecordingBuilder r("outage-for-everybody");
  fail_together(r, waits, how);
  return ask(kNoThunderingHerd, r);
}

}  // namespace

TEST(NoThunderingHerd, TellsAHerdFromWhatIsSpread) {
  using namespace statistics;
  EXPECT_RULING(Fail, herd_of(growing(0.4, 2, no_jitter())));
  EXPECT_RULING(Fail, herd_of(constant(2, additive(0.1))));  // 100 ms of 2 s are none
  EXPECT_RULING(Pass, herd_of(growing(0.4, 2, between(0))));
  EXPECT_RULING(Pass, herd_of(growing(0.4, 2, plus_minus(0.2))));
}

TEST(NoThunderingHerd, TellsTheShareOfTheWave) {
  const Finding finding = herd_of(statistics::constant(1, statistics::no_jitter()));
  EXPECT_TRUE(mentions(finding,
                       "retry 1, after waits of 1.00 s: 30 of 30 within 0.050 s, 100 % >= "
                       "80 %"));
}

// Everybody's first retry comes after 500 ms, all others are drawn.
TEST(NoThunderingHerd, OneWaveOfSeveralIsAWarning) {
  using namespace statistics;
  const Finding finding = herd_of([](Chance& c, std::size_t index, double) {
    return index == 0 ? 0.5 : c.uniform(0, 1) * doubling(1, index);
  });
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "warning: retry 1, after waits of 0.50 s: 30 of 30"));
}

TEST(NoThunderingHerd, CopiesThatDidNotFailTogetherAreNoHerd) {
  ManyCopies apart;
  apart.failed_apart = 30ms;
  EXPECT_RULING(NotApplicable, herd_of(statistics::constant(1, statistics::no_jitter()), apart));
}

TEST(NoThunderingHerd, ShortWaitsHaveNoRoomToBeSpreadIn) {
  EXPECT_RULING(NotApplicable, herd_of(statistics::constant(0.1, statistics::between(0))));
}

TEST(NoThunderingHerd, WantsThirty) {
  using namespace statistics;
  ManyCopies few;
  few.copies = 29;
  EXPECT_RULING(NotApplicable, herd_of(constant(1, no_jitter()), few));
  RecordingBuilder r("x");
  fail_together(r, constant(1, no_jitter()), few);
  r.recording().scenario.copies = 30;
  EXPECT_RULING(Inconclusive, ask(kNoThunderingHerd, r));
}

}  // namespace mishap::client_tests
