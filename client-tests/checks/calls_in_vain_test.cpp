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

TEST(CallsInVain, AreThoseThatTheClientTellsOfAndNobodySaw) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  book_one_of_two(r, {10ms});
  r.outcome(11ms, "b", OutcomeKind::Pending);
  r.outcome(12ms, "b", OutcomeKind::Failed);
  const CaseOf told(r, &control);
  const auto unheard = unheard_operations(told.value, 0);
  ASSERT_EQ(unheard.size(), 1U);
  EXPECT_EQ(unheard.at(0)->outcome, OutcomeKind::Failed) << "the last word counts";
  EXPECT_TRUE(unheard_operations(told.value, 1).empty());
  EXPECT_TRUE(unheard_operations(CaseOf(r).value, 0).empty()) << "by which names, is not known";
  EXPECT_EQ(turned_away_words(r.recording(), 0), "1 connect was refused");
}

TEST(CallsInVain, NoneIsMissingWhereAsManyCameAsInTheControl) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder one("x");
  book_one_of_two(one, {10ms});
  EXPECT_FALSE(none_is_missing(CaseOf(one, &control).value, 0));
  RecordingBuilder both("x");
  book_two_of_two(both, {10ms});
  EXPECT_TRUE(none_is_missing(CaseOf(both, &control).value, 0));
  EXPECT_FALSE(none_is_missing(CaseOf(both).value, 0)) << "no control to compare with";
}

TEST(CallsInVain, EveryLaneIsComparedWithItsOwnControl) {
  RecordingBuilder control("control");
  control.create("").attempt(0ms).content("0").effect().answered(201, 1ms);
  control.create("").attempt(5ms).content("1").effect().answered(201, 6ms);
  RecordingBuilder r("x");
  r.recording().scenario.copies = 2;
  r.refused(1ms, 501ms, {10ms}, 1);
  for (const int lane : {0, 1}) {
    const std::string own = std::to_string(lane);
    r.create("").lane(lane).attempt(0ms).content(own + "-0").effect().answered(201, 1ms);
    if (lane == 0) r.create("").attempt(5ms).content("0-1").effect().answered(201, 6ms);
  }
  EXPECT_TRUE(none_is_missing(CaseOf(r, &control).value, 0));
  EXPECT_FALSE(none_is_missing(CaseOf(r, &control).value, 1));
  r.create("").lane(1).attempt(600ms).content("1-1").effect().answered(201, 601ms);
  EXPECT_TRUE(none_is_missing(CaseOf(r, &control).value, 1));
}

TEST(CallsInVain, TheWordFailedIsTrueOfThem) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  book_one_of_two(r, {10ms});
  r.outcome(11ms, "b", OutcomeKind::Failed);
  r.process(0ms, 20ms, 1);
  const Finding finding = ask(kOutcomeTruthful, r, &control);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(
      mentions(finding, "b: reported failed, and nothing of it came; 1 connect was refused"));
  EXPECT_TRUE(finding.warnings.empty()) << statements(finding);
}

TEST(CallsInVain, TheWordSucceededIsNot) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  book_one_of_two(r, {10ms});
  r.outcome(11ms, "b", OutcomeKind::Succeeded);
  r.process(0ms, 20ms, 0);
  EXPECT_RULING(Fail, ask(kEveryOperationAccounted, r, &control));
}

// Exit codes.

TEST(CallsInVain, ExitCodeZeroIsALieWhereTheClientItselfSaysFailed) {
  RecordingBuilder control("control");
  fill_control(control);
  for (const int code : {0, 1}) {
    RecordingBuilder r("x");
    book_one_of_two(r, {10ms});
    r.outcome(11ms, "b", OutcomeKind::Failed);
    r.process(0ms, 20ms, code);
    const Finding finding = ask(kExitCodeTruthful, r, &control);
    EXPECT_EQ(finding.ruling, code == 0 ? Ruling::Fail : Ruling::Pass) << statements(finding);
  }
}

TEST(CallsInVain, ExitCodeOneIsALieWhereNoneIsMissing) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  book_two_of_two(r, {10ms});
  r.process(0ms, 700ms, 1);
  const Finding finding = ask(kExitCodeTruthful, r, &control);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "ended with exit code 1, but all of 2 operations succeeded"))
      << statements(finding);
}

TEST(CallsInVain, ExitCodeZeroIsOpenWhereFewerCameAndTheClientSaysNothing) {
  RecordingBuilder control("control");
  fill_control(control);
  control.recording().outcomes.clear();
  RecordingBuilder r("x");
  book_one_of_two(r, {10ms});
  r.recording().outcomes.clear();
  r.process(0ms, 20ms, 0);
  const Finding finding = ask(kExitCodeTruthful, r, &control);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "1 of 2 operations came; 1 connect was refused"))
      << statements(finding);
}

TEST(CallsInVain, ExitCodeZeroIsALieWhereNothingCameAtAll) {
  RecordingBuilder control("control");
  fill_control(control);
  control.recording().outcomes.clear();
  RecordingBuilder r("x");
  r.refused(0ms, std::nullopt, {5ms, 9ms});
  r.process(0ms, 20ms, 0);
  const Finding finding = ask(kExitCodeTruthful, r, &control);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "exit code 0, but 0 of 2 operations came; 2 connects were refused"))
      << statements(finding);
}

// A read of the good day is a lookup where the create before it was in doubt.
TEST(CallsInVain, AReadThatLooksForTheEffectIsNotMissing) {
  RecordingBuilder control("control");
  control.create("a").attempt(0ms).effect().answered(201, 1ms);
  control.read("/v1/bookings/bk_1").attempt(5ms).answered(200, 6ms);
  control.process(0ms, 10ms, 0);
  RecordingBuilder r("x");
  r.promise().retries = true;
  auto booking = r.create("a").key("k");
  booking.attempt(0ms).fired("reset").lost_by_reset(1ms);
  r.refused(1ms, 501ms, {10ms});
  booking.attempt(600ms).effect().answered(201, 601ms);
  r.lookup(610ms, {booking.number()}, true).answered(200, 611ms);
  r.process(0ms, 620ms, 0);
  EXPECT_RULING(Pass, ask(kExitCodeTruthful, r, &control));
  EXPECT_RULING(Pass, ask(kRecoversFromTransient, r, &control));
}

// Trying again.

TEST(CallsInVain, OneConnectForACallThatNeverCameIsGivingUp) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  r.promise().retries = true;
  book_one_of_two(r, {10ms});
  r.outcome(11ms, "b", OutcomeKind::Failed);
  r.process(0ms, 20ms, 1);
  const Finding finding = ask(kRecoversFromTransient, r, &control);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(
      finding, "b: 1 connect was refused for 1 call that never came, none was tried again"));
  r.promise().retries.reset();
  const Finding unpromised = ask(kRecoversFromTransient, r, &control);
  EXPECT_RULING(Pass, unpromised);
  EXPECT_FALSE(unpromised.warnings.empty());
}

TEST(CallsInVain, ReadsHaveNoWordAndAreMissedAllTheSame) {
  RecordingBuilder control("control");
  fill_control(control);
  control.read().attempt(8ms).answered(200, 9ms);
  for (const bool again : {false, true}) {
    RecordingBuilder r("x");
    r.promise().retries = true;
    book_one_of_two(r, {10ms, 14ms});
    r.outcome(11ms, "b", OutcomeKind::Failed);
    if (again) r.refused(502ms, 503ms, {502ms});
    r.process(0ms, 20ms, 1);
    const Finding finding = ask(kRecoversFromTransient, r, &control);
    EXPECT_EQ(finding.ruling, again ? Ruling::Pass : Ruling::Fail) << statements(finding);
  }
}

TEST(CallsInVain, SeveralConnectsAreAttempts) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  r.promise().retries = true;
  book_one_of_two(r, {10ms, 60ms, 160ms});
  r.outcome(161ms, "b", OutcomeKind::Failed);
  r.process(0ms, 170ms, 1);
  EXPECT_RULING(Pass, ask(kRecoversFromTransient, r, &control));
}

TEST(CallsInVain, WhoIsRefusedForGoodNeedNotGoOn) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  r.promise().retries = true;
  r.refused(0ms, std::nullopt, {5ms});
  r.outcome(6ms, "a", OutcomeKind::Failed);
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, r, &control));
}

TEST(CallsInVain, AreRecoveredFromWhereNoneIsMissing) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  r.promise().retries = true;
  book_two_of_two(r, {10ms});
  r.process(0ms, 700ms, 0);
  const Finding finding = ask(kRecoversFromTransient, r, &control);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "1 connect was refused, and no call was lost"));
}

TEST(CallsInVain, AreOpenWhereAClientWithoutWordsMissesOne) {
  RecordingBuilder control("control");
  fill_control(control);
  control.recording().outcomes.clear();
  RecordingBuilder r("x");
  r.promise().retries = true;
  book_one_of_two(r, {10ms});
  r.recording().outcomes.clear();
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, r, &control));
}

// Nobody can say which connect was whose where several calls are under way at once.
TEST(CallsInVain, OfWhoWorksSideBySideNobodyKnowsWhatWasTriedAgain) {
  RecordingBuilder control("control");
  control.create("a").attempt(0ms).effect().answered(201, 4ms);
  control.outcome(5ms, "a", OutcomeKind::Succeeded);
  control.create("b").attempt(1ms).effect().answered(201, 4ms);
  control.outcome(5ms, "b", OutcomeKind::Succeeded);
  control.create("c").attempt(2ms).effect().answered(201, 4ms);
  control.outcome(5ms, "c", OutcomeKind::Succeeded);
  RecordingBuilder r("x");
  r.promise().retries = true;
  r.create("a").attempt(0ms).effect().answered(201, 1ms);
  r.outcome(2ms, "a", OutcomeKind::Succeeded);
  r.refused(1ms, 501ms, {10ms, 50ms});
  r.outcome(20ms, "b", OutcomeKind::Failed);  // a breaker's word, without a try
  r.outcome(51ms, "c", OutcomeKind::Failed);  // tried twice
  r.process(0ms, 60ms, 1);
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, r, &control));
}

TEST(CallsInVain, WhoStopsAtTheFirstRefusalHasGivenUp) {
  RecordingBuilder control("control");
  fill_control(control);
  control.create("c").attempt(8ms).effect().answered(201, 9ms);
  control.outcome(9ms, "c", OutcomeKind::Succeeded);
  RecordingBuilder r("x");
  r.promise().retries = true;
  book_one_of_two(r, {10ms});
  r.outcome(11ms, "b", OutcomeKind::Failed);
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(Fail, ask(kRecoversFromTransient, r, &control));
}

TEST(CallsInVain, LinesWrittenAtTheEndSayNothingOfTheOrder) {
  RecordingBuilder control("control");
  fill_control(control);
  control.create("c").attempt(8ms).effect().answered(201, 9ms);
  control.outcome(9ms, "c", OutcomeKind::Succeeded);
  RecordingBuilder r("x");
  r.promise().retries = true;
  book_one_of_two(r, {10ms, 12ms});
  r.outcome(30ms, "b", OutcomeKind::Failed);
  r.outcome(30ms, "c", OutcomeKind::Failed);
  r.process(0ms, 31ms, 1);
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, r, &control));
}

TEST(CallsInVain, WhatWasNotHeardIsNotHeldAgainstAnybody) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  r.promise().retries = true;
  book_one_of_two(r, {10ms});
  r.outcome(11ms, "b", OutcomeKind::Failed);
  r.process(0ms, 20ms, 1);
  r.recording().journal.spells.at(0).heard = false;
  EXPECT_RULING(Inconclusive, ask(kRecoversFromTransient, r, &control));
}

TEST(CallsInVain, WhereTwoRulesRefuseNobodyKnowsWhoWouldHaveBeenLetIn) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  r.promise().retries = true;
  r.rule("for a while", "refuse");
  r.rule("for good", "refuse");
  book_one_of_two(r, {10ms});
  r.outcome(11ms, "b", OutcomeKind::Failed);
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(NotApplicable, ask(kRecoversFromTransient, r, &control));
}

// A standby looks whether somebody is there, and one that is needed nowhere does nothing.
TEST(CallsInVain, AnotherCopyNeedNotDoWhatTheFirstDoes) {
  RecordingBuilder control("control");
  fill_control(control);
  RecordingBuilder r("x");
  r.recording().scenario.copies = 2;
  r.refused(0ms, std::nullopt, {5ms}, 1);
  r.process(0ms, 20ms, 0, 1);
  EXPECT_RULING(NotApplicable, ask(kExitCodeTruthful, r, &control));
}

// Time limits.

TEST(CallsInVain, AConnectWithoutAnAnswerHasATimeLimit) {
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

TEST(CallsInVain, WhoTriesAgainHasGivenTheLastConnectUp) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  r.refused(0ms, std::nullopt, {4500ms, 4500ms}).what = "unanswered";
  ProcessFacts& process = r.process(0ms, 4600ms, 1);
  process.sockets.push_back({.local_port = 50000, .first_seen = 100ms, .last_seen = 4450ms});
  process.sockets.push_back({.local_port = 50001, .first_seen = 1200ms, .last_seen = 4450ms});
  const Finding finding = ask(kAttemptTimeoutBounded, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.witnesses.size(), 1U) << "the last alone was held too long";
}

TEST(CallsInVain, AConnectThatNobodyHeardTheEndOfEndedWhenItWasLastSeen) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  r.refused(0ms, std::nullopt, {}).what = "unanswered";
  ProcessFacts& process = r.process(0ms, 60s, 1);
  process.sockets.push_back({.local_port = 50000, .first_seen = 100ms, .last_seen = 900ms});
  EXPECT_RULING(Pass, ask(kAttemptTimeoutBounded, r));
  process.sockets.back().last_seen = 59950ms;
  EXPECT_RULING(Fail, ask(kAttemptTimeoutBounded, r)) << "it was there until the client ended";
}

}  // namespace mishap::client_tests
