#include "scenarios/parser/rule_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/parser/reading.h"

namespace mishap::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::said_about;
using namespace std::chrono_literals;

FaultRule rule(const std::string& text) {
  const Loaded loaded = testing::load("api: any\nfaults:\n  - " + text + "\n");
  EXPECT_THAT(testing::said(loaded), IsEmpty()) << text;
  return loaded.scenario && !loaded.scenario->rules.empty() ? loaded.scenario->rules[0]
                                                            : FaultRule{};
}

std::vector<std::string> wrong(const std::string& text) {
  return said_about("api: any\nfaults:\n  - " + text + "\n");
}

TEST(Rule, HasDefaultsForAllButTheFault) {
  const FaultRule r = rule("fault: stall");
  EXPECT_EQ(r.fault, "stall");
  EXPECT_EQ(r.on.method, "*");
  EXPECT_EQ(r.on.path, "*");
  EXPECT_EQ(r.on.text, "any");
  EXPECT_FALSE(r.at);
  EXPECT_TRUE(r.parameters.is_null());
  EXPECT_EQ(r.name, "stall on any");
  EXPECT_EQ(r.fault_span.line, 5);
  EXPECT_EQ(r.fault_span.column, 12);
}

TEST(Rule, TakesAFaultWithParameters) {
  const FaultRule r =
      rule("{name: lost, on: POST /v1/b/:id, fault: {kind: reset, at: response_body, after: 37B}}");
  EXPECT_EQ(r.name, "lost");
  EXPECT_EQ(r.on.method, "POST");
  EXPECT_EQ(r.on.path, "/v1/b/:id");
  EXPECT_EQ(r.at, Point::ResponseBody);
  EXPECT_EQ(r.parameters.find("after")->text, "37B");
  EXPECT_FALSE(r.as_action);
}

TEST(Rule, TakesTheGeneralForm) {
  const FaultRule r = rule("{at: response_body, after: 37B, do: reset}");
  EXPECT_TRUE(r.as_action);
  EXPECT_EQ(r.fault, "reset");
  EXPECT_EQ(r.at, Point::ResponseBody);
  EXPECT_EQ(r.parameters.find("after")->text, "37B");
}

TEST(Rule, ReadsEveryWayToSayWhen) {
  const When w =
      rule(
          "{fault: stall, when: {op: 1..3, attempt: 2, request: every 3, connection: 4.., "
          "request_on_connection: 2, copy: 0, during: 10s..40s, rate: 30%}}")
          .when;
  EXPECT_TRUE(w.op->contains(3) && !w.op->contains(4) && !w.op->contains(0));
  EXPECT_TRUE(w.attempt->contains(2) && !w.attempt->contains(1) && !w.attempt->contains(3));
  EXPECT_TRUE(w.request->contains(6) && !w.request->contains(7) && !w.request->contains(0));
  EXPECT_TRUE(w.connection->contains(1'000'000) && !w.connection->contains(3));
  EXPECT_TRUE(w.copy->contains(0) && !w.copy->contains(1));
  EXPECT_EQ(w.during->first, 10s);
  EXPECT_EQ(w.during->second, 40s);
  EXPECT_DOUBLE_EQ(w.rate, 0.3);
}

TEST(Rule, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"on: any", "5:5 a rule needs \"fault\", or \"at\" and \"do\""},
      {"~", "5:5 a rule needs \"fault\", or \"at\" and \"do\""},
      {"# fault: stall", "6:1 a rule needs \"fault\", or \"at\" and \"do\""},
      {"{fault: \"\"}", "5:13 the name of a fault is not empty; `mishap list faults` has them"},
      {"{fault: {kind: \"\"}}",
       "5:20 the name of a fault is not empty; `mishap list faults` has them"},
      {"{at: accept, do: \"\"}",
       "5:22 the name of a fault is not empty; `mishap list faults` has them"},
      {"{fault: stall, wen: 1}", "5:20 unknown key \"wen\"; did you mean \"when\"?"},
      {"{fault: latency, slice: 2B}",
       "5:22 unknown key \"slice\"; a parameter of the fault stands with it: fault: {kind: ..., "
       "slice: ...}"},
      {"{fault: {for: 2s}}", "5:13 the key \"kind\" is missing here: the name of the fault"},
      {"{fault: stall, at: body}",
       "5:24 unknown point \"body\"; known: connect, accept, handshake, "
       "request_head, request_body, before_effect, after_effect, "
       "response_head, response_body, after_response, idle"},
      {"{fault: {kind: stall, at: idle}, at: idle}",
       "5:31 \"at\" is given twice: beside the fault and within it"},
      {"{do: stall}", "5:5 \"do\" needs \"at\": the point where it is done"},
      {"{do: stall, at: idle, fault: stall}", "5:10 a rule has \"fault\" or \"do\", not both"},
      {"{true: GET /x, fault: stall}",
       "5:6 the key \"true\" was \"on\" before a program wrote this file: YAML 1.1 takes on for "
       "true; write \"on\" in quotes"},
      {"{True: GET /x, at: idle, do: stall}",
       "5:6 the key \"True\" was \"on\" before a program wrote this file: YAML 1.1 takes on for "
       "true; write \"on\" in quotes"},
      {"{<<: {a: b}, fault: stall}", "5:6 merge keys (<<) are no part of the language"},
      {"{fault: stall, when: {attempt: 0}}", "5:36 this counts from 1"},
      {"{fault: stall, when: {attempt: 5..2}}", "5:36 the range 5..2 is empty: it runs backwards"},
      {"{fault: stall, when: {attempt: every 0}}", "5:36 every 0 never happens"},
      {"{fault: stall, when: {attempt: first}}",
       "5:36 \"first\" is not a count: n, n..m, n.. or every n"},
      {"{fault: stall, when: {rate: 0.3}}", "5:33 a share needs its percent sign: 0.3%?"},
      {"{fault: stall, when: {rate: 0%..80%}}",
       "5:33 a rate that changes needs \"during\": the span over which it does"},
      {"{fault: stall, when: {during: 1s..2s, rate: 0%..80}}",
       "5:49 a share needs its percent sign: 80%?"},
      {"{fault: stall, when: {during: 40s..10s}}",
       "5:35 the span 40s..10s is empty: it runs backwards"},
      {"{fault: stall, when: {during: 10..40s}}",
       "5:35 a duration needs its unit: 10s, 10ms or 10m?"},
      {"{fault: stall, when: {during: down}}",
       "5:26 unknown phase \"down\"; this scenario has no timeline (a span is written 10s..40s)"},
      {"{fault: stall, when: 2}", "5:26 when is a map of keys, not one value"},
      {"stall", "5:5 A rule of `faults` is a map of keys, not one value"}};
  for (const auto& [text, message] : cases) EXPECT_THAT(wrong(text), ElementsAre(message)) << text;
}

TEST(Rule, MayChangeItsRateOverASpan) {
  const When w = rule("{fault: stall, when: {during: 10s..40s, rate: 0%..80%}}").when;
  EXPECT_DOUBLE_EQ(w.rate, 0.0);
  ASSERT_TRUE(w.rate_at_end);
  EXPECT_DOUBLE_EQ(*w.rate_at_end, 0.8);
}

TEST(Rule, HasANameThatDoesNotDependOnItsPlace) {
  const auto names = [](const std::string& rules) {
    std::vector<std::string> out;
    const Loaded loaded = testing::load("api: any\nfaults:\n" + rules);
    for (const FaultRule& r : loaded.scenario->rules) out.push_back(r.name);
    return out;
  };
  const std::string first = "  - {on: POST /b, when: {attempt: 1..2}, fault: stall}\n";
  const std::string second = "  - {fault: reset, at: idle}\n";
  EXPECT_THAT(names(first + second),
              ElementsAre("stall on POST /b, attempt 1..2", "reset at idle on any"));
  EXPECT_THAT(names(second + first),
              ElementsAre("reset at idle on any", "stall on POST /b, attempt 1..2"));
  EXPECT_THAT(names(second + second),
              ElementsAre("reset at idle on any", "reset at idle on any #2"));
}

TEST(Rule, RefusesANameGivenTwice) {
  EXPECT_THAT(
      said_about("api: any\nfaults:\n  - {name: a, fault: stall}\n  - {name: a, fault: reset}\n"),
      ElementsAre("6:5 another rule is named \"a\" too"));
}

struct MatcherCase {
  std::string text;
  std::string api, method, path;
};

TEST(Matcher, ReadsItsShortForms) {
  for (const auto& [text, api, method, path] :
       std::vector<MatcherCase>{{"any", "", "*", "*"},
                                {"POST /v1/b", "", "POST", "/v1/b"},
                                {"'*   /v1/*'", "", "*", "/v1/*"},
                                {"GET *", "", "GET", "*"},
                                {"/v1/b/:id", "", "*", "/v1/b/:id"},
                                {"GET /", "", "GET", "/"},
                                {"any DELETE /v1/b", "any", "DELETE", "/v1/b"},
                                {"any any", "any", "*", "*"}}) {
    const Matcher on = rule("{on: " + text + ", fault: stall}").on;
    EXPECT_EQ(on.api, api) << text;
    EXPECT_EQ(on.method, method) << text;
    EXPECT_EQ(on.path, path) << text;
  }
}

TEST(Matcher, ReadsAMap) {
  const Matcher on = rule(
                         "{on: {method: POST, class: unsafe, header: {X: a}, query: {page: 2}, "
                         "body: {r: 1}}, fault: stall}")
                         .on;
  EXPECT_EQ(on.call_class, CallClass::Unsafe);
  EXPECT_EQ(on.headers, (std::vector<NameValue>{{"X", "a"}}));
  EXPECT_EQ(on.query, (std::vector<NameValue>{{"page", "2"}}));
  EXPECT_EQ(on.body, (std::vector<NameValue>{{"r", "1"}}));
  EXPECT_EQ(on.text, "POST * unsafe header X=a query page=2 body r=1");
}

TEST(Matcher, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"get /v1/b", "5:9 a method is upper case: GET"},
      {"PSOT /v1/b", "5:9 unknown method \"PSOT\"; did you mean \"POST\"?"},
      {"GET v1/b", "5:13 a path begins with \"/\": /v1/b"},
      {"GET /v1/{id}/x", "5:17 a segment that may be anything is written \":id\", not \"{id}\""},
      {"'GET /v1/:'", "5:18 a segment that may be anything needs a name: \":id\""},
      {"GET /v1/*/x", "5:17 \"*\" stands for the rest of a path, as its last segment: /v1/*"},
      {"GET /v1/b*", "5:17 \"*\" stands for the rest of a path, as its last segment: /v1/*"},
      {"GET /v1?a=b", "5:14 a path has no query: use a map with path and query"},
      {"GET /v1/${x}", "5:17 a $name stands for a whole value, not for a part of a path"},
      {"GET", "5:9 a matcher is a method and a path (POST /v1/bookings), \"any\", or a map"},
      {"pay GET /x", "5:9 unknown api \"pay\"; known: any"},
      {"[GET]", "5:9 \"on\" is one value, not a list"},
      {"{metod: GET}", "5:10 unknown key \"metod\"; did you mean \"method\"?"},
      {"{class: save}", "5:17 class: unknown word \"save\"; did you mean \"safe\"?"}};
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(wrong("on: " + text + "\n    fault: stall"), ElementsAre(message)) << text;
  }
}

}  // namespace
}  // namespace mishap::scenarios
