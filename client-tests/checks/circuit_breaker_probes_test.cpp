#include <algorithm>

#include "client-tests/checks/crowd_testing.h"

namespace mishap::client_tests {

TEST(CircuitBreakerProbes, CountsWhatIsSentBeforeASuccess) {
  const Finding right = ask_behind_a_breaker(kCircuitBreakerProbes, {});
  EXPECT_RULING(Pass, right);
  EXPECT_TRUE(mentions(right, "1 operation sent before the first success, 1 <= 10"));
  EXPECT_RULING(Pass, ask_behind_a_breaker(kCircuitBreakerProbes, {.probes = 10}));
  const Finding flood = ask_behind_a_breaker(kCircuitBreakerProbes, {.probes = 11});
  EXPECT_RULING(Fail, flood);
  EXPECT_TRUE(mentions(flood, "11 operations sent before the first success, 11 > 10"));
  EXPECT_RULING(Fail, ask_behind_a_breaker(kCircuitBreakerProbes, {.probes = 3},
                                           parameters({{"probes", "2"}})));
}

TEST(CircuitBreakerProbes, WantsABreakerThatWasSeenToTryAgain) {
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerProbes, {.trips_at = kNever}));
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerProbes, {.open = kNever}));
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerProbes, {.tells = false}));
}

TEST(CircuitBreakerProbes, AProbeThatIsNotAnsweredLeavesItOpen) {
  EXPECT_RULING(Inconclusive, ask_behind_a_breaker(kCircuitBreakerProbes, {.ends = 4600ms}));
}

TEST(CircuitBreakerProbes, TheRetriesOfAProbeCountOnce) {
  RecordingBuilder usual("healthy");
  well_until(usual, 12s, kEvery);
  RecordingBuilder r("outage");
  run_behind_a_breaker(r, {});
  // The probe at 4.5 s is tried fifteen times.
  auto& exchanges = r.recording().journal.exchanges;
  const auto probe = std::ranges::find(exchanges, 4500ms, &server::Exchange::first_byte);
  ASSERT_NE(probe, exchanges.end());
  const server::Exchange copy = *probe;
  for (int k = 1; k < 15; ++k) {
    auto again = copy;
    again.number = exchanges.size() + 1;
    again.first_byte += k * 5ms;
    again.identity.attempt += static_cast<std::uint64_t>(k);
    again.receipt.last_write = again.first_byte + 1ms;
    again.receipt.ended = again.first_byte + 1ms;
    exchanges.push_back(again);
  }
  EXPECT_RULING(Pass, ask(kCircuitBreakerProbes, r, &usual));
}

TEST(CircuitBreakerProbes, WorkersThatAllWaitAreNoBreaker) {
  EXPECT_RULING(NotApplicable, ask_with_few_workers(kCircuitBreakerProbes));
}

TEST(CircuitBreakerProbes, WhatWasNotSentMayHaveBeenForAnotherRoute) {
  EXPECT_RULING(Inconclusive, ask_with_two_in_trouble(kCircuitBreakerProbes));
}

}  // namespace mishap::client_tests
