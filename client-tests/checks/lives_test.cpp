#include "client-tests/checks/crash_testing.h"

namespace mishap::client_tests {

// A restart is no wait, and an end that was asked for is no giving up.
TEST(Crash, NeitherARestartNorAnEndIsHeldAgainstTheWaitThatWasAskedFor) {
  RecordingBuilder reborn("x");
  auto create = reborn.create("a").key("k1");
  create.attempt(0ms).fired("wait").failed_with(503, 4ms).header("Retry-After", "2");
  create.attempt(450ms).effect().answered(201, 452ms);
  two_lives(reborn);
  EXPECT_RULING(NotApplicable, ask(kRetryAfterHonored, reborn));
  reborn.recording().processes.clear();
  reborn.process(0ms, 900ms, 0);
  EXPECT_RULING(Fail, ask(kRetryAfterHonored, reborn)) << "one life that comes back too soon";

  RecordingBuilder ended("x");
  ended.rule("wait", "status").attempt = scenarios::Count{1, 1, 0, {}};
  waiting_create(ended);
  ended.outcome(510ms, "a", OutcomeKind::Pending);
  ended.promise().retries = true;
  ended_at(ended, 520ms);
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, ended));
  ended.recording().processes.back().stop = Stop::Exited;
  EXPECT_RULING(Fail, ask(kRecoversFromTransient, ended));
}

// What a dying process leaves open is nobody's habit.
TEST(CutBySignal, IsNeitherATimeoutNorARelease) {
  RecordingBuilder r("x");
  cut_create(r).attempt(450ms).answered(201, 452ms).replayed();
  two_lives(r, 2000ms);
  const History history = make_history(r.recording());
  const auto& attempts = history.operations.at(0).attempts;
  EXPECT_TRUE(attempts.at(0).cut_by_signal);
  EXPECT_EQ(attempts.at(0).result, Result::Unanswered);
  EXPECT_FALSE(attempts.at(0).abandoned_at);
  EXPECT_EQ(attempts.at(1).life, 2);
  EXPECT_FALSE(attempts.at(1).gap);
  EXPECT_RULING(NotApplicable, ask(kAttemptTimeoutBounded, r));
  EXPECT_RULING(NotApplicable, ask(kConnectionReleasedAfterTimeout, r));
}

TEST(CutBySignal, EachLifeHasItsOwnAttempts) {
  RecordingBuilder r("x");
  r.promise().max_attempts = 2;
  auto create = r.create("a").key("k1");
  create.attempt(0ms).fired("down").failed_with(503, 4ms);
  create.attempt(100ms).fired("down").left(kKilled);
  create.attempt(450ms).fired("down").failed_with(503, 454ms);
  create.attempt(550ms).fired("down").failed_with(503, 554ms);
  r.outcome(600ms, "a", OutcomeKind::Failed);
  two_lives(r);
  EXPECT_NE(ask(kBoundedAttempts, r).ruling, Ruling::Fail);
  create.attempt(650ms).fired("down").failed_with(503, 654ms);
  EXPECT_RULING(Fail, ask(kBoundedAttempts, r));
}

TEST(Crash, TheExitCodeOfTheNextLifeMayBeAboutWhatDiedWithTheLast) {
  RecordingBuilder r("x");
  auto create = r.create("b").key("k2");
  create.attempt(100ms).effect().answered(201, 110ms).raw().receipt.signals = {killed()};
  two_lives(r, 900ms, 1);
  EXPECT_NE(ask(kExitCodeTruthful, r).ruling, Ruling::Fail);
  r.recording().processes.clear();
  r.process(0ms, 900ms, 1);
  EXPECT_RULING(Fail, ask(kExitCodeTruthful, r)) << "one life that was answered itself";
}

// It was killed for good: whether it would have come again nobody can say, and nobody asks.
TEST(Crash, WhoIsNotStartedAgainIsNotJudgedByItsSilence) {
  for (const char* key : {"k1", ""}) {
    RecordingBuilder r("x");
    r.create("a").key(key).attempt(100ms).effect().fired("killed").left(kKilled + 2ms);
    ProcessFacts& only = r.process(0ms, kKilled + 10ms, 0);
    only.stop = Stop::Scripted;
    only.told_to_end = kKilled;
    for (const CheckDescriptor* check :
         {&kNoDuplicateEffects, &kNoBlindRetryOfUnsafe, &kTotalDeadlineBounded}) {
      const Finding finding = ask(*check, r);
      EXPECT_NE(finding.ruling, Ruling::Inconclusive) << check->name << statements(finding);
      EXPECT_NE(finding.ruling, Ruling::Fail) << check->name;
    }
  }
}

TEST(History, WhatIsSaidWhileTheDriverEndsTheClientIsNoWordOfItsOwn) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).failed_with(429, 4ms);
  r.outcome(18s, "a", OutcomeKind::Failed);
  ProcessFacts& process = r.process(0ms, 18100ms, 1);
  process.stop = Stop::Killed;
  process.told_to_end = 17990ms;
  EXPECT_TRUE(make_history(r.recording()).operations.at(0).outcomes.empty());
  process.stop = Stop::Stopped;  // a service that is told to go may have its say
  EXPECT_EQ(make_history(r.recording()).operations.at(0).outcomes.size(), 1U);
  process.stop = Stop::Killed;
  process.told_to_end = 18001ms;
  EXPECT_EQ(make_history(r.recording()).operations.at(0).outcomes.size(), 1U);
}

}  // namespace mishap::client_tests
