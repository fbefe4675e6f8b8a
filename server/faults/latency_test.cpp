#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const FaultDescriptor& fault() {
  return latency_fault();
}

std::string delay_for(const Written& members, double draw) {
  return planned(fault(), Point::BeforeEffect, Moment::Request, members, {Apply{}}, draw);
}

TEST(Latency, WaitsWhereItIsTold) {
  const Written two = {{"for", "2s"}};
  const std::string head = kOrdinaryHead;
  const std::string body = R"(send body "{"id":"bk_1"}" | finish)";
  EXPECT_EQ(planned(fault(), Point::Accept, two), "wait 2s");
  EXPECT_EQ(planned(fault(), Point::RequestHead, two), "wait 2s | read_body");
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, two), "wait 2s | apply");
  EXPECT_EQ(planned(fault(), Point::AfterEffect, two),
            "wait 2s | send head " + head + " | " + body);
  EXPECT_EQ(planned(fault(), Point::ResponseBody, two),
            "send head " + head + " | wait 2s | " + body);
}

TEST(Latency, IsOneSecondWhereNothingIsSaid) {
  EXPECT_EQ(planned(fault(), Point::BeforeEffect), "wait 1s | apply");
}

TEST(Latency, LeavesAnAnswerWithoutBodyAlone) {
  EXPECT_EQ(planned(fault(), Point::ResponseBody, Moment::Apply, {},
                    {SendAnswer{204, {}, "", false}, Finish{}}),
            R"(send head "HTTP/1.1 204 No Content\r\n\r\n" | finish)");
}

TEST(Latency, UniformLiesBetweenItsEnds) {
  const Written uniform = {{"distribution", "uniform"}, {"min", "100ms"}, {"max", "300ms"}};
  EXPECT_EQ(delay_for(uniform, 0.0), "wait 100ms | apply");
  EXPECT_EQ(delay_for(uniform, 0.25), "wait 150ms | apply");
  EXPECT_EQ(delay_for({{"distribution", "uniform"}, {"max", "300ms"}}, 0.5), "wait 150ms | apply");
}

TEST(Latency, LognormalHasItsMedianInTheMiddleAndAnEnd) {
  const Written lognormal = {{"distribution", "lognormal"}, {"median", "100ms"}, {"sigma", "1"}};
  EXPECT_EQ(delay_for(lognormal, 0.0), "wait 100ms | apply");
  EXPECT_EQ(delay_for(lognormal, 40.0), "wait 1s | apply");  // ten medians
  Written bounded = lognormal;
  bounded.emplace_back("max", "400ms");
  bounded.emplace_back("min", "50ms");
  EXPECT_EQ(delay_for(bounded, 40.0), "wait 400ms | apply");
  EXPECT_EQ(delay_for(bounded, -40.0), "wait 50ms | apply");
}

TEST(Latency, DrawsOnceAndOnlyWhereThereIsChance) {
  const auto purposes = [](const Written& members) {
    ScriptedDraws draws;
    FaultContext context{Point::BeforeEffect, Moment::Request, {}, draws};
    fault().plan({Apply{}}, params_of(fault(), members), context);
    return draws.purposes();
  };
  EXPECT_TRUE(purposes({{"for", "1s"}}).empty());
  EXPECT_EQ(purposes({{"distribution", "uniform"}, {"max", "1s"}}),
            std::vector<std::string>{"delay"});
}

TEST(Latency, IsProvenByTheInstantsAroundItsPoint) {
  const Written one = {{"for", "1s"}};
  const auto late = [](auto set) { return changed(answered(), set); };
  EXPECT_EQ(proof(fault(), Point::RequestHead,
                  late([](Exchange& e) { e.request_read = seconds(2); }), one),
            "delivered");
  EXPECT_EQ(
      proof(fault(), Point::BeforeEffect, late([](Exchange& e) { e.applied = seconds(2); }), one),
      "delivered");
  EXPECT_EQ(proof(fault(), Point::AfterEffect,
                  late([](Exchange& e) { e.receipt.first_write = seconds(2); }), one),
            "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody,
                  late([](Exchange& e) { e.receipt.last_write = seconds(2); }), one),
            "delivered");
  EXPECT_EQ(proof(fault(), Point::RequestHead, answered(), one),
            "the end of the request came after 1ms, not after 1s");
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, answered(), one),
            "the effect came after 1ms, not after 1s");
  EXPECT_EQ(proof(fault(), Point::AfterEffect, answered(), one),
            "the answer came after 1ms, not after 1s");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, answered(), one),
            "the body came after 0s, not after 1s");
}

TEST(Latency, IsMetByAClientThatLeftBeforeItWasOver) {
  const Exchange left = changed(unanswered(Ending::ClientLeft),
                                [](Exchange& e) { e.receipt.departed = milliseconds(500); });
  EXPECT_EQ(proof(fault(), Point::AfterEffect, left), "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, left), "delivered");
  const Exchange open = unanswered(Ending::Open);
  EXPECT_EQ(proof(fault(), Point::AfterEffect, open), "the run ended before the answer came");
}

TEST(Latency, NeedsABodyToHoldBack) {
  const Exchange bare = changed(answered(), [](Exchange& e) { e.answer.body_bytes = 0; });
  EXPECT_EQ(proof(fault(), Point::ResponseBody, bare), "the answer has no body to hold back");
}

TEST(Latency, IsMeasuredAgainstWhatWasDrawn) {
  const Written uniform = {{"distribution", "uniform"}, {"min", "1s"}, {"max", "3s"}};
  const auto with = [](Duration applied, std::string point, double drawn) {
    return changed(answered(), [&](Exchange& e) {
      e.applied = applied;
      e.rules.push_back(
          {"r", "latency", std::move(point), true, {{"rate", 0.1}, {"delay", drawn}}, false, ""});
    });
  };
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, with(seconds(3), "before_effect", 0.5), uniform),
            "delivered");
  EXPECT_EQ(
      proof(fault(), Point::BeforeEffect, with(milliseconds(1510), "before_effect", 0.5), uniform),
      "the effect came after 1.5s, not after 2s");
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, with(seconds(3), "accept", 0.5), uniform),
            "the delay that was drawn is not recorded");
}

TEST(Latency, AtAcceptIsProvenByTheFirstByteRead) {
  Connection connection;
  connection.accepted = milliseconds(0);
  const Exchange late = changed(answered(), [](Exchange& e) { e.first_byte = seconds(1); });
  EXPECT_EQ(proof(fault(), Point::Accept, late, {}, &connection), "delivered");
  EXPECT_EQ(proof(fault(), Point::Accept, answered(), {}, &connection),
            "the first read came after 9ms, not after 1s");
  EXPECT_EQ(proof(fault(), Point::Accept, Exchange{}, {}, &connection),
            "no request came over the connection");
  connection.departed = milliseconds(300);
  EXPECT_EQ(proof(fault(), Point::Accept, Exchange{}, {}, &connection), "delivered");
}

TEST(Latency, RefusesWhatDoesNotGoTogether) {
  const auto wrong = [](const Written& members) {
    return complaints(fault(), Point::BeforeEffect, members);
  };
  EXPECT_EQ(wrong({{"max", "1s"}}),
            "fault \"latency\": \"max\" says nothing when the distribution is fixed");
  EXPECT_EQ(wrong({{"distribution", "uniform"}}),
            "fault \"latency\": distribution uniform needs \"max\"");
  EXPECT_EQ(wrong({{"distribution", "lognormal"}, {"for", "1s"}}),
            "fault \"latency\": \"for\" says nothing when the distribution is lognormal\n"
            "fault \"latency\": distribution lognormal needs \"median\"");
  EXPECT_EQ(wrong({{"distribution", "uniform"}, {"min", "2s"}, {"max", "1s"}}),
            "fault \"latency\": max is below min");
  EXPECT_NE(wrong({{"for", "2"}}), "");
  EXPECT_EQ(wrong({{"for", "2s"}}), "");
}

}  // namespace
}  // namespace mishap::server
