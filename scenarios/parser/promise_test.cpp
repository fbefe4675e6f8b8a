#include <gmock/gmock.h>

#include "mishap/profiles.h"
#include "scenarios/parser/reading.h"
#include "scenarios/parser/tables.h"

namespace mishap::scenarios {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Promise promised(const std::string& written, const LoadOptions& options = {}) {
  const auto loaded = testing::load("api: any\n" + written, options);
  EXPECT_TRUE(loaded.scenario) << ::testing::PrintToString(testing::said(loaded));
  return loaded.scenario ? loaded.scenario->promise : Promise{};
}

TEST(Profiles, HaveTheNumbersOfTheirTable) {
  const Promise b2b = find_profile("b2b")->promise();
  EXPECT_EQ(b2b.max_attempts, 5);
  EXPECT_EQ(b2b.attempt_timeout, 10s);
  EXPECT_EQ(b2b.deadline, 120s);
  EXPECT_EQ(b2b.max_delay, 60s);
  EXPECT_EQ(b2b.retries, true);
  EXPECT_EQ(b2b.answer_within, std::nullopt);
  EXPECT_EQ(find_profile("interactive")->promise().retries, std::nullopt);
  EXPECT_EQ(find_profile("interactive")->promise().answer_within, 10s);
  EXPECT_EQ(find_profile("no-such"), nullptr);
}

// A deadline holds the attempts, and every number says where it comes from (B13).
TEST(Profiles, AreSoundAndSourced) {
  for (const Profile& profile : profiles()) {
    const Promise promise = profile.promise();
    EXPECT_LE(*promise.max_attempts * *promise.attempt_timeout, *promise.deadline) << profile.name;
    EXPECT_LE(*promise.max_delay, *promise.deadline) << profile.name;
    for (const ParamSpec& number : profile.numbers) {
      EXPECT_THAT(std::string(number.help), ::testing::MatchesRegex(".*[ABC][0-9][0-9].*"))
          << profile.name << " " << number.name;
    }
  }
}

TEST(Profiles, AreTheWordsOfTheLanguage) {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.emplace_back(profile.name);
  for (const KeySpec& key : promise_keys().keys) {
    if (key.name != "profile") continue;
    EXPECT_EQ(split_choices(key.choices), names);
  }
}

TEST(ReadPromise, TakesAProfileByNameAndInAMapWhereSingleValuesWin) {
  EXPECT_EQ(promised("promise: strict\n").max_attempts, 3);
  const Promise mixed = promised("promise: {max_attempts: 4, profile: strict, retries: none}\n");
  EXPECT_EQ(mixed.profile, "strict");
  EXPECT_EQ(mixed.max_attempts, 4);
  EXPECT_EQ(mixed.attempt_timeout, 5s);
  EXPECT_EQ(mixed.retries, false);
}

TEST(ReadPromise, SaysWhatManyCallsHaveInCommon) {
  const Promise many = promised("promise: {breaker: 1500ms, retry_budget: 2, answer_within: 3s}\n");
  EXPECT_EQ(many.breaker, 1500ms);
  EXPECT_EQ(many.retry_budget, 2);
  EXPECT_EQ(many.answer_within, 3s);
  EXPECT_EQ(laid_over(many, promised("promise: {breaker: 1s}\n")).breaker, 1s);
  EXPECT_EQ(describe(many), "answer_within 3s, breaker 1.5s, retry_budget 2");
  EXPECT_EQ(promised("").breaker, std::nullopt);
}

TEST(ReadPromise, HasThePrecedenceCommandLineScenarioProject) {
  LoadOptions options;
  options.project.promise = find_profile("background")->promise();
  EXPECT_EQ(promised("", options).attempt_timeout, 30s);
  EXPECT_EQ(promised("promise: {attempt_timeout: 2s}\n", options).attempt_timeout, 2s);
  EXPECT_EQ(promised("promise: {attempt_timeout: 2s}\n", options).max_attempts, 8);
  options.promise = {{"max_attempts", "2"}, {"profile", "b2b"}};
  const Promise all = promised("promise: {attempt_timeout: 2s}\n", options);
  EXPECT_EQ(all.profile, "b2b");
  EXPECT_EQ(all.max_attempts, 2) << "a single value wins over a profile, whatever their order";
  EXPECT_EQ(all.attempt_timeout, 10s);
}

TEST(ReadPromise, RefusesWhatCannotBeKept) {
  EXPECT_THAT(testing::said_about("api: any\npromise: {deadline: 0s, max_attempts: 0}\n"),
              ElementsAre(HasSubstr("4:21 \"deadline\" is longer than nothing"),
                          HasSubstr("\"max_attempts\" is between 1 and")));
  EXPECT_THAT(testing::said_about("api: any\npromise: b2c\n"),
              ElementsAre(HasSubstr("unknown profile \"b2c\"; did you mean \"b2b\"?")));
  LoadOptions options;
  options.promise = {{"deadline", "0s"}};
  EXPECT_THAT(testing::said_about("api: any\n", options),
              ElementsAre(HasSubstr("1:10 \"deadline\" is longer than nothing")));
}

TEST(Describe, NamesTheProfileAndItsNumbers) {
  EXPECT_EQ(describe(find_profile("interactive")->promise()),
            "interactive: max_attempts 3, attempt_timeout 3s, deadline 10s, max_delay 2s, "
            "answer_within 10s");
  EXPECT_EQ(describe(Promise{}), "");
}

}  // namespace
}  // namespace mishap::scenarios
