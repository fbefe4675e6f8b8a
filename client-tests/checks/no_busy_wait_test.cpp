#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {
namespace busy_waits {

// A look every 50 ms, with a share of the processor that depends on the time.
template <typename Share>
std::vector<ProcessSample> looks(Duration until, Share share) {
  std::vector<ProcessSample> series;
  Duration cpu{};
  for (Duration at{}; at <= until; at += 50ms) {
    series.push_back({at, cpu, 1, 1, 1, 1});
    cpu += std::chrono::duration_cast<Duration>(Duration(50ms) * share(at));
  }
  return series;
}

auto always(double share) {
  return [share](Duration) { return share; };
}

// Answered 503 at 1 s and at 4 s, then well: waits of 3 s and of 4 s.
void waits_twice(RecordingBuilder& r) {
  auto op = r.create("a").key("k");
  op.attempt(1s).failed_with(503, 1001ms);
  op.attempt(4s).failed_with(503, 4001ms);
  op.attempt(8s).effect().answered(201, 8002ms);
}

TEST(NoBusyWait, FailsAClientThatSpins) {
  RecordingBuilder r("x");
  waits_twice(r);
  r.process(0ms, 9s, 0).series = looks(9s, always(0.97));
  const Finding finding = ask(kNoBusyWait, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "of waiting (2 waits): 97 % > 80 %"));
}

TEST(NoBusyWait, PassesAClientThatSleeps) {
  RecordingBuilder r("x");
  waits_twice(r);
  r.process(0ms, 9s, 0).series = looks(9s, always(0.01));
  EXPECT_RULING(Pass, ask(kNoBusyWait, r));
  EXPECT_RULING(Inconclusive, ask(kNoBusyWait, r, parameters({{"calm", "0%"}})));
}

TEST(NoBusyWait, InBetweenNothingCanBeSaid) {
  RecordingBuilder r("x");
  waits_twice(r);
  r.process(0ms, 9s, 0).series = looks(9s, always(0.5));
  EXPECT_RULING(Inconclusive, ask(kNoBusyWait, r));
}

TEST(NoBusyWait, WorkWhileACallIsUnderWayIsNoWaiting) {
  RecordingBuilder r("x");
  waits_twice(r);
  // Beside the waits a long call, in which the client computes.
  r.read().attempt(2s).answered(200, 7s);
  r.process(0ms, 9s, 0).series = looks(9s, always(1));
  EXPECT_RULING(NotApplicable, ask(kNoBusyWait, r));
}

TEST(NoBusyWait, TheStartOfTheProgramIsNoWaiting) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(100ms).failed_with(503, 101ms);
  op.attempt(5s).effect().answered(201, 5002ms);
  r.process(0ms, 9s, 0).series =
      looks(9s, [](Duration at) { return at < Duration(2s) ? 1.0 : 0.02; });
  EXPECT_RULING(Pass, ask(kNoBusyWait, r));
}

TEST(NoBusyWait, WhatCalmsDownDoesNotSpin) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(1s).failed_with(503, 1001ms);
  op.attempt(8s).failed_with(503, 8001ms);
  op.attempt(9s).effect().answered(201, 9002ms);
  r.process(0ms, 10s, 0).series =
      looks(10s, [](Duration at) { return at < Duration(8s) ? 1.0 : 0.05; });
  EXPECT_RULING(Inconclusive, ask(kNoBusyWait, r));
}

TEST(NoBusyWait, ShortWaitsAreNoOccasion) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(3s).failed_with(503, 3001ms);
  op.attempt(4s).effect().answered(201, 4002ms);
  r.process(0ms, 9s, 0).series = looks(9s, always(1));
  EXPECT_RULING(NotApplicable, ask(kNoBusyWait, r));
}

// What computes beside its calls does so whether it waits or not.
TEST(NoBusyWait, WorkThatIsDoneOnTheGoodDayTooNeedBeNoSpin) {
  RecordingBuilder r("x");
  waits_twice(r);
  r.process(0ms, 9s, 0).series = looks(9s, always(0.97));
  RecordingBuilder well("control");
  well.control().create("a").key("k").attempt(1s).effect().answered(201, 1002ms);
  ProcessFacts& process = well.process(0ms, 5s, 0);
  process.series = looks(5s, always(0.95));
  const Finding finding = ask(kNoBusyWait, r, &well);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "on the good day it uses 95 % of one core")) << statements(finding);

  process.series = looks(5s, always(0.5));
  EXPECT_RULING(Fail, ask(kNoBusyWait, r, &well)) << "it has less to do there";
  process.series = looks(2500ms, always(1));
  EXPECT_RULING(Fail, ask(kNoBusyWait, r, &well)) << "its work is over before the waits would be";
}

TEST(NoBusyWait, CannotTellWithoutEvidence) {
  RecordingBuilder r("x");
  waits_twice(r);
  ProcessFacts& process = r.process(0ms, 9s, 0);
  EXPECT_RULING(Inconclusive, ask(kNoBusyWait, r));
  process.series = {{0ms, 0ms, 1, 1, 1, 1}, {9s, 9s, 1, 1, 1, 1}};
  EXPECT_RULING(NotApplicable, ask(kNoBusyWait, r));
  r.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kNoBusyWait, r));
}

}  // namespace busy_waits
}  // namespace mishap::client_tests
