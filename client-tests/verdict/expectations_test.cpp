#include "client-tests/verdict/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-tests/verdict/scripted_checks.h"

namespace mishap::client_tests {
namespace {

using scenarios::Expectation;
using scenarios::Level;
using scenarios::Scenario;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Node scalar(const std::string& text) {
  Node node;
  node.kind = Node::Kind::Scalar;
  node.text = text;
  return node;
}

Node map_of(const std::vector<std::pair<std::string, Node>>& members) {
  Node node;
  node.kind = Node::Kind::Map;
  for (const auto& [key, value] : members) node.members.emplace_back(scalar(key), value);
  return node;
}

Scenario expecting(const std::string& check, Level level = Level::Normal, Node parameters = {}) {
  Scenario scenario;
  Expectation expectation;
  expectation.check = check;
  expectation.level = level;
  expectation.parameters = std::move(parameters);
  expectation.span.line = 7;
  scenario.expectations.push_back(std::move(expectation));
  return scenario;
}

void add_rule(Scenario& scenario, const std::string& fault, Node parameters = {}) {
  scenarios::FaultRule rule;
  rule.fault = fault;
  rule.parameters = std::move(parameters);
  scenario.rules.push_back(std::move(rule));
}

Diagnostics check(const Scenario& scenario) {
  return check_expectations_with(scenario, scripted_checks());
}

TEST(Expectations, NameTheNearestCheckForAnUnknownOne) {
  const Diagnostics found = check(expecting("no_duplicate_effect"));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, Severity::Error);
  EXPECT_EQ(found[0].message,
            "unknown check \"no_duplicate_effect\"; did you mean \"no_duplicate_effects\"?");
  EXPECT_EQ(found[0].span.line, 7);
}

TEST(Expectations, ReadParametersByTheChecksTable) {
  EXPECT_THAT(check(expecting("outcome_truthful", Level::Normal, map_of({{"limit", scalar("2")}}))),
              IsEmpty());
  EXPECT_THAT(check(expecting("outcome_truthful", Level::Advisory,
                              map_of({{"level", scalar("advisory")}}))),
              IsEmpty());
  EXPECT_THAT(check(expecting("outcome_truthful", Level::Off, map_of({{"off", scalar("why")}}))),
              IsEmpty());
  const auto unknown =
      check(expecting("outcome_truthful", Level::Normal, map_of({{"limitt", scalar("2")}})));
  ASSERT_THAT(unknown, SizeIs(1));
  EXPECT_THAT(unknown[0].message, HasSubstr("limitt"));
  EXPECT_THAT(check(expecting("outcome_truthful", Level::Normal, map_of({{"limit", scalar("x")}}))),
              SizeIs(1));
}

TEST(Expectations, OfAShippedScenarioAreChecksOnly) {
  Scenario scenario;
  scenario.counts.outcome = "succeeded";
  EXPECT_THAT(check(scenario), IsEmpty());
  scenario.shipped = true;
  ASSERT_THAT(check(scenario), SizeIs(1));
  EXPECT_EQ(check(scenario)[0].severity, Severity::Error);
}

TEST(Expectations, WarnWhereARequiredCheckCanHaveNoOccasion) {
  Scenario scenario = expecting("no_duplicate_effects", Level::Required);
  add_rule(scenario, "status", map_of({{"status", scalar("429")}}));
  const auto found = check(scenario);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_THAT(found[0].message, HasSubstr("no fault that leaves a client without knowledge"));
  add_rule(scenario, "response_lost");
  EXPECT_THAT(check(scenario), IsEmpty());
}

TEST(Expectations, WarnWhereRetryAfterIsRequiredAndNeverSent) {
  Scenario scenario = expecting("retry_after_honored", Level::Required);
  add_rule(scenario, "reset");
  ASSERT_THAT(check(scenario), SizeIs(1));
  add_rule(
      scenario, "status",
      map_of({{"status", scalar("429")}, {"headers", map_of({{"Retry-After", scalar("2")}})}}));
  EXPECT_THAT(check(scenario), IsEmpty());
}

TEST(Expectations, AreSilentWhereTheFaultIsUnknownOrTheCheckIsNotRequired) {
  Scenario scenario = expecting("no_duplicate_effects", Level::Required);
  add_rule(scenario, "respons_lost");
  EXPECT_THAT(check(scenario), IsEmpty());
  EXPECT_THAT(check(expecting("no_duplicate_effects")), IsEmpty());
}

}  // namespace
}  // namespace mishap::client_tests
