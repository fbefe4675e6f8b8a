#include "scenarios/parser/quick_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/parser/reading.h"

namespace mishap::scenarios {
namespace {

using ::testing::ElementsAre;

FaultRule quick(const std::string& text) {
  Problems problems;
  auto rule = read_quick_fault(text, problems);
  EXPECT_FALSE(problems.any_errors()) << render(problems.sorted("").front());
  return rule.value_or(FaultRule{});
}

std::string wrong(const std::string& text) {
  Problems problems;
  read_quick_fault(text, problems);
  const auto found = problems.sorted("--fault");
  if (found.empty()) return "";
  return std::to_string(found[0].span.column) + " " + found[0].message;
}

TEST(QuickFault, ReadsMatcherFaultCountersAndParameters) {
  const FaultRule r = quick("POST /v1/bookings response_lost attempt=1 by=close at=after_effect");
  EXPECT_EQ(r.on.method, "POST");
  EXPECT_EQ(r.on.path, "/v1/bookings");
  EXPECT_EQ(r.fault, "response_lost");
  EXPECT_TRUE(r.when.attempt->contains(1));
  EXPECT_EQ(r.at, Point::AfterEffect);
  EXPECT_EQ(r.parameters.find("by")->text, "close");
  EXPECT_EQ(r.parameters.find("attempt"), nullptr);
  EXPECT_EQ(r.fault_span.column, 19);
  EXPECT_EQ(r.parameters.find("by")->span.column, 46);
}

TEST(QuickFault, TakesAnyRequestSeveralApisAndRates) {
  EXPECT_EQ(quick("any status code=503").on.path, "*");
  EXPECT_EQ(quick("pay POST /x status code=503").on.api, "pay");
  EXPECT_DOUBLE_EQ(quick("any stall rate=30%").when.rate, 0.3);
}

TEST(QuickFault, TakesBlanksWithinQuotesAndBrackets) {
  const FaultRule r =
      quick("any status code=429 retry_after='Wed, 21 Oct' headers={X: \"a b\", Y: [1, 2]}");
  EXPECT_EQ(r.parameters.find("retry_after")->text, "Wed, 21 Oct");
  EXPECT_TRUE(r.parameters.find("retry_after")->quoted);
  EXPECT_EQ(to_json(*r.parameters.find("headers")), "{\"X\":\"a b\",\"Y\":[1,2]}");
}

TEST(QuickFault, SaysWhatIsWrong) {
  const std::string form =
      "a fault is written as: METHOD PATH FAULT name=value ..., or: any FAULT ...";
  EXPECT_EQ(wrong("stall"), "1 " + form);
  EXPECT_EQ(wrong("code=503"), "1 " + form);
  EXPECT_EQ(wrong("   "), "0 the file is empty");
  EXPECT_EQ(wrong("GET /x stall attempt=0"), "22 this counts from 1");
  EXPECT_EQ(wrong("GET /x stall attempt=1 again"), "24 \"again\" is not name=value");
  EXPECT_EQ(wrong("GET /x stall for=1s for=2s"), "21 \"for\" was given before");
  EXPECT_EQ(wrong("GET x stall"), "5 a path begins with \"/\": /x");
}

TEST(QuickFault, StandsBeforeTheRulesOfTheFile) {
  LoadOptions options;
  options.faults = {"any stall", "any reset"};
  const Loaded loaded = testing::load("api: any\nfaults: [{fault: latency}]\n", options);
  ASSERT_TRUE(loaded.scenario);
  std::vector<std::string> faults;
  for (const FaultRule& r : loaded.scenario->rules) faults.push_back(r.fault);
  EXPECT_THAT(faults, ElementsAre("stall", "reset", "latency"));
}

}  // namespace
}  // namespace mishap::scenarios
