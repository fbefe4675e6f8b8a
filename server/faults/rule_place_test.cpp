#include "server/faults/rule_place.h"

#include <gtest/gtest.h>

#include "server/faults/rule_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using scenarios::FaultRule;
using scenarios::Scenario;

TEST(RulePlace, RefusesCountersThatAreNotKnownYet) {
  const std::string early =
      "\"attempt\" is not known at request_head: the body is not read yet; use \"request:\"";
  EXPECT_EQ(compile_errors(scenario({attempt(at(rule("reset"), Point::RequestHead), 1)})), early);
  Scenario in_head = scenario({attempt(at(rule("reset"), Point::RequestHead), 1)});
  in_head.apis[0].operation_from = "header X-Request-Ref";
  EXPECT_EQ(compile_errors(in_head), "");
  in_head.apis[0].operation_from = "body reference";
  EXPECT_EQ(compile_errors(in_head), early);
  in_head.apis[0].operation_from = "header X-Request-Ref";
  in_head.apis.push_back(booking());
  in_head.apis[1].name = "other";
  EXPECT_EQ(compile_errors(in_head), early);
  in_head.rules[0].on.api = "booking";
  EXPECT_EQ(compile_errors(in_head), "");
  EXPECT_EQ(compile_errors(scenario({attempt(rule("reset"), 1)})), "");
}

TEST(RulePlace, KnowsNothingOfARequestAtAccept) {
  FaultRule made = attempt(at(rule("reset"), Point::Accept), 1);
  made.when.request = exactly(1);
  EXPECT_EQ(compile_errors(scenario({made})),
            "\"attempt\" is not known at accept: no request has come yet; use \"connection:\"\n"
            "\"request\" is not known at accept: no request has come yet; use \"connection:\"");
  EXPECT_EQ(
      compile_errors(scenario({on(at(rule("reset"), Point::Accept), "POST", "/v1/bookings")})),
      "at accept no request has come yet: \"on\" can only be any, or name an api");
  FaultRule second = at(rule("reset"), Point::Accept);
  second.when.connection = exactly(2);
  second.on.api = "booking";
  EXPECT_EQ(compile_errors(scenario({second})), "");
}

TEST(RulePlace, CannotLookIntoABodyThatIsNotRead) {
  FaultRule made = at(rule("reset"), Point::RequestHead);
  made.on.body = {{"product", "p"}};
  EXPECT_EQ(compile_errors(scenario({made})),
            "the body is not read yet at request_head: \"on\" cannot look into it there");
}

TEST(RulePlace, KnowsNothingOfARequestAtConnect) {
  FaultRule made = attempt(rule("refuse"), 1);
  EXPECT_EQ(compile_errors(scenario({made})),
            "\"attempt\" is not known at connect: no request has come yet; use \"connection:\"");
  EXPECT_EQ(compile_errors(scenario({on(rule("unanswered"), "POST", "/v1/bookings")})),
            "at connect no request has come yet: \"on\" can only be any, or name an api");
  FaultRule second = rule("refuse", {{"for", "1s"}});
  second.when.connection = exactly(2);
  second.when.copy = exactly(0);
  second.on.api = "booking";
  EXPECT_EQ(compile_errors(scenario({second})), "");
}

TEST(RulePlace, DrawsForNobodyAtConnect) {
  const std::string nobody = "\"rate\" says nothing at connect: a listener does it to all who come";
  FaultRule made = rule("refuse");
  made.when.rate = 0.5;
  EXPECT_EQ(compile_errors(scenario({made})), nobody);
  made.when.rate = 1;
  made.when.during = {0s, 5s};
  made.when.rate_at_end = 1;
  EXPECT_EQ(compile_errors(scenario({made})), nobody);
}

TEST(RulePlace, SaysOnceHowLongItHoldsAtConnect) {
  FaultRule made = rule("refuse", {{"for", "1s"}});
  made.when.during = {0s, 5s};
  EXPECT_EQ(compile_errors(scenario({made})),
            "how long it holds is said twice: by \"during\" and by \"for\"");
  FaultRule both = rule("refuse");
  both.when.during_phase = "down";
  both.when.connection = exactly(1);
  EXPECT_EQ(compile_errors(scenario({both})),
            "at connect \"during\" and \"connection\" exclude each other");
}

TEST(RulePlace, LimitsNoTimeOfWhatHoldsForTheWholeRun) {
  for (const std::string fault : {"unanswered", "connection_limit"}) {
    const std::string expected = "fault \"" + fault +
                                 "\" holds from the run's beginning to its end: only \"copy\" can "
                                 "be said";
    FaultRule timed = rule(fault);
    timed.when.during = {0s, 1s};
    EXPECT_EQ(compile_errors(scenario({timed})), expected);
    FaultRule counted = rule(fault);
    counted.when.connection = exactly(1);
    EXPECT_EQ(compile_errors(scenario({counted})), expected);
  }
}

TEST(RulePlace, FindsNoBodyInAGet) {
  for (const std::string method : {"GET", "HEAD"}) {
    EXPECT_EQ(compile_errors(scenario({on(rule("slow_read"), method, "/v1/bookings")})),
              "a " + method + " has no body: nothing can go wrong at request_body");
  }
  EXPECT_EQ(compile_errors(scenario({on(rule("slow_read"), "POST", "/v1/bookings")})), "");
  EXPECT_EQ(compile_errors(scenario({attempt(rule("slow_read"), 1)})),
            "\"attempt\" is not known at request_body: the body is not read yet; use \"request:\"");
}

}  // namespace
}  // namespace mishap::server
