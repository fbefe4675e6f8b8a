#include "client-tests/checks/crowd_testing.h"

namespace mishap::client_tests {

TEST(CircuitBreakerRecovers, TellsWhoStaysAway) {
  const Finding right = ask_behind_a_breaker(kCircuitBreakerRecovers, {});
  EXPECT_RULING(Pass, right);
  EXPECT_TRUE(mentions(right, "within 7.00 s of the first success at most 5"));
  const Finding latched = ask_behind_a_breaker(kCircuitBreakerRecovers, {.open = kNever});
  EXPECT_RULING(Fail, latched);
  EXPECT_TRUE(mentions(latched, "not a single call for 8.52 s >= 7.00 s"));
}

TEST(CircuitBreakerRecovers, OneProbeASecondForGoodIsNoRecovery) {
  const BreakerClient one_a_second = {.closes = false, .ends = 20s};
  EXPECT_RULING(Fail, ask_behind_a_breaker(kCircuitBreakerRecovers, one_a_second));
  const BreakerClient shorter = {.closes = false, .ends = 12s};
  EXPECT_RULING(Inconclusive, ask_behind_a_breaker(kCircuitBreakerRecovers, shorter));
}

TEST(CircuitBreakerRecovers, ASilenceThatEndsWithTheClientIsOpen) {
  EXPECT_RULING(Inconclusive,
                ask_behind_a_breaker(kCircuitBreakerRecovers, {.open = kNever, .ends = 9s}));
}

TEST(CircuitBreakerRecovers, AnOutageWithoutAnEndIsNoOccasion) {
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerRecovers, {.ends = 6500ms}));
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerRecovers, {.trips_at = kNever}));
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerRecovers, {.tells = false}));
}

TEST(CircuitBreakerRecovers, WantsTheUsualRate) {
  RecordingBuilder usual("healthy");
  well_until(usual, 500ms, 100ms);
  RecordingBuilder r("outage");
  run_behind_a_breaker(r, {});
  EXPECT_RULING(Inconclusive, ask(kCircuitBreakerRecovers, r, &usual));
}

TEST(CircuitBreakerRecovers, AVendorThatIsDownAgainIsNoOccasion) {
  const BreakerClient relapse = {.ends = 30s, .down_again = 7900ms};
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerRecovers, relapse));
}

TEST(CircuitBreakerRecovers, TheTimeBeginsBehindTheLastFailure) {
  const auto fails_once_more = [](Duration at) {
    RecordingBuilder usual("healthy");
    well_until(usual, 20s, kEvery);
    RecordingBuilder r("outage");
    run_behind_a_breaker(r, {.closes = false, .ends = 20s});
    fails(r, at, "late");
    return ask(kCircuitBreakerRecovers, r, &usual);
  };
  EXPECT_RULING(Fail, fails_once_more(9001ms));
  EXPECT_RULING(Inconclusive, fails_once_more(15001ms));
}

TEST(CircuitBreakerRecovers, WhatWasNotSentMayHaveBeenForAnotherRoute) {
  EXPECT_RULING(Inconclusive, ask_with_two_in_trouble(kCircuitBreakerRecovers));
}

}  // namespace mishap::client_tests
