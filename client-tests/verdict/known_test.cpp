#include "client-tests/verdict/known.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-tests/verdict/scripted_checks.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using scenarios::KnownFinding;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

KnownFinding known(const std::string& scenario, const std::string& check,
                   const std::string& until = "2026-12-31") {
  return {scenario, check, "because", until, {}};
}

// A healthy control and runs whose findings a test tells, judged on 2026-11-29.
class Known : public ::testing::Test {
 protected:
  Known() {
    RecordingBuilder control("control");
    control.control();
    control.create("ref-1").attempt(0ms).effect().answered(201, 2ms);
    control.process(0ms, 400ms, 0);
    script(control, "baseline_healthy", Ruling::Pass);
    suite_.day = "2026-11-29";
    suite_.controls = {control.recording()};
  }

  void run(const std::string& name, const std::vector<std::pair<std::string, Ruling>>& rulings) {
    RecordingBuilder made(name);
    made.rule("r", "reset");
    made.recording().control = "control";
    made.recording().scenario.pack = "core";
    auto booking = made.create("ref-1");
    booking.attempt(0ms).lost_by_reset(4ms);
    booking.attempt(524ms).effect().answered(201, 526ms);
    for (const auto& [check, ruling] : rulings) script(made, check, ruling, check + " spoke");
    suite_.recordings.push_back(made.recording());
  }

  SuiteVerdict judge() const { return judge_with(suite_, scripted_checks()); }

  std::vector<std::string> stale() const {
    std::vector<std::string> names;
    for (const auto& one : judge().stale) names.push_back(one.scenario + " " + one.check);
    return names;
  }

  Suite suite_;
};

TEST_F(Known, AFailThatIsKnownDoesNotFailTheRun) {
  run("lost", {{"no_duplicate_effects", Ruling::Fail}, {"outcome_truthful", Ruling::Pass}});
  EXPECT_EQ(judge().verdict, Verdict::Fail);
  suite_.known = {known("lo*", "no_duplicate_effects")};
  const auto verdict = judge();
  EXPECT_EQ(verdict.cases[0].verdict, Verdict::Known);
  EXPECT_EQ(verdict.cases[0].headline, "no_duplicate_effects spoke");
  EXPECT_FALSE(verdict.cases[0].timeline.empty());
  EXPECT_EQ(verdict.verdict, Verdict::Pass);
  EXPECT_THAT(verdict.causes, IsEmpty());
  EXPECT_THAT(verdict.stale, IsEmpty());
}

TEST_F(Known, AnotherFailOfTheSameCaseStillCounts) {
  run("lost", {{"no_duplicate_effects", Ruling::Fail}, {"outcome_truthful", Ruling::Fail}});
  suite_.known = {known("lost", "no_duplicate_effects")};
  const auto verdict = judge();
  EXPECT_EQ(verdict.cases[0].verdict, Verdict::Fail);
  EXPECT_EQ(verdict.cases[0].headline, "outcome_truthful spoke");
  ASSERT_THAT(verdict.causes, SizeIs(1));
  EXPECT_THAT(verdict.causes[0].checks, ElementsAre("outcome_truthful"));
}

TEST_F(Known, ItsLastDayIsStillIts) {
  run("lost", {{"outcome_truthful", Ruling::Fail}});
  suite_.known = {known("lost", "outcome_truthful", "2026-11-29")};
  EXPECT_EQ(judge().cases[0].verdict, Verdict::Known);
}

TEST_F(Known, AnExpiredOneFailsAndSaysSinceWhen) {
  run("lost", {{"outcome_truthful", Ruling::Fail}});
  suite_.known = {known("lost", "outcome_truthful", "2026-11-28")};
  const auto verdict = judge();
  EXPECT_EQ(verdict.cases[0].verdict, Verdict::Fail);
  EXPECT_THAT(verdict.cases[0].headline, HasSubstr("known until 2026-11-28, which is over"));
  const auto& finding = verdict.cases[0].findings;
  const auto found = std::ranges::find(finding, "outcome_truthful", &Finding::check);
  EXPECT_THAT(found->warnings, ElementsAre(HasSubstr("since 2026-11-29 it fails again")));
  EXPECT_THAT(verdict.causes, SizeIs(1));
  EXPECT_THAT(verdict.stale, IsEmpty());
}

TEST_F(Known, OneThatHoldsGoesBeforeOneThatIsOver) {
  run("lost", {{"outcome_truthful", Ruling::Fail}});
  suite_.known = {known("*", "outcome_truthful", "2026-01-01"), known("lost", "*")};
  EXPECT_EQ(judge().cases[0].verdict, Verdict::Known);
}

TEST_F(Known, ACaseThatIsKnownIsKnownWhateverElseIsInDoubt) {
  run("lost", {{"outcome_truthful", Ruling::Fail}, {"no_duplicate_effects", Ruling::Inconclusive}});
  suite_.known = {known("lost", "outcome_truthful")};
  EXPECT_EQ(judge().cases[0].verdict, Verdict::Known);
}

TEST_F(Known, AnAdvisoryFailIsMetButMakesNoCaseKnown) {
  run("lost", {{"advice", Ruling::Fail}, {"outcome_truthful", Ruling::Pass}});
  suite_.known = {known("lost", "advice")};
  EXPECT_EQ(judge().cases[0].verdict, Verdict::Pass);
  EXPECT_THAT(stale(), IsEmpty());
}

TEST_F(Known, WhatPassesIsStaleAndFailsOnlyWhereThatIsAskedFor) {
  run("lost", {{"outcome_truthful", Ruling::Pass}});
  suite_.known = {known("lost", "outcome_truthful")};
  EXPECT_THAT(stale(), ElementsAre("lost outcome_truthful"));
  EXPECT_EQ(judge().verdict, Verdict::Pass);
  suite_.strict_known = true;
  EXPECT_EQ(judge().verdict, Verdict::Fail);
}

TEST_F(Known, DoubtNeverCountsAsFixed) {
  run("lost", {{"outcome_truthful", Ruling::Inconclusive}});
  run("late", {{"outcome_truthful", Ruling::Pass}});
  suite_.known = {known("l*", "outcome_truthful"), known("lost", "outcome_truthful")};
  EXPECT_THAT(stale(), IsEmpty());
}

TEST_F(Known, WhatHadNoOccasionOrWasNotRunIsNotStale) {
  run("lost",
      {{"outcome_truthful", Ruling::NotApplicable}, {"no_duplicate_effects", Ruling::Pass}});
  suite_.known = {known("lost", "outcome_truthful"), known("other", "outcome_truthful")};
  EXPECT_THAT(stale(), IsEmpty());
}

TEST_F(Known, AGlobIsNotStaleWhereOnlySomeScenariosWereRun) {
  run("lost", {{"outcome_truthful", Ruling::Pass}});
  suite_.known = {known("l*", "outcome_truthful"), known("lost", "outcome_truthful")};
  EXPECT_THAT(stale(), SizeIs(2));
  suite_.narrowed = true;
  EXPECT_THAT(stale(), ElementsAre("lost outcome_truthful"));
  suite_.stopped = {"interrupted"};
  EXPECT_THAT(stale(), IsEmpty());
}

TEST_F(Known, AShardToWhichNothingFellPasses) {
  suite_.controls.clear();
  EXPECT_EQ(judge().verdict, Verdict::Inconclusive);
  suite_.shard = "3/4";
  EXPECT_EQ(judge().verdict, Verdict::Pass);
}

TEST(CheckKnown, NamesThatMeanNothingAreSaidWithTheNearest) {
  const auto said =
      check_known({known("helthy", "no_duplicate_effect"), known("core/*", "no_*"),
                   known("mine", "*"), known("zz*", "evidence_clean"), known("healthy", "zz*")},
                  {"mine"});
  ASSERT_THAT(said, SizeIs(4));
  EXPECT_EQ(said[0].severity, Severity::Error);
  EXPECT_THAT(said[0].message, HasSubstr("did you mean \"no_duplicate_effects\""));
  EXPECT_EQ(said[1].severity, Severity::Warning);
  EXPECT_THAT(said[1].message, HasSubstr("did you mean \"healthy\""));
  EXPECT_EQ(said[2].message, "no scenario is called like \"zz*\"");
  EXPECT_EQ(said[3].message, "no check is called like \"zz*\"");
}

// --- Which doubt is worth another run -----------------------------------------------------------

class RunAgain : public ::testing::Test {
 protected:
  RunAgain() {
    control_.control();
    control_.create("ref-1").attempt(0ms).effect().answered(201, 2ms);
    control_.process(0ms, 400ms, 0);
    run_.rule("r", "reset").called_in_control = true;
    run_.recording().control = "control";
    run_.process(0ms, 400ms, 0);
  }
  std::string why() { return why_run_again(run_.recording(), &control_.recording(), nullptr); }

  RecordingBuilder control_{"control"};
  RecordingBuilder run_{"x"};
};

TEST_F(RunAgain, AFaultThatDidNotHappenIsTriedOnceMore) {
  run_.create("ref-1").attempt(0ms).effect().answered(201, 2ms);
  EXPECT_THAT(why(), HasSubstr("not here"));
  run_.recording().earlier.push_back({why(), {}, {}});
  EXPECT_EQ(why(), "");
}

TEST_F(RunAgain, ABusyMachineIsTriedEachTime) {
  auto booking = run_.create("ref-1");
  booking.attempt(0ms).fired("r", "reset").lost_by_reset(4ms);
  booking.attempt(600ms).fired("r", "reset").lost_by_reset(604ms);
  booking.attempt(1600ms).effect().answered(201, 1602ms).lag(300ms);
  run_.expect("no_immediate_retry", scenarios::Level::Required);
  EXPECT_THAT(why(), HasSubstr("the machine is busy"));
  run_.recording().earlier.push_back({why(), {}, {}});
  EXPECT_NE(why(), "");
}

TEST_F(RunAgain, WhatWasDecidedIsNot) {
  auto booking = run_.create("ref-1").key("k");
  booking.attempt(0ms).fired("r", "reset").lost_by_reset(4ms);
  booking.attempt(600ms).effect().answered(201, 602ms);
  EXPECT_EQ(why(), "");
}

TEST_F(RunAgain, WhatTheClientNeverDoesIsNot) {
  run_.create("ref-1").attempt(0ms).effect().fired("r", "reset").answered(201, 2ms);
  run_.expect("retry_after_honored", scenarios::Level::Required);
  EXPECT_EQ(why(), "");
  run_.recording().not_run = "your client makes no such call";
  EXPECT_EQ(why(), "");
}

}  // namespace
}  // namespace mishap::client_tests
