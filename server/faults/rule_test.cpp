#include "server/faults/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/rule_fixture.h"

namespace mishap::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using scenarios::CallClass;
using scenarios::FaultRule;
using scenarios::Scenario;

TEST(CompileRules, FindsTheFaultItsPointAndItsMoments) {
  Diagnostics diagnostics;
  const auto rules =
      compile_rules(scenario({rule("response_lost"), at(rule("stall"), Point::Accept),
                              action(Point::ResponseBody, "truncate", {{"after", "3B"}})}),
                    diagnostics);
  ASSERT_EQ(text_of(diagnostics), "");
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].point, Point::AfterEffect);
  EXPECT_EQ(rules[0].moments, (std::vector<Moment>{Moment::Apply, Moment::Request}));
  EXPECT_EQ(rules[1].moments, std::vector<Moment>{Moment::Accept});
  EXPECT_EQ(rules[2].fault->name, "truncated_body");
  EXPECT_EQ(rules[2].params.position("after").bytes, 3u);
}

TEST(CompileRules, SaysWhatItDoesNotKnow) {
  struct Case {
    FaultRule rule;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {rule("respons_lost"), "unknown fault \"respons_lost\"; did you mean \"response_lost\"?"},
      {rule("delay"),
       "\"delay\" is an action: write \"fault: latency\", or \"at:\" with \"do: delay\""},
      {action(Point::ResponseBody, "truncat"),
       "unknown action \"truncat\"; did you mean \"truncate\"?"},
      {action(Point::ResponseBody, "latency"),
       "\"latency\" is a named fault, not an action: write \"fault: latency\""},
      {action(Point::Accept, "hold"),
       "action \"hold\" is not in this version; there is delay, stall, close, reset, reply, "
       "truncate, slice, garbage, repeat, throttle, refuse, ignore, limit, bandwidth and "
       "kill_client"},
      {at(rule("dribble"), Point::Accept),
       "fault \"dribble\" makes no sense at accept; it can be at response_head or response_body"},
      {action(Point::AfterEffect, "truncate"),
       "action \"truncate\" makes no sense at after_effect; it can be at response_body"},
      {at(rule("latency"), Point::Connect),
       "fault \"latency\" makes no sense at connect; it can be at accept, request_head, "
       "before_effect, after_effect or response_body"},
      {rule("status", {{"cod", "500"}}),
       "fault \"status\": unknown parameter \"cod\"; did you mean \"code\"?"},
      {rule("response_lost", {{"kind", "response_lost"}, {"after", "1s"}}),
       "fault \"response_lost\": \"after\" says something only with by: late; a late effect is "
       "\"commit_after\""},
  };
  for (const Case& c : cases) EXPECT_EQ(compile_errors(scenario({c.rule})), c.expected);
}

TEST(CompileRules, LeavesOutWhatIsWrongAndKeepsTheRest) {
  Diagnostics diagnostics;
  const auto rules = compile_rules(
      scenario({rule("nonsense"), rule("reset"), rule("status", {{"code", "x"}})}), diagnostics);
  EXPECT_EQ(diagnostics.size(), 2u);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].fault->name, "reset");
}

TEST(CheckScenario, NamesTheNearestCall) {
  EXPECT_EQ(checked(scenario({on(rule("reset"), "POST", "/v1/booking")})),
            "no call of the api matches \"POST /v1/booking\"; did you mean \"POST /v1/bookings\"?");
  EXPECT_EQ(checked(scenario({on(rule("reset"), "DELETE", "/v1/bookings/:id")})),
            "no call of the api matches \"DELETE /v1/bookings/:id\"; did you mean \"GET "
            "/v1/bookings/:id\"?");
}

TEST(CheckScenario, AcceptsEveryCallThatTheApiAnswers) {
  const std::vector<std::pair<std::string, std::string>> calls = {{"POST", "/v1/bookings"},
                                                                  {"GET", "/v1/bookings/:id"},
                                                                  {"GET", "/v1/bookings/bk_1"},
                                                                  {"HEAD", "/v1/bookings"},
                                                                  {"OPTIONS", "/v1/ping"},
                                                                  {"GET", "/v1/*"},
                                                                  {"*", "*"},
                                                                  {"*", "/v1/ping"}};
  for (const auto& [method, path] : calls) {
    EXPECT_EQ(checked(scenario({on(rule("reset"), method, path)})), "") << method << " " << path;
  }
  Scenario any = scenario({on(rule("reset"), "PATCH", "/anything")});
  any.apis[0].any_path = true;
  EXPECT_EQ(checked(any), "");
}

TEST(CheckScenario, LooksAtTheClassOfACall) {
  FaultRule unsafe = on(rule("reset"), "*", "/v1/ping");
  unsafe.on.call_class = CallClass::Unsafe;
  EXPECT_EQ(checked(scenario({unsafe})), "no call of the api matches \"* /v1/ping\"");
  unsafe.on.path = "/v1/bookings";
  EXPECT_EQ(checked(scenario({unsafe})), "");
}

TEST(CheckScenario, WarnsOfARuleBehindOneThatAlwaysMatches) {
  EXPECT_EQ(
      checked(scenario({rule("reset"), attempt(on(rule("status"), "POST", "/v1/bookings"), 2)})),
      "warning: this rule can never apply: \"reset\" comes first at before_effect and matches "
      "whatever "
      "this one does");
  EXPECT_EQ(checked(scenario({attempt(rule("reset"), 1), rule("status")})), "");
  EXPECT_EQ(checked(scenario({attempt(rule("reset"), 1), attempt(rule("status"), 2)})), "");
}

TEST(CheckScenario, WarnsOfARuleAtAPointThatIsNeverReached) {
  EXPECT_EQ(checked(scenario({rule("response_lost"), rule("status", {{"code", "500"}})})),
            "warning: this rule can never apply: \"status\" leaves nothing for it to change, at "
            "before_effect");
  EXPECT_EQ(checked(scenario({rule("response_lost"), rule("truncated_body")})),
            "warning: this rule can never apply: \"response_lost\" leaves nothing for it to "
            "change, at after_effect");
  EXPECT_EQ(
      checked(scenario({at(rule("stall"), Point::Accept), rule("invalid_json")})),
      "warning: this rule can never apply: \"stall\" leaves nothing for it to change, at accept");
}

TEST(CheckScenario, LetsNoRuleThatNeverAppliesHideAnother) {
  EXPECT_EQ(checked(scenario({rule("status"), rule("response_lost"), rule("dribble")})),
            "warning: this rule can never apply: \"status\" leaves nothing for it to change, at "
            "before_effect");
}

TEST(CheckScenario, LetsRulesAtDifferentPointsCompose) {
  EXPECT_EQ(checked(scenario({rule("latency"), rule("response_lost")})), "");
  EXPECT_EQ(checked(scenario(
                {rule("latency"), at(rule("status"), Point::AfterEffect), rule("truncated_body")})),
            "");
  EXPECT_EQ(checked(scenario({rule("response_lost", {{"by", "late"}}), rule("dribble")})), "");
  // An answer in the vendor's place is one to the rules behind it.
  EXPECT_EQ(checked(scenario({rule("status"), rule("dribble")})), "");
  EXPECT_EQ(checked(scenario({rule("status"), rule("invalid_json"), rule("idle_close")})), "");
  EXPECT_EQ(
      checked(scenario({rule("response_lost"), at(rule("reset"), Point::Accept)})),
      "warning: this rule can never apply: \"reset\" leaves nothing for it to change, at accept");
}

TEST(CheckScenario, WarnsOfWhatCannotBeMetWithoutAConnection) {
  const auto hidden = [](const std::string& by) {
    return "warning: this rule can never apply: \"" + by +
           "\" leaves nothing for it to change, at connect";
  };
  EXPECT_EQ(checked(scenario({rule("unanswered"), rule("status")})), hidden("unanswered"));
  EXPECT_EQ(checked(scenario({rule("status"), rule("refuse")})), hidden("refuse"));
  EXPECT_EQ(checked(scenario({rule("refuse", {{"for", "1s"}}), rule("status")})), "");
  EXPECT_EQ(checked(scenario({rule("connection_limit"), rule("status")})), "");
  FaultRule second = rule("refuse");
  second.when.connection = exactly(2);
  EXPECT_EQ(checked(scenario({second, rule("status")})), "");
  FaultRule down = rule("refuse");
  down.when.during_phase = "down";
  FaultRule status = rule("status");
  status.when.during_phase = "down";
  EXPECT_EQ(checked(scenario({down, status})), "") << "an open connection goes on";
}

TEST(CheckScenario, LetsOneRuleAtConnectFollowAnother) {
  EXPECT_EQ(checked(scenario({rule("refuse", {{"for", "1s"}}), rule("connection_limit")})), "");
  EXPECT_EQ(checked(scenario({rule("connection_limit"), rule("refuse", {{"for", "1s"}})})),
            "warning: this rule can never apply: \"connection_limit\" comes first at connect and "
            "matches whatever this one does");
}

TEST(CheckScenario, KnowsThatAModelLetsOthersPass) {
  EXPECT_EQ(checked(scenario({rule("quota", {{"limit", "1"}}), rule("reset")})), "");
  auto hidden = scenario({rule("reset"), rule("barrier", {{"count", "2"}})});
  hidden.client.copies = 2;
  EXPECT_EQ(checked(hidden),
            "warning: this rule can never apply: \"reset\" comes first at before_effect and "
            "matches whatever this one does");
}

TEST(CheckScenario, WarnsOfACapacityThatNeverCountsTwo) {
  const auto capacity = [](Written members) { return rule("capacity", std::move(members)); };
  const auto warned = HasSubstr("each is answered at once");
  EXPECT_THAT(checked(scenario({capacity({{"each", "1s"}})})), warned);
  EXPECT_THAT(checked(scenario({capacity({{"limit", "3"}}), rule("status")})), warned);
  // What takes time before it is counted, or for others, keeps nobody in flight.
  EXPECT_THAT(
      checked(scenario({on(capacity({{"limit", "3"}}), "POST", "/v1/bookings"),
                        on(action(Point::AfterEffect, "delay", {{"for", "1s"}}), "GET", "/v1/ping"),
                        action(Point::RequestHead, "delay", {{"for", "1s"}})})),
      HasSubstr("is answered at once"))
      << "they are for other calls, or before the count";
  for (const auto& other :
       {action(Point::AfterEffect, "delay", {{"for", "1s"}}), rule("dribble"),
        rule("late_effect", {{"after", "1s"}}), action(Point::ResponseBody, "stall")}) {
    EXPECT_EQ(checked(scenario({on(capacity({{"limit", "3"}}), "POST", "/v1/bookings"), other})),
              "")
        << other.name;
  }
  EXPECT_EQ(checked(scenario({capacity({{"each", "1s"}, {"free", "0"}})})), "");
  EXPECT_EQ(checked(scenario({capacity({{"limit", "0"}})})), "");
  auto upstream = scenario({capacity({{"each", "1s"}})});
  upstream.apis[0].upstream.emplace().host = "localhost";
  EXPECT_EQ(checked(upstream), "");
}

TEST(CheckScenario, WarnsOfABarrierForMoreThanThereAre) {
  auto made = scenario({rule("barrier", {{"count", "3"}})});
  EXPECT_THAT(checked(made), AllOf(HasSubstr("waits for 3 requests"), HasSubstr("1 copy of"),
                                   HasSubstr("add \"client: {copies: 3}\"")));
  made.client.copies = 2;
  EXPECT_THAT(checked(made), HasSubstr("and 2 copies of the client"));
  made.client.copies = 3;
  EXPECT_EQ(checked(made), "");
  made.rules[0].when.copy = scenarios::Count{1, 2, 0, {}};
  EXPECT_THAT(checked(made), HasSubstr("and 2 copies of the client may meet it"));
}

TEST(CheckScenario, WarnsOfCountsThatNeverCome) {
  Scenario made = scenario({attempt(rule("reset"), 6)});
  made.promise.max_attempts = 5;
  EXPECT_EQ(checked(made), "warning: attempt 6 never comes: the promise is at most 5 attempts");
  made.promise.max_attempts = 6;
  EXPECT_EQ(checked(made), "");
  Scenario copies = scenario({rule("reset")});
  copies.rules[0].when.copy = exactly(2);
  copies.client.copies = 2;
  EXPECT_EQ(checked(copies), "warning: copy 2 never comes: there are 2 copies, counted from 0");
  copies.rules[0].when.copy = exactly(1);
  EXPECT_EQ(checked(copies), "");
  copies.rules[0].when.rate = 0;
  EXPECT_EQ(checked(copies), "warning: this rule can never apply: its rate is 0%");
}

// Nothing was sent; but who only waits to be accepted has sent its request.
TEST(MayBeAmbiguous, IsFalseForWhoIsNotConnected) {
  EXPECT_FALSE(may_be_ambiguous(rule("refuse")));
  EXPECT_FALSE(may_be_ambiguous(rule("unanswered")));
  EXPECT_TRUE(may_be_ambiguous(rule("connection_limit")));
}

TEST(MayBeAmbiguous, IsTrueWhereAClientCannotKnow) {
  for (const std::string fault :
       {"latency", "stall", "close", "reset", "status", "invalid_json", "wrong_shape", "html_page",
        "empty_body", "truncated_body", "dribble", "response_lost", "late_effect"}) {
    EXPECT_TRUE(may_be_ambiguous(on(rule(fault), "POST", "/v1/bookings"))) << fault;
    EXPECT_FALSE(may_be_ambiguous(on(rule(fault), "GET", "/v1/bookings"))) << fault;
  }
  EXPECT_FALSE(may_be_ambiguous(rule("status", {{"code", "429"}})));
  EXPECT_FALSE(may_be_ambiguous(at(rule("close"), Point::AfterResponse)));
  for (const std::string fault : {"certificate", "tls_alert", "plain_bytes"}) {
    EXPECT_FALSE(may_be_ambiguous(rule(fault))) << fault;
  }
  for (const std::string fault : {"close", "reset", "stall"}) {
    EXPECT_FALSE(may_be_ambiguous(at(rule(fault), Point::Handshake))) << fault;
  }
  EXPECT_TRUE(may_be_ambiguous(at(rule("no_close_notify"), Point::ResponseBody)));
  EXPECT_FALSE(may_be_ambiguous(rule("no_close_notify")));
  EXPECT_FALSE(may_be_ambiguous(rule("many_headers")));
  EXPECT_FALSE(may_be_ambiguous(rule("chunked")));
  EXPECT_TRUE(may_be_ambiguous(rule("chunked", {{"how", "bad_size"}})));
  EXPECT_FALSE(may_be_ambiguous(rule("nonsense")));
  EXPECT_FALSE(may_be_ambiguous(rule("quota", {{"limit", "1"}})));
  EXPECT_TRUE(may_be_ambiguous(rule("capacity", {{"limit", "1"}})));
  EXPECT_TRUE(may_be_ambiguous(rule("slow_read")));
  EXPECT_TRUE(may_be_ambiguous(at(rule("reset"), Point::RequestBody)));
  FaultRule safe = rule("reset");
  safe.on.call_class = CallClass::Safe;
  EXPECT_FALSE(may_be_ambiguous(safe));
}

}  // namespace
}  // namespace mishap::server
