#include "client-tests/checks/calls_in_vain.h"

#include "client-tests/checks/check_testing.h"

// What the checks conclude of calls that were turned away at the door.
namespace mishap::client_tests {

namespace {

// Two bookings, each with its word, on the good day.
void fill_control(RecordingBuilder& control) {
  control.create("a").attempt(0ms).effect().answered(201, 1ms);
  control.outcome(2ms, "a", OutcomeKind::Succeeded);
  control.create("b").attempt(5ms).effect().answered(201, 6ms);
  control.outcome(7ms, "b", OutcomeKind::Succeeded);
  control.process(0ms, 10ms, 0);
}

// The first came through; the second was refused at the door for half a second.
void book_one_of_two(RecordingBuilder& r, std::initializer_list<Duration> connects) {
  r.create("a").attempt(0ms).effect().answered(201, 1ms);
  r.outcome(2ms, "a", OutcomeKind::Succeeded);
  r.refused(1ms, 501ms, connects);
}

void book_two_of_two(RecordingBuilder& r, std::initializer_list<Duration> connects) {
  book_one_of_two(r, connects);
  r.create("b").attempt(600ms).effect().answered(201, 601ms);
  r.outcome(602ms, "b", OutcomeKind::Succeeded);
}

}  // namespace

class CallsInVain : public testing::Test {
 protected:
  CallsInVain() { fill_control(control_); }

  RecordingBuilder control_{"control"};
  RecordingBuilder run_{"x"};
};

TEST_F(CallsInVain, AreThoseThatTheClientTellsOfAndNobodySaw) {
  book_one_of_two(run_, {10ms});
  run_.outcome(11ms, "b", OutcomeKind::Pending);
  run_.outcome(12ms, "b", OutcomeKind::Failed);
  const CaseOf told(run_, &control_);
  const auto unheard = unheard_operations(told.value, 0);
  ASSERT_EQ(unheard.size(), 1U);
  EXPECT_EQ(unheard.at(0)->outcome, OutcomeKind::Failed) << "the last word counts";
  EXPECT_TRUE(unheard_operations(told.value, 1).empty());
  EXPECT_TRUE(unheard_operations(CaseOf(run_).value, 0).empty()) << "by which names, is not known";
  EXPECT_EQ(turned_away_words(run_.recording(), 0), "1 connect was refused");
}

TEST_F(CallsInVain, NoneIsMissingWhereAsManyCameAsInTheControl) {
  RecordingBuilder one("x");
  book_one_of_two(one, {10ms});
  EXPECT_FALSE(none_is_missing(CaseOf(one, &control_).value, 0));
  RecordingBuilder both("x");
  book_two_of_two(both, {10ms});
  EXPECT_TRUE(none_is_missing(CaseOf(both, &control_).value, 0));
  EXPECT_FALSE(none_is_missing(CaseOf(both).value, 0)) << "no control to compare with";
}

TEST_F(CallsInVain, EveryLaneIsComparedWithItsOwnControl) {
  RecordingBuilder control("control");
  control.create("").attempt(0ms).content("0").effect().answered(201, 1ms);
  control.create("").attempt(5ms).content("1").effect().answered(201, 6ms);
  run_.recording().scenario.copies = 2;
  run_.refused(1ms, 501ms, {10ms}, 1);
  for (const int lane : {0, 1}) {
    const std::string own = std::to_string(lane);
    run_.create("").lane(lane).attempt(0ms).content(own + "-0").effect().answered(201, 1ms);
    if (lane == 0) run_.create("").attempt(5ms).content("0-1").effect().answered(201, 6ms);
  }
  EXPECT_TRUE(none_is_missing(CaseOf(run_, &control).value, 0));
  EXPECT_FALSE(none_is_missing(CaseOf(run_, &control).value, 1));
  run_.create("").lane(1).attempt(600ms).content("1-1").effect().answered(201, 601ms);
  EXPECT_TRUE(none_is_missing(CaseOf(run_, &control).value, 1));
}

TEST_F(CallsInVain, TheWordFailedIsTrueOfThem) {
  book_one_of_two(run_, {10ms});
  run_.outcome(11ms, "b", OutcomeKind::Failed);
  run_.process(0ms, 20ms, 1);
  const Finding finding = ask(kOutcomeTruthful, run_, &control_);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(
      mentions(finding, "b: reported failed, and nothing of it came; 1 connect was refused"));
  EXPECT_TRUE(finding.warnings.empty()) << statements(finding);
}

TEST_F(CallsInVain, TheWordSucceededIsNot) {
  book_one_of_two(run_, {10ms});
  run_.outcome(11ms, "b", OutcomeKind::Succeeded);
  run_.process(0ms, 20ms, 0);
  EXPECT_RULING(Fail, ask(kEveryOperationAccounted, run_, &control_));
}

// Exit codes.

TEST_F(CallsInVain, ExitCodeZeroIsALieWhereTheClientItselfSaysFailed) {
  for (const int code : {0, 1}) {
    RecordingBuilder r("x");
    book_one_of_two(r, {10ms});
    r.outcome(11ms, "b", OutcomeKind::Failed);
    r.process(0ms, 20ms, code);
    const Finding finding = ask(kExitCodeTruthful, r, &control_);
    EXPECT_EQ(finding.ruling, code == 0 ? Ruling::Fail : Ruling::Pass) << statements(finding);
  }
}

TEST_F(CallsInVain, ExitCodeOneIsALieWhereNoneIsMissing) {
  book_two_of_two(run_, {10ms});
  run_.process(0ms, 700ms, 1);
  const Finding finding = ask(kExitCodeTruthful, run_, &control_);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "ended with exit code 1, but all of 2 operations succeeded"))
      << statements(finding);
}

TEST_F(CallsInVain, ExitCodeZeroIsOpenWhereFewerCameAndTheClientSaysNothing) {
  control_.recording().outcomes.clear();
  book_one_of_two(run_, {10ms});
  run_.recording().outcomes.clear();
  run_.process(0ms, 20ms, 0);
  const Finding finding = ask(kExitCodeTruthful, run_, &control_);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "1 of 2 operations came; 1 connect was refused"))
      << statements(finding);
}

TEST_F(CallsInVain, ExitCodeZeroIsALieWhereNothingCameAtAll) {
  control_.recording().outcomes.clear();
  run_.refused(0ms, std::nullopt, {5ms, 9ms});
  run_.process(0ms, 20ms, 0);
  const Finding finding = ask(kExitCodeTruthful, run_, &control_);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "exit code 0, but 0 of 2 operations came; 2 connects were refused"))
      << statements(finding);
}

// A read of the good day is a lookup where the create before it was in doubt.
TEST_F(CallsInVain, AReadThatLooksForTheEffectIsNotMissing) {
  RecordingBuilder control("control");
  control.create("a").attempt(0ms).effect().answered(201, 1ms);
  control.read("/v1/bookings/bk_1").attempt(5ms).answered(200, 6ms);
  control.process(0ms, 10ms, 0);
  run_.promise().retries = true;
  auto booking = run_.create("a").key("k");
  booking.attempt(0ms).fired("reset").lost_by_reset(1ms);
  run_.refused(1ms, 501ms, {10ms});
  booking.attempt(600ms).effect().answered(201, 601ms);
  run_.lookup(610ms, {booking.number()}, true).answered(200, 611ms);
  run_.process(0ms, 620ms, 0);
  EXPECT_RULING(Pass, ask(kExitCodeTruthful, run_, &control));
  EXPECT_RULING(Pass, ask(kRecoversFromTransient, run_, &control));
}

// Trying again.

TEST_F(CallsInVain, OneConnectForACallThatNeverCameIsGivingUp) {
  run_.promise().retries = true;
  book_one_of_two(run_, {10ms});
  run_.outcome(11ms, "b", OutcomeKind::Failed);
  run_.process(0ms, 20ms, 1);
  const Finding finding = ask(kRecoversFromTransient, run_, &control_);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(
      finding, "b: 1 connect was refused for 1 call that never came, none was tried again"));
  run_.promise().retries.reset();
  const Finding unpromised = ask(kRecoversFromTransient, run_, &control_);
  EXPECT_RULING(Pass, unpromised);
  EXPECT_FALSE(unpromised.warnings.empty());
}

TEST_F(CallsInVain, ReadsHaveNoWordAndAreMissedAllTheSame) {
  control_.read().attempt(8ms).answered(200, 9ms);
  for (const bool again : {false, true}) {
    RecordingBuilder r("x");
    r.promise().retries = true;
    book_one_of_two(r, {10ms, 14ms});
    r.outcome(11ms, "b", OutcomeKind::Failed);
    if (again) r.refused(502ms, 503ms, {502ms});
    r.process(0ms, 20ms, 1);
    const Finding finding = ask(kRecoversFromTransient, r, &control_);
    EXPECT_EQ(finding.ruling, again ? Ruling::Pass : Ruling::Fail) << statements(finding);
  }
}

TEST_F(CallsInVain, SeveralConnectsAreAttempts) {
  run_.promise().retries = true;
  book_one_of_two(run_, {10ms, 60ms, 160ms});
  run_.outcome(161ms, "b", OutcomeKind::Failed);
  run_.process(0ms, 170ms, 1);
  EXPECT_RULING(Pass, ask(kRecoversFromTransient, run_, &control_));
}

TEST_F(CallsInVain, WhoIsRefusedForGoodNeedNotGoOn) {
  run_.promise().retries = true;
  run_.refused(0ms, std::nullopt, {5ms});
  run_.outcome(6ms, "a", OutcomeKind::Failed);
  run_.process(0ms, 20ms, 1);
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, run_, &control_));
}

TEST_F(CallsInVain, AreRecoveredFromWhereNoneIsMissing) {
  run_.promise().retries = true;
  book_two_of_two(run_, {10ms});
  run_.process(0ms, 700ms, 0);
  const Finding finding = ask(kRecoversFromTransient, run_, &control_);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "1 connect was refused, and no call was lost"));
}

TEST_F(CallsInVain, AreOpenWhereAClientWithoutWordsMissesOne) {
  control_.recording().outcomes.clear();
  run_.promise().retries = true;
  book_one_of_two(run_, {10ms});
  run_.recording().outcomes.clear();
  run_.process(0ms, 20ms, 1);
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, run_, &control_));
}

// Nobody can say which connect was whose where several calls are under way at once.
TEST_F(CallsInVain, OfWhoWorksSideBySideNobodyKnowsWhatWasTriedAgain) {
  RecordingBuilder control("control");
  control.create("a").attempt(0ms).effect().answered(201, 4ms);
  control.outcome(5ms, "a", OutcomeKind::Succeeded);
  control.create("b").attempt(1ms).effect().answered(201, 4ms);
  control.outcome(5ms, "b", OutcomeKind::Succeeded);
  control.create("c").attempt(2ms).effect().answered(201, 4ms);
  control.outcome(5ms, "c", OutcomeKind::Succeeded);
  run_.promise().retries = true;
  run_.create("a").attempt(0ms).effect().answered(201, 1ms);
  run_.outcome(2ms, "a", OutcomeKind::Succeeded);
  run_.refused(1ms, 501ms, {10ms, 50ms});
  run_.outcome(20ms, "b", OutcomeKind::Failed);  // a breaker's word, without a try
  run_.outcome(51ms, "c", OutcomeKind::Failed);  // tried twice
  run_.process(0ms, 60ms, 1);
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, run_, &control));
}

TEST_F(CallsInVain, WhoStopsAtTheFirstRefusalHasGivenUp) {
  control_.create("c").attempt(8ms).effect().answered(201, 9ms);
  control_.outcome(9ms, "c", OutcomeKind::Succeeded);
  run_.promise().retries = true;
  book_one_of_two(run_, {10ms});
  run_.outcome(11ms, "b", OutcomeKind::Failed);
  run_.process(0ms, 20ms, 1);
  EXPECT_RULING(Fail, ask(kRecoversFromTransient, run_, &control_));
}

TEST_F(CallsInVain, LinesWrittenAtTheEndSayNothingOfTheOrder) {
  control_.create("c").attempt(8ms).effect().answered(201, 9ms);
  control_.outcome(9ms, "c", OutcomeKind::Succeeded);
  run_.promise().retries = true;
  book_one_of_two(run_, {10ms, 12ms});
  run_.outcome(30ms, "b", OutcomeKind::Failed);
  run_.outcome(30ms, "c", OutcomeKind::Failed);
  run_.process(0ms, 31ms, 1);
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, run_, &control_));
}

TEST_F(CallsInVain, WhatWasNotHeardIsNotHeldAgainstAnybody) {
  run_.promise().retries = true;
  book_one_of_two(run_, {10ms});
  run_.outcome(11ms, "b", OutcomeKind::Failed);
  run_.process(0ms, 20ms, 1);
  run_.recording().journal.spells.at(0).heard = false;
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, run_, &control_));
}

TEST_F(CallsInVain, WhereTwoRulesRefuseNobodyKnowsWhoWouldHaveBeenLetIn) {
  run_.promise().retries = true;
  run_.rule("for a while", "refuse");
  run_.rule("for good", "refuse");
  book_one_of_two(run_, {10ms});
  run_.outcome(11ms, "b", OutcomeKind::Failed);
  run_.process(0ms, 20ms, 1);
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, run_, &control_));
}

// A standby looks whether somebody is there, and one that is needed nowhere does nothing.
TEST_F(CallsInVain, AnotherCopyNeedNotDoWhatTheFirstDoes) {
  run_.recording().scenario.copies = 2;
  run_.refused(0ms, std::nullopt, {5ms}, 1);
  run_.process(0ms, 20ms, 0, 1);
  EXPECT_RULING(NotApplicable, ask(kExitCodeTruthful, run_, &control_));
}

// Time limits.

TEST_F(CallsInVain, AConnectWithoutAnAnswerHasATimeLimit) {
  for (const auto& [length, ruling] :
       {std::pair<Duration, Ruling>{1s, Ruling::Pass}, {1400ms, Ruling::Fail}}) {
    RecordingBuilder r("x");
    r.promise().attempt_timeout = 1s;
    server::ListenerSpell& spell = r.refused(0ms, std::nullopt, {100ms + length});
    spell.what = "unanswered";
    ProcessFacts& process = r.process(0ms, 5s, 1);
    process.sockets.push_back({.local_port = r.recording().journal.turned_away.at(0).client_port,
                               .first_seen = 100ms,
                               .last_seen = 50ms + length});
    const Finding finding = ask(kAttemptTimeoutBounded, r);
    EXPECT_EQ(finding.ruling, ruling) << statements(finding);
  }
}

TEST_F(CallsInVain, WhoTriesAgainHasGivenTheLastConnectUp) {
  run_.promise().attempt_timeout = 1s;
  run_.refused(0ms, std::nullopt, {4500ms, 4500ms}).what = "unanswered";
  ProcessFacts& process = run_.process(0ms, 4600ms, 1);
  process.sockets.push_back({.local_port = 50000, .first_seen = 100ms, .last_seen = 4450ms});
  process.sockets.push_back({.local_port = 50001, .first_seen = 1200ms, .last_seen = 4450ms});
  const Finding finding = ask(kAttemptTimeoutBounded, run_);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.witnesses.size(), 1U) << "the last alone was held too long";
}

TEST_F(CallsInVain, AConnectThatNobodyHeardTheEndOfEndedWhenItWasLastSeen) {
  run_.promise().attempt_timeout = 1s;
  run_.refused(0ms, std::nullopt, {}).what = "unanswered";
  ProcessFacts& process = run_.process(0ms, 60s, 1);
  process.sockets.push_back({.local_port = 50000, .first_seen = 100ms, .last_seen = 900ms});
  EXPECT_RULING(Pass, ask(kAttemptTimeoutBounded, run_));
  process.sockets.back().last_seen = 59950ms;
  EXPECT_RULING(Fail, ask(kAttemptTimeoutBounded, run_)) << "it was there until the client ended";
}

}  // namespace mishap::client_tests
