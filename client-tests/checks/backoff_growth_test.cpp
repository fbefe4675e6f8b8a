#include "client-tests/checks/waits_testing.h"

namespace mishap::client_tests {

namespace {

Finding growth_of(const statistics::Waits& waits, const ManyCopies& how = {}) {
  RecordingBuilder r("outage-for-everybody");
  fail_together(r, waits, how);
  return ask(kBackoffGrowth, r);
}

// One client that fails for good in so many calls.
void fail_in_a_row(RecordingBuilder& r, const std::vector<std::vector<Duration>>& calls) {
  Duration at = 0ms;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    auto call = r.create("r-" + std::to_string(i));
    call.attempt(at).fired("outage").failed_with(503, at);
    for (const Duration wait : calls[i]) {
      at += wait;
      call.attempt(at).fired("outage").failed_with(503, at);
    }
    at += 10ms;
  }
}

}  // namespace

TEST(BackoffGrowth, TellsGrowingFromConstant) {
  using namespace statistics;
  EXPECT_RULING(Pass, growth_of(growing(0.2, 2, between(0))));
  EXPECT_RULING(Pass, growth_of(growing(0.2, 2, no_jitter())));
  EXPECT_RULING(Pass, growth_of(quadratic(0.5, between(0.75))));
  EXPECT_RULING(Fail, growth_of(constant(0.5, no_jitter())));
  EXPECT_RULING(Fail, growth_of(constant(0.5, plus_minus(0.2))));
}

TEST(BackoffGrowth, TellsMediansMultiplierAndShape) {
  const Finding grows = growth_of(statistics::growing(0.2, 2, statistics::no_jitter()));
  EXPECT_TRUE(mentions(grows, "waits 0.20 s, 0.40 s, 0.80 s, 1.60 s, x 2.0, exponential"));
  const Finding flat = growth_of(statistics::constant(0.5, statistics::no_jitter()));
  EXPECT_TRUE(mentions(flat, "each 1.00 times the one before (1.00 to 1.00) < 1.25"));
}

TEST(BackoffGrowth, IsUndecidedWhereWaitsVaryTooMuch) {
  using namespace statistics;
  ManyCopies twenty;
  twenty.copies = 20;
  twenty.retries = 3;
  EXPECT_RULING(Inconclusive, growth_of(growing(1, 1.25, between(0)), twenty));
}

TEST(BackoffGrowth, LeavesAnImmediateFirstRetryAndTheCapOut) {
  using namespace statistics;
  const auto capped = [](Chance&, std::size_t index, double) {
    static constexpr std::array<double, 6> kWaits = {0.001, 0.2, 0.4, 0.8, 0.8, 0.8};
    return kWaits[index];
  };
  ManyCopies six;
  six.retries = 6;
  EXPECT_RULING(Pass, growth_of(capped, six));
  // Two immediate ones are no_immediate_retry's; what is left does not grow.
  const auto flat = [](Chance&, std::size_t index, double) { return index == 0 ? 0.001 : 0.5; };
  EXPECT_RULING(Fail, growth_of(flat, six));
}

TEST(BackoffGrowth, TurnsOfALoopInALoopAreAnotherMatter) {
  using namespace statistics;
  ManyCopies nine;
  nine.retries = 8;
  const auto waits = nested(3, growing(0.1, 2, no_jitter()), constant(2, no_jitter()));
  EXPECT_RULING(NotApplicable, growth_of(waits, nine));
}

TEST(BackoffGrowth, AFewEqualWaitsAreEnough) {
  RecordingBuilder flat("x");
  fail_in_a_row(flat, {{1s, 1s, 1s}, {1s, 1005ms, 1s}, {1s, 1s, 1s}});
  EXPECT_RULING(Fail, ask(kBackoffGrowth, flat));
  RecordingBuilder grows("x");
  fail_in_a_row(grows, {{1s, 2s, 4s}, {1s, 2s, 4s}});
  EXPECT_RULING(Pass, ask(kBackoffGrowth, grows));
}

TEST(BackoffGrowth, AFewDifferentWaitsAreNot) {
  RecordingBuilder r("x");
  fail_in_a_row(r, {{300ms, 900ms, 500ms}, {800ms, 400ms, 900ms}, {200ms, 600ms, 100ms}});
  EXPECT_RULING(NotApplicable, ask(kBackoffGrowth, r));
  RecordingBuilder one("x");
  fail_in_a_row(one, {{1s, 1s, 1s}});
  EXPECT_RULING(NotApplicable, ask(kBackoffGrowth, one));
}

TEST(BackoffGrowth, WaitsThatWereAskedForAreNotItsOwn) {
  RecordingBuilder r("x");
  for (int i = 0; i < 3; ++i) {
    auto call = r.create("r-" + std::to_string(i));
    for (int k = 0; k < 5; ++k) {
      const Duration at = i * 10s + k * 1s;
      call.attempt(at).failed_with(429, at).header("Retry-After", "1");
    }
  }
  EXPECT_RULING(NotApplicable, ask(kBackoffGrowth, r));
}

TEST(BackoffGrowth, WhoBeginsAtItsPromisedCapCannotGrow) {
  RecordingBuilder r("x");
  r.promise().max_delay = 1s;
  fail_in_a_row(r, {{1s, 1s, 1s}, {1s, 1s, 1s}});
  EXPECT_RULING(NotApplicable, ask(kBackoffGrowth, r));
}

}  // namespace mishap::client_tests
