#include <mishap/verdict.h>

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-tests/verdict/scripted_checks.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using scenarios::Level;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A suite of one healthy control and the runs that a test tells.
class SuiteOf {
 public:
  SuiteOf() : control_("control") {
    control_.control();
    control_.create("ref-1").attempt(0ms).effect().answered(201, 2ms);
    control_.process(0ms, 400ms, 0);
    script(control_, "baseline_healthy", Ruling::Pass);
  }

  RecordingBuilder& control() { return control_; }

  RecordingBuilder& run(const std::string& name) {
    auto& made = *runs_.emplace_back(std::make_unique<RecordingBuilder>(name));
    made.rule("r", "reset");
    made.recording().control = "control";
    auto booking = made.create("ref-1");
    booking.attempt(0ms).lost_by_reset(4ms);
    booking.attempt(524ms).effect().answered(201, 526ms);
    return made;
  }

  Suite suite() const {
    Suite suite;
    suite.name = "s";
    suite.controls = {control_.recording()};
    for (const auto& run : runs_) suite.recordings.push_back(run->recording());
    return suite;
  }

  SuiteVerdict judge() const { return judge_with(suite(), scripted_checks()); }

 private:
  RecordingBuilder control_;
  std::vector<std::unique_ptr<RecordingBuilder>> runs_;
};

const Finding& finding(const CaseVerdict& value, const std::string& check) {
  for (const Finding& found : value.findings) {
    if (found.check == check) return found;
  }
  throw std::runtime_error("no finding of " + check);
}

// --- Merging ----------------------------------------------------------------------------------

struct MergeCase {
  std::string name;
  std::vector<std::pair<std::string, Ruling>> rulings;
  Verdict expected;
};

void PrintTo(const MergeCase& value, std::ostream* out) {
  *out << value.name;
}

class Merge : public ::testing::TestWithParam<MergeCase> {};

TEST_P(Merge, OfACase) {
  SuiteOf s;
  auto& run = s.run("x");
  for (const auto& [check, ruling] : GetParam().rulings) script(run, check, ruling, "why");
  const SuiteVerdict verdict = s.judge();
  EXPECT_EQ(to_string(verdict.cases.at(0).verdict), to_string(GetParam().expected));
  EXPECT_EQ(to_string(verdict.verdict), to_string(GetParam().expected));
}

const std::vector<MergeCase> kMerges{
    {"PassAlone", {{"outcome_truthful", Ruling::Pass}}, Verdict::Pass},
    {"FailBeatsAll",
     {{"outcome_truthful", Ruling::Fail},
      {"no_duplicate_effects", Ruling::Inconclusive},
      {"retry_after_honored", Ruling::Pass}},
     Verdict::Fail},
    {"InconclusiveBeatsPass",
     {{"outcome_truthful", Ruling::Pass}, {"no_duplicate_effects", Ruling::Inconclusive}},
     Verdict::Inconclusive},
    {"NotApplicableStaysOut",
     {{"outcome_truthful", Ruling::Pass}, {"no_duplicate_effects", Ruling::NotApplicable}},
     Verdict::Pass},
    {"NotObservedStaysOut",
     {{"outcome_truthful", Ruling::NotObserved}, {"no_duplicate_effects", Ruling::Pass}},
     Verdict::Pass},
    {"NothingThatJudged", {}, Verdict::Inconclusive},
    {"OnlyTheRunItselfWasJudged",
     {{"fault_activated", Ruling::Pass}, {"evidence_clean", Ruling::Pass}},
     Verdict::Inconclusive},
    {"AdvisoryFailDoesNotCount",
     {{"advice", Ruling::Fail}, {"outcome_truthful", Ruling::Pass}},
     Verdict::Pass},
    {"AdvisoryDoubtDoesNotCount",
     {{"advice", Ruling::Inconclusive}, {"outcome_truthful", Ruling::Pass}},
     Verdict::Pass},
    {"FaultThatDidNotHappen",
     {{"fault_activated", Ruling::Inconclusive}, {"outcome_truthful", Ruling::Pass}},
     Verdict::Inconclusive},
    {"FailThoughTheFaultDidNotHappen",
     {{"fault_activated", Ruling::Inconclusive}, {"outcome_truthful", Ruling::Fail}},
     Verdict::Fail},
    {"NoisyClockTakesATimingFailAway",
     {{"evidence_clean", Ruling::Inconclusive}, {"retry_after_honored", Ruling::Fail}},
     Verdict::Inconclusive},
    {"NoisyClockLeavesAnotherFail",
     {{"evidence_clean", Ruling::Inconclusive}, {"no_duplicate_effects", Ruling::Fail}},
     Verdict::Fail},
    {"NoisyClockWithoutATimingCheckIsNoMatter",
     {{"evidence_clean", Ruling::Inconclusive}, {"outcome_truthful", Ruling::Pass}},
     Verdict::Pass},
};
INSTANTIATE_TEST_SUITE_P(Findings, Merge, ::testing::ValuesIn(kMerges),
                         [](const auto& row) { return row.param.name; });

TEST(MergeOfASuite, IsItsWorstCaseAndLeavesTheInapplicableOut) {
  const auto verdict = [](const std::vector<std::optional<Ruling>>& rulings) {
    SuiteOf s;
    for (const auto& ruling : rulings) {
      auto& run = s.run("x");
      if (ruling) {
        script(run, "outcome_truthful", *ruling);
      } else {
        run.recording().not_run = "your client makes no such call";
      }
    }
    return s.judge().verdict;
  };
  EXPECT_EQ(verdict({Ruling::Pass, Ruling::Pass}), Verdict::Pass);
  EXPECT_EQ(verdict({Ruling::Pass, std::nullopt}), Verdict::Pass);
  EXPECT_EQ(verdict({Ruling::Pass, Ruling::Inconclusive}), Verdict::Inconclusive);
  EXPECT_EQ(verdict({Ruling::Inconclusive, Ruling::Fail, Ruling::Pass}), Verdict::Fail);
  EXPECT_EQ(verdict({std::nullopt, std::nullopt}), Verdict::Inconclusive);
}

TEST(MergeOfASuite, ThatWasStoppedIsNoPass) {
  SuiteOf s;
  script(s.run("x"), "outcome_truthful", Ruling::Pass);
  Suite suite = s.suite();
  suite.stopped = {"interrupted"};
  EXPECT_EQ(judge_with(suite, scripted_checks()).verdict, Verdict::Inconclusive);
}

TEST(MergeOfASuite, ThatIsEmptyIsInconclusive) {
  EXPECT_EQ(judge_with({}, scripted_checks()).verdict, Verdict::Inconclusive);
}

TEST(MergeOfACase, WithLostRecordsIsNoPass) {
  SuiteOf s;
  auto& run = s.run("x");
  script(run, "outcome_truthful", Ruling::Pass);
  run.recording().journal.lost = 1;
  const CaseVerdict value = s.judge().cases.at(0);
  EXPECT_EQ(value.verdict, Verdict::Inconclusive);
  EXPECT_THAT(value.headline, HasSubstr("dropped"));
}

// --- Levels -------------------------------------------------------------------------------------

TEST(ALevel, OfOffIsNotApplicableWithItsReason) {
  SuiteOf s;
  auto& run = s.run("x");
  script(run, "outcome_truthful", Ruling::Fail);
  script(run, "no_duplicate_effects", Ruling::Pass);
  run.expect("outcome_truthful", Level::Off, "the job has no outcomes");
  const CaseVerdict value = s.judge().cases.at(0);
  EXPECT_EQ(value.verdict, Verdict::Pass);
  EXPECT_EQ(finding(value, "outcome_truthful").ruling, Ruling::NotApplicable);
  EXPECT_THAT(finding(value, "outcome_truthful").reason, HasSubstr("the job has no outcomes"));
}

TEST(ALevel, OfRequiredTurnsWantOfOccasionAndOfEvidenceIntoInconclusive) {
  for (const Ruling ruling : {Ruling::NotApplicable, Ruling::NotObserved}) {
    SuiteOf s;
    auto& run = s.run("x");
    script(run, "outcome_truthful", ruling, "no such thing");
    script(run, "no_duplicate_effects", Ruling::Pass);
    run.expect("outcome_truthful", Level::Required);
    const CaseVerdict value = s.judge().cases.at(0);
    EXPECT_EQ(value.verdict, Verdict::Inconclusive);
    EXPECT_THAT(value.headline, HasSubstr("no such thing"));
  }
}

TEST(ALevel, OfRequiredIsNothingToAScenarioThatIsNotApplicableAsAWhole) {
  SuiteOf s;
  auto& run = s.run("x");
  run.expect("outcome_truthful", Level::Required);
  run.recording().not_run = "your client makes no such call";
  const CaseVerdict value = s.judge().cases.at(0);
  EXPECT_EQ(value.verdict, Verdict::NotApplicable);
  EXPECT_EQ(value.headline, "your client makes no such call");
}

TEST(ALevel, OfAdvisoryMakesAFailNotCountAndRequiredMakesAdviceCount) {
  SuiteOf s;
  auto& lenient = s.run("lenient");
  script(lenient, "outcome_truthful", Ruling::Fail);
  lenient.expect("outcome_truthful", Level::Advisory);
  auto& strict = s.run("strict");
  script(strict, "advice", Ruling::Fail);
  strict.expect("advice", Level::Required);
  const SuiteVerdict verdict = s.judge();
  EXPECT_EQ(verdict.cases.at(0).verdict, Verdict::Pass);
  EXPECT_TRUE(finding(verdict.cases.at(0), "outcome_truthful").advisory);
  EXPECT_EQ(finding(verdict.cases.at(0), "outcome_truthful").ruling, Ruling::Fail);
  EXPECT_EQ(verdict.cases.at(1).verdict, Verdict::Fail);
}

TEST(ACheck, ThatThrowsIsInconclusive) {
  SuiteOf s;
  auto& run = s.run("x");
  script_throw(run, "outcome_truthful");
  script(run, "no_duplicate_effects", Ruling::Pass);
  const CaseVerdict value = s.judge().cases.at(0);
  EXPECT_EQ(value.verdict, Verdict::Inconclusive);
  EXPECT_EQ(finding(value, "outcome_truthful").reason, "the check itself failed: a bug");
  EXPECT_EQ(finding(value, "no_duplicate_effects").ruling, Ruling::Pass);
}

TEST(ACheck, WithParametersThatCannotBeReadIsInconclusive) {
  SuiteOf s;
  auto& run = s.run("x");
  script(run, "outcome_truthful", Ruling::Pass);
  run.expect("outcome_truthful", Level::Normal);
  Node& parameters = run.recording().scenario.expectations.back().parameters;
  parameters.kind = Node::Kind::Map;
  Node name;
  name.kind = Node::Kind::Scalar;
  name.text = "limit";
  Node many = name;
  many.text = "many";
  parameters.members.emplace_back(name, many);
  const CaseVerdict value = s.judge().cases.at(0);
  EXPECT_EQ(value.verdict, Verdict::Inconclusive);
  EXPECT_THAT(value.headline, HasSubstr("parameters"));
}

// --- What the run itself says
// ---------------------------------------------------------------------

TEST(AFaultThatDidNotHappen, TakesThePassesWithItAndNamesItself) {
  SuiteOf s;
  auto& run = s.run("x");
  script(run, "fault_activated", Ruling::Inconclusive, "rule r: no RST went out");
  script(run, "outcome_truthful", Ruling::Pass);
  const SuiteVerdict verdict = s.judge();
  const CaseVerdict& value = verdict.cases.at(0);
  EXPECT_EQ(value.headline, "rule r: no RST went out");
  EXPECT_EQ(finding(value, "outcome_truthful").ruling, Ruling::Inconclusive);
  EXPECT_THAT(finding(value, "outcome_truthful").reason, HasSubstr("rule r"));
  EXPECT_THAT(verdict.judged, ElementsAre("baseline_healthy"));
}

TEST(AHealthyControl, ThatFailsMakesEveryRunInconclusiveAndTheSuiteFail) {
  SuiteOf s;
  s.control().recording().notes.clear();
  script(s.control(), "baseline_healthy", Ruling::Fail, "ended with 1");
  script(s.run("x"), "no_duplicate_effects", Ruling::Fail);
  const SuiteVerdict verdict = s.judge();
  EXPECT_EQ(verdict.verdict, Verdict::Fail);
  EXPECT_EQ(verdict.controls.at(0).verdict, Verdict::Fail);
  EXPECT_EQ(verdict.cases.at(0).verdict, Verdict::Inconclusive);
  EXPECT_EQ(verdict.cases.at(0).headline, "the healthy control failed: ended with 1");
  ASSERT_THAT(verdict.causes, SizeIs(1));
  EXPECT_THAT(verdict.causes[0].scenarios, ElementsAre("control"));
}

TEST(AHealthyControl, ThatSawNoRequestMakesTheSuiteInconclusive) {
  SuiteOf s;
  s.control().recording().notes.clear();
  script(s.control(), "baseline_healthy", Ruling::Inconclusive, "no request came");
  script(s.run("x"), "no_duplicate_effects", Ruling::Fail);
  const SuiteVerdict verdict = s.judge();
  EXPECT_EQ(verdict.verdict, Verdict::Inconclusive);
  EXPECT_THAT(verdict.cases.at(0).headline, HasSubstr("no request came"));
}

TEST(AHealthyControl, OfAnotherVendorIsNoMatter) {
  SuiteOf s;
  s.control().recording().notes.clear();
  script(s.control(), "baseline_healthy", Ruling::Fail, "ended with 1");
  auto& run = s.run("x");
  run.recording().control = "control-2";
  script(run, "outcome_truthful", Ruling::Pass);
  EXPECT_EQ(s.judge().cases.at(0).verdict, Verdict::Pass);
}

TEST(ARunWithoutRules, IsJudgedAsAHealthyOneToo) {
  SuiteOf s;
  auto& run = s.run("healthy");
  run.recording().scenario.rules.clear();
  script(run, "baseline_healthy", Ruling::Fail, "two attempts");
  auto& faulty = s.run("faulty");
  script(faulty, "baseline_healthy", Ruling::Fail, "two attempts");
  script(faulty, "outcome_truthful", Ruling::Pass);
  const SuiteVerdict verdict = s.judge();
  EXPECT_EQ(verdict.cases.at(0).verdict, Verdict::Fail);
  EXPECT_EQ(verdict.cases.at(1).verdict, Verdict::Pass);
}

TEST(AComparison, IsTheOtherScenarioOfTheSamePack) {
  Checks checks = scripted_checks();
  CheckDescriptor probe = *checks[6];
  probe.evaluate = [](const Case& value, const Params&) {
    if (!value.comparison) return inconclusive("none");
    return passed(value.comparison->scenario.name +
                  (value.comparison_history->operations.size() == 1 ? " with history" : ""));
  };
  checks[6] = &probe;
  SuiteOf s;
  s.run("waits").recording().scenario.compare_with = "own-habit";
  s.run("own-habit");
  s.run("other").recording().scenario.compare_with = "absent";
  const SuiteVerdict verdict = judge_with(s.suite(), checks);
  EXPECT_EQ(finding(verdict.cases.at(0), "outcome_truthful").headline, "own-habit with history");
  EXPECT_EQ(finding(verdict.cases.at(1), "outcome_truthful").ruling, Ruling::Inconclusive);
  EXPECT_EQ(finding(verdict.cases.at(2), "outcome_truthful").ruling, Ruling::Inconclusive);
}

// --- Lines
// ----------------------------------------------------------------------------------------

TEST(AHeadline, OfAPassTellsAttemptsAndGaps) {
  SuiteOf s;
  auto& run = s.run("x");
  script(run, "outcome_truthful", Ruling::Pass);
  auto busy = run.create("ref-2");
  busy.attempt(0ms).failed_with(503, 2ms);
  busy.attempt(522ms).failed_with(503, 524ms);
  busy.attempt(1834ms).effect().answered(201, 1836ms);
  EXPECT_EQ(s.judge().cases.at(0).headline, "3 attempts, gaps 0.52 1.31 s");
}

TEST(AHeadline, OfAPassShowsResendsApart) {
  SuiteOf s;
  auto& run = s.run("x");
  script(run, "outcome_truthful", Ruling::Pass);
  auto busy = run.create("ref-2");
  busy.attempt(0ms).lost_by_close(2ms);
  busy.resend(3ms).failed_with(503, 5ms);
  busy.attempt(105ms).answered(201, 107ms);
  busy.attempt(110ms).answered(201, 112ms);
  EXPECT_EQ(s.judge().cases.at(0).headline, "3 attempts and 1 resend, gap 0.10 s");
}

TEST(AHeadline, OfAFailIsThatOfTheMostSevereCheck) {
  SuiteOf s;
  auto& run = s.run("x");
  script(run, "no_blind_retry_of_unsafe", Ruling::Fail, "sent again blindly");
  script(run, "outcome_truthful", Ruling::Fail, "a lie");
  script(run, "no_duplicate_effects", Ruling::Fail, "2 bookings for one operation");
  EXPECT_EQ(s.judge().cases.at(0).headline, "2 bookings for one operation");
}

TEST(AHeadline, OfAHealthyControlTellsItsCallsAndItsEnd) {
  SuiteOf s;
  s.control().read("/v1/products").attempt(10ms).answered(200, 11ms);
  s.control().read("/v1/products").attempt(20ms).answered(200, 21ms);
  EXPECT_EQ(s.judge().controls.at(0).headline,
            "3 requests: POST /v1/bookings, GET /v1/products x2; ended 0 in 0.40 s");
}

TEST(AHeadline, NeverCarriesControlBytesOfTheOtherSide) {
  SuiteOf s;
  auto& run = s.run("x");
  script(run, "outcome_truthful", Ruling::Fail, "id \x1b[2J\nforged");
  const CaseVerdict value = s.judge().cases.at(0);
  EXPECT_EQ(value.headline, "id \\x1b[2J\\x0aforged");
  EXPECT_THAT(value.findings.at(5).witnesses.at(0).statement, HasSubstr("\\x1b"));
}

TEST(WhoJudged, NamesThoseThatNeverCouldForWantOfEvidence) {
  SuiteOf s;
  auto& first = s.run("x");
  script(first, "outcome_truthful", Ruling::NotObserved);
  script(first, "no_duplicate_effects", Ruling::NotObserved);
  auto& second = s.run("y");
  script(second, "no_duplicate_effects", Ruling::Pass);
  const SuiteVerdict verdict = s.judge();
  EXPECT_THAT(verdict.judged, ElementsAre("baseline_healthy", "no_duplicate_effects"));
  EXPECT_THAT(verdict.not_observed, ElementsAre("outcome_truthful"));
}

}  // namespace
}  // namespace mishap::client_tests
