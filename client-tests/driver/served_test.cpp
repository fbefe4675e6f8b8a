#include "client-tests/driver/served.h"

#include <gmock/gmock.h>

namespace mishap::client_tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

scenarios::Scenario scenario(const std::string& name, const std::string& on) {
  scenarios::Scenario made;
  made.name = name;
  made.apis.emplace_back().name = "any";
  if (on.empty()) return made;
  auto& rule = made.rules.emplace_back();
  rule.name = "rule";
  rule.fault = "status";
  rule.on.text = on;
  rule.on.method = on.substr(0, on.find(' '));
  rule.on.path = on.substr(on.find(' ') + 1);
  return made;
}

ServedRun served(const scenarios::Scenario& of, std::vector<std::string> calls) {
  ServedRun run;
  run.scenario = &of;
  run.recording.scenario.name = of.name;
  for (const auto& rule : of.rules) {
    RuleFacts facts;
    facts.name = rule.name;
    facts.on = rule.on.text;
    run.recording.scenario.rules.push_back(facts);
  }
  for (const auto& call : calls) {
    auto& exchange = run.recording.journal.exchanges.emplace_back();
    exchange.api = "any";
    exchange.request.method = call.substr(0, call.find(' '));
    exchange.request.target = exchange.request.path = call.substr(call.find(' ') + 1);
    exchange.answer.status = 201;
  }
  return run;
}

void hit(ServedRun& run) {
  server::RuleHit one;
  one.rule = "rule";
  one.fired = one.delivered = true;
  run.recording.journal.exchanges.front().rules.push_back(one);
}

std::vector<std::string> names(const std::vector<Recording>& recordings) {
  std::vector<std::string> all;
  for (const auto& one : recordings) all.push_back(one.scenario.name);
  return all;
}

const scenarios::Scenario kHealthy = scenario("healthy", "");
const scenarios::Scenario kCreate = scenario("lost", "POST /orders");
const scenarios::Scenario kRead = scenario("slow-read", "GET /items");

TEST(SuiteOf, ARunThatNobodyCalledIsNotApplicable) {
  const auto suite = suite_of({served(kCreate, {})});
  EXPECT_EQ(suite.recordings.at(0).not_run, "no request came");
  EXPECT_THAT(suite.controls, IsEmpty());
}

TEST(SuiteOf, ARunOfOtherCallsStayedHealthyAndSaysWhichWereMeant) {
  const auto suite = suite_of({served(kCreate, {"GET /items"})});
  EXPECT_THAT(suite.recordings.at(0).not_run, HasSubstr("POST /orders"));
}

TEST(SuiteOf, ARunWithoutControlIsJudgedByWhatItSaw) {
  auto run = served(kCreate, {"POST /orders"});
  hit(run);
  const auto suite = suite_of({run});
  EXPECT_EQ(suite.recordings.at(0).not_run, "");
  EXPECT_EQ(suite.recordings.at(0).control, "");
  EXPECT_FALSE(suite.recordings.at(0).scenario.rules.at(0).called_in_control);
}

TEST(SuiteOf, ACallThatTheCountersPassedOverWasACall) {
  const auto suite = suite_of({served(kCreate, {"POST /orders"})});
  EXPECT_EQ(suite.recordings.at(0).not_run, "");
}

TEST(SuiteOf, TheHealthyRunOfAPackIsItsControlAsWell) {
  const auto suite =
      suite_of({served(kCreate, {"POST /orders"}), served(kHealthy, {"POST /orders"}),
                served(kRead, {"POST /orders"})});
  EXPECT_THAT(names(suite.controls), ElementsAre("control"));
  EXPECT_TRUE(suite.controls.at(0).is_control);
  EXPECT_THAT(names(suite.recordings), ElementsAre("lost", "healthy", "slow-read"));
  EXPECT_EQ(suite.recordings.at(0).control, "control");
  EXPECT_TRUE(suite.recordings.at(0).scenario.rules.at(0).called_in_control);
  EXPECT_THAT(suite.recordings.at(2).not_run, HasSubstr("GET /items"));
}

TEST(SuiteOf, ACallOfTheControlThatIsMissingHereIsLeftToTheJudge) {
  const auto suite = suite_of({served(kHealthy, {"GET /items"}), served(kRead, {"POST /orders"})});
  EXPECT_EQ(suite.recordings.at(1).not_run, "");
  EXPECT_TRUE(suite.recordings.at(1).scenario.rules.at(0).called_in_control);
}

TEST(SuiteOf, ARunMadeAsControlIsNoCaseAndNeededOnlyWhenCalled) {
  auto control = served(kHealthy, {"POST /orders"});
  control.only_control = true;
  auto run = served(kCreate, {"POST /orders"});
  EXPECT_THAT(names(suite_of({run, control}).controls), ElementsAre("control"));
  EXPECT_THAT(names(suite_of({run, control}).recordings), ElementsAre("lost"));
  control.recording.journal.exchanges.clear();
  EXPECT_THAT(suite_of({run, control}).controls, IsEmpty());
}

TEST(SuiteOf, AnotherVendorsControlIsNoControl) {
  auto other = scenario("other", "POST /orders");
  other.apis.front().name = "crm";
  const auto suite =
      suite_of({served(kHealthy, {"POST /orders"}), served(other, {"POST /orders"})});
  EXPECT_EQ(suite.recordings.at(1).control, "");
}

TEST(SuiteOf, SaysWhereEqualBytesWereAllThatJoinedTwoCalls) {
  auto run = served(kCreate, {"POST /orders", "POST /orders"});
  run.recording.journal.exchanges.back().identity.by = server::IdentifiedBy::Content;
  run.recording.journal.exchanges.back().identity.attempt = 2;
  EXPECT_THAT(suite_of({run}).recordings.at(0).notes.at(0), HasSubstr("no healthy control"));
  auto healthy = served(kHealthy, {"POST /orders"});
  EXPECT_THAT(suite_of({healthy, run}).recordings.at(1).notes, IsEmpty());
}

}  // namespace
}  // namespace mishap::client_tests
