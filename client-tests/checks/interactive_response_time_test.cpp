#include "client-tests/checks/crowd_testing.h"

namespace mishap::client_tests {

namespace {

// A call that a fault met at 0 s and that was done at 9 s; its first word came at `word`.
void slow_call(RecordingBuilder& r, std::optional<Duration> word) {
  r.promise().answer_within = 3s;
  auto call = r.create("r-1");
  call.attempt(0ms).fired("stalls", "stall").stalled().left(1s);
  call.attempt(9s).effect().answered(201, 9002ms);
  if (word) r.outcome(*word, "r-1", OutcomeKind::Pending);
}

Finding answered_at(std::optional<Duration> word) {
  RecordingBuilder r("stalls");
  slow_call(r, word);
  r.outcome(9010ms, "r-1", OutcomeKind::Succeeded);
  r.process(0ms, 9100ms, 0);
  return ask(kInteractiveResponseTime, r);
}

}  // namespace

TEST(InteractiveResponseTime, TakesTheFirstWordBeItPending) {
  EXPECT_RULING(Pass, answered_at(2900ms));
  EXPECT_RULING(Pass, answered_at(3300ms));
  const Finding late = answered_at(3301ms);
  EXPECT_RULING(Fail, late);
  EXPECT_TRUE(mentions(late, "the first word after 3.30 s > 3.00 s"));
  EXPECT_RULING(Fail, answered_at(std::nullopt));
}

TEST(InteractiveResponseTime, NotAWordIsTooLateWhileItLives) {
  for (const Duration end : {9100ms, 2000ms}) {
    RecordingBuilder r("stalls");
    slow_call(r, std::nullopt);
    auto other = r.create("r-2");
    other.attempt(10ms).effect().answered(201, 12ms);
    r.outcome(15ms, "r-2", OutcomeKind::Succeeded);
    r.process(0ms, end, 1);
    EXPECT_EQ(ask(kInteractiveResponseTime, r).ruling,
              end == 9100ms ? Ruling::Fail : Ruling::NotApplicable);
  }
}

// A file that is written when it is closed: the person heard of it long before.
TEST(InteractiveResponseTime, LinesThatAllCameAtTheEndTellNoTime) {
  for (const bool says_when : {false, true}) {
    RecordingBuilder r("stalls");
    r.promise().answer_within = 3s;
    auto call = r.create("r-1");
    call.attempt(0ms).fired("stalls", "stall").stalled().left(1s);
    auto& line = r.outcome(15s, "r-1", OutcomeKind::Pending);
    line.duration_ms.reset();
    if (says_when) line.duration_ms = 2000;
    r.process(0ms, 15010ms, 1);
    EXPECT_EQ(ask(kInteractiveResponseTime, r).ruling,
              says_when ? Ruling::Pass : Ruling::Inconclusive);
  }
}

// Lines of a short run that all come near its end: it had not failed while it was tried again.
TEST(InteractiveResponseTime, AFinalWordIsNoSoonerThanTheLastAttempt) {
  for (const OutcomeKind kind : {OutcomeKind::Failed, OutcomeKind::Pending}) {
    RecordingBuilder r("stalls");
    slow_call(r, std::nullopt);
    r.recording().journal.exchanges.back().answer.success = false;
    r.outcome(9010ms, "r-1", kind);
    r.process(0ms, 9050ms, 1);
    EXPECT_EQ(ask(kInteractiveResponseTime, r).ruling,
              kind == OutcomeKind::Failed ? Ruling::Fail : Ruling::Inconclusive);
  }
}

TEST(InteractiveResponseTime, WithoutLinesOnlyAnEarlyEndIsSeen) {
  RecordingBuilder late("stalls");
  slow_call(late, std::nullopt);
  late.process(0ms, 9100ms, 0);
  EXPECT_RULING(NotObserved, ask(kInteractiveResponseTime, late));
  RecordingBuilder early("stalls");
  early.promise().answer_within = 3s;
  auto call = early.create("r-1");
  call.attempt(0ms).fired("stalls", "stall").stalled().left(1s);
  early.process(0ms, 1100ms, 1);
  EXPECT_RULING(Pass, ask(kInteractiveResponseTime, early));
}

TEST(InteractiveResponseTime, WantsAPromiseAndAFault) {
  RecordingBuilder r("stalls");
  slow_call(r, 8s);
  r.promise().answer_within.reset();
  EXPECT_RULING(NotApplicable, ask(kInteractiveResponseTime, r));
  RecordingBuilder well("healthy");
  well.promise().answer_within = 3s;
  goes_well(well, 0ms, "r-1");
  EXPECT_RULING(NotApplicable, ask(kInteractiveResponseTime, well));
}

}  // namespace mishap::client_tests
