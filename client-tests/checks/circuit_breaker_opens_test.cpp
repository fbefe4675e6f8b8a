#include "client-tests/checks/crowd_testing.h"

namespace mishap::client_tests {

namespace {

// Calls from 0 to `until` that all fail, with so many attempts each.
Finding ask_of_failing(Duration until, Duration every, int attempts) {
  RecordingBuilder usual("healthy");
  well_until(usual, until, every);
  RecordingBuilder r("down");
  r.promise().breaker = 1s;
  steadily(0ms, until, every, [&](Duration at, const std::string& reference) {
    auto call = r.create(reference);
    for (int k = 0; k < attempts; ++k, at += 20ms) {
      call.attempt(at).fired("down", "status").failed_with(503, at + 2ms);
    }
    r.outcome(at, reference, OutcomeKind::Failed);
  });
  r.process(0ms, until + 100ms, 1);
  return ask(kCircuitBreakerOpens, r, &usual);
}

}  // namespace

TEST(CircuitBreakerOpens, TellsWhoGoesOnCallingWhatIsDown) {
  const Finding right = ask_behind_a_breaker(kCircuitBreakerOpens, {});
  EXPECT_RULING(Pass, right);
  EXPECT_TRUE(mentions(right, "while 50 operations were begun"));
  const Finding wrong = ask_behind_a_breaker(kCircuitBreakerOpens, {.trips_at = kNever});
  EXPECT_RULING(Fail, wrong);
  EXPECT_TRUE(
      mentions(wrong, "after 100 operations in a row that failed within 30 s 51 more were begun"));
}

TEST(CircuitBreakerOpens, CallsMustFailAtOnceThen) {
  EXPECT_RULING(Pass, ask_behind_a_breaker(kCircuitBreakerOpens, {.fails_within_ms = 99}));
  const Finding slow = ask_behind_a_breaker(kCircuitBreakerOpens, {.fails_within_ms = 150});
  EXPECT_RULING(Fail, slow);
  EXPECT_TRUE(mentions(slow, "they failed within 0.15 s >= 0.10 s"));
}

TEST(CircuitBreakerOpens, WantsAPromiseAndEnoughCalls) {
  RecordingBuilder usual("healthy");
  well_until(usual, 12s, kEvery);
  RecordingBuilder r("outage");
  run_behind_a_breaker(r, {.trips_at = kNever});
  r.promise().breaker.reset();
  EXPECT_RULING(NotApplicable, ask(kCircuitBreakerOpens, r, &usual));
  EXPECT_RULING(NotApplicable,
                ask_behind_a_breaker(kCircuitBreakerOpens, {.trips_at = kNever, .ends = 5900ms}));
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerOpens, {.trips_at = kNever},
                                                    parameters({{"min_calls", "160"}})));
}

TEST(CircuitBreakerOpens, SilenceAloneProvesNothing) {
  const BreakerClient mute = {.trips_at = 5500ms, .tells = false};
  EXPECT_RULING(Inconclusive, ask_behind_a_breaker(kCircuitBreakerOpens, mute));
  const BreakerClient early = {.trips_at = 3500ms, .tells = false};
  EXPECT_RULING(NotApplicable, ask_behind_a_breaker(kCircuitBreakerOpens, early));
  RecordingBuilder usual("healthy");
  well_until(usual, 12s, kEvery);
  usual.recording().outcomes.clear();
  RecordingBuilder r("outage");
  run_behind_a_breaker(r, mute);
  r.recording().outcomes.clear();
  EXPECT_RULING(NotObserved, ask(kCircuitBreakerOpens, r, &usual));
}

TEST(CircuitBreakerOpens, WhoIsNotLetInSendsNothingEither) {
  RecordingBuilder usual("healthy");
  well_until(usual, 12s, kEvery);
  RecordingBuilder r("outage");
  run_behind_a_breaker(r, {.trips_at = 5500ms});
  r.refused(5500ms, 8s, {5600ms, 5700ms});
  EXPECT_RULING(Inconclusive, ask(kCircuitBreakerOpens, r, &usual));
}

TEST(CircuitBreakerOpens, APauseBetweenTheRetriesOfOneCallIsNone) {
  RecordingBuilder usual("healthy");
  well_until(usual, 2s, 100ms);
  RecordingBuilder r("down");
  r.promise().breaker = 1s;
  auto call = r.create("r-1");
  for (int k = 0; k < 4; ++k) {
    call.attempt(k * 2s).fired("down", "status").failed_with(503, k * 2s + 2ms);
  }
  r.outcome(6100ms, "r-1", OutcomeKind::Failed);
  r.process(0ms, 7s, 1);
  EXPECT_RULING(NotApplicable, ask(kCircuitBreakerOpens, r, &usual));
}

TEST(CircuitBreakerOpens, WaitingForAnswersIsNoPause) {
  EXPECT_RULING(NotApplicable, ask_with_few_workers(kCircuitBreakerOpens));
}

TEST(CircuitBreakerOpens, OneFailureOpensNone) {
  EXPECT_RULING(NotApplicable,
                ask_behind_a_breaker(kCircuitBreakerOpens, {.trips_at = kDown + kEvery}));
}

TEST(CircuitBreakerOpens, WhatWasNotSentMayHaveBeenForAnotherRoute) {
  EXPECT_RULING(Inconclusive, ask_with_two_in_trouble(kCircuitBreakerOpens));
}

TEST(CircuitBreakerOpens, OneAroundTheRetriesCountsOperations) {
  EXPECT_RULING(Inconclusive, ask_of_failing(4s, 100ms, 4));
  EXPECT_RULING(Fail, ask_of_failing(16s, 100ms, 4));
}

TEST(CircuitBreakerOpens, OneThatForgetsMayNeverSeeEnoughAtOnce) {
  EXPECT_RULING(Inconclusive, ask_of_failing(60s, 333ms, 1));
  EXPECT_RULING(Fail, ask_of_failing(60s, 250ms, 1));
}

TEST(CircuitBreakerOpens, OneForTheHostSeesWhatGoesWellElsewhere) {
  const auto beside_reads = [](Duration every) {
    RecordingBuilder usual("healthy");
    well_until(usual, 12s, kEvery);
    RecordingBuilder r("one-down");
    run_behind_a_breaker(r, {.trips_at = kNever});
    for (Duration at = kDown; at < kWellAgain; at += every) {
      r.read().attempt(at + 7ms).answered(200, at + 9ms);
    }
    return ask(kCircuitBreakerOpens, r, &usual);
  };
  EXPECT_RULING(Inconclusive, beside_reads(10ms));
}

}  // namespace mishap::client_tests
