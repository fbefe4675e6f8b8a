#include "client-tests/verdict/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-tests/verdict/scripted_checks.h"

namespace mishap::client_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Finding fail_of(const std::string& check, const std::string& headline = "went wrong") {
  Finding finding =
      failed(headline, "",
             {{.statement = check + " broke", .exchanges = {}, .effects = {}, .operation = 0}});
  finding.check = check;
  return finding;
}

CaseVerdict failing(const std::string& scenario, std::vector<Finding> findings) {
  CaseVerdict value;
  value.scenario = scenario;
  value.verdict = Verdict::Fail;
  value.findings = std::move(findings);
  value.consequence = "consequence of " + scenario;
  value.timeline = {{Duration{}, 1, "picture of " + scenario}};
  return value;
}

std::vector<Cause> causes_of(std::vector<CaseVerdict> cases) {
  SuiteVerdict suite;
  suite.cases = std::move(cases);
  return find_causes(suite, scripted_checks());
}

TEST(Causes, JoinCasesWithTheSameMostSevereCheck) {
  const auto causes = causes_of({
      failing("a", {fail_of("no_duplicate_effects", "2 bookings for one operation")}),
      failing("b", {fail_of("no_duplicate_effects"), fail_of("no_blind_retry_of_unsafe")}),
  });
  ASSERT_THAT(causes, SizeIs(1));
  EXPECT_THAT(causes[0].scenarios, ElementsAre("b", "a"));  // most went wrong in b
  EXPECT_THAT(causes[0].checks, ElementsAre("no_duplicate_effects", "no_blind_retry_of_unsafe"));
  EXPECT_EQ(causes[0].consequence, "consequence of b");
  EXPECT_EQ(causes[0].changes, (std::vector<std::string>{"do better", "do better"}));
  EXPECT_EQ(causes[0].timeline.at(0).text, "picture of b");
  EXPECT_THAT(causes[0].inequalities,
              ElementsAre("no_duplicate_effects broke", "no_blind_retry_of_unsafe broke"));
}

TEST(Causes, ComeWorstFirstWhateverTheOrderOfTheScenarios) {
  const auto causes = causes_of({
      failing("late", {fail_of("retry_after_honored", "came back too early")}),
      failing("twice", {fail_of("no_duplicate_effects", "2 bookings")}),
  });
  ASSERT_THAT(causes, SizeIs(2));
  EXPECT_EQ(causes[0].title, "2 bookings");
  EXPECT_EQ(causes[1].title, "Came back too early");
}

TEST(Causes, TakeInWhatFollowsFromAWorseOne) {
  const auto causes = causes_of({
      failing("blind", {fail_of("no_blind_retry_of_unsafe")}),
      failing("twice", {fail_of("no_duplicate_effects"), fail_of("no_blind_retry_of_unsafe")}),
  });
  ASSERT_THAT(causes, SizeIs(1));
  EXPECT_THAT(causes[0].scenarios, ElementsAre("twice", "blind"));
}

TEST(Causes, KeepKinApartThatNeverBrokeTogether) {
  const auto causes = causes_of({
      failing("blind", {fail_of("no_blind_retry_of_unsafe")}),
      failing("twice", {fail_of("no_duplicate_effects")}),
  });
  EXPECT_THAT(causes, SizeIs(2));
}

TEST(Causes, KeepStrangersApartThatBrokeTogetherOnce) {
  const auto causes = causes_of({
      failing("twice", {fail_of("no_duplicate_effects"), fail_of("outcome_truthful")}),
      failing("liar", {fail_of("outcome_truthful")}),
  });
  ASSERT_THAT(causes, SizeIs(2));
  EXPECT_THAT(causes[1].scenarios, ElementsAre("liar"));
}

TEST(Causes, LeaveAdvisoryFailsOut) {
  Finding advice = fail_of("advice");
  advice.advisory = true;
  CaseVerdict value = failing("a", {advice});
  value.verdict = Verdict::Pass;
  EXPECT_THAT(causes_of({value}), IsEmpty());
}

TEST(Causes, ShowAFewInequalitiesAndCountTheRest) {
  Finding many = fail_of("no_duplicate_effects");
  for (int i = 0; i < 9; ++i) many.witnesses.push_back({"w" + std::to_string(i), {}, {}, 0});
  const auto causes = causes_of({failing("a", {many})});
  ASSERT_THAT(causes[0].inequalities, SizeIs(6));
  EXPECT_EQ(causes[0].inequalities.back(), "and 5 more");
}

}  // namespace
}  // namespace mishap::client_tests
