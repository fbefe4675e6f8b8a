#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::milliseconds;

const FaultDescriptor& fault() {
  return status_fault();
}

const char* const kUnavailable =
    R"(answer 503 [Content-Type: application/problem+json] "{"type":"about:blank","title":"Service Unavailable","status":503}")";

Steps with_fields(std::initializer_list<NameValue> fields, const Written& members) {
  Params params = params_of(fault(), members);
  params.set("headers", std::vector<NameValue>(fields));
  ScriptedDraws draws;
  FaultContext context{Point::BeforeEffect, Moment::Request, {}, draws};
  return fault().plan({Apply{}}, params, context);
}

TEST(Status, AnswersBeforeTheBodyIsReadAndThrowsItAway) {
  EXPECT_EQ(planned(fault(), Point::RequestHead), std::string(kUnavailable) + " | drain | finish");
}

TEST(Status, ComesInsteadOfTheInvitationAndSaysThatTheConnectionEnds) {
  const Steps asked = {Send{Part::Interim, "HTTP/1.1 100 Continue\r\n\r\n", 0, {}}, ReadBody{}};
  EXPECT_EQ(
      planned(fault(), Point::RequestHead, Moment::Head, {{"code", "417"}, {"body", "no"}}, asked),
      R"(answer 417 [Content-Type: text/plain; charset=utf-8] [Connection: close] "no" | drain | finish)");
}

TEST(Status, BeforeTheEffectLetsNothingHappen) {
  EXPECT_EQ(planned(fault(), Point::BeforeEffect), std::string(kUnavailable) + " | finish");
}

TEST(Status, AfterTheEffectReplacesTheAnswer) {
  EXPECT_EQ(planned(fault(), Point::AfterEffect), std::string(kUnavailable) + " | finish");
}

TEST(Status, StaysWithoutBodyWhereTheAnswerHadNone) {
  const Steps head = {SendAnswer{200, {}, "x", true}, Finish{}};
  EXPECT_EQ(
      planned(fault(), Point::AfterEffect, Moment::Apply, {{"code", "500"}, {"body", "y"}}, head),
      R"(answer 500 [Content-Type: text/plain; charset=utf-8] "y" head only | finish)");
}

TEST(Status, SendsTheBodyAndFieldsItIsGiven) {
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, {{"code", "200"}}), R"(answer 200 "" | finish)");
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, {{"code", "409"}, {"json", "12"}}),
            R"(answer 409 [Content-Type: application/json] "12" | finish)");
  EXPECT_EQ(print(with_fields({{"content-type", "text/html"}, {"X-A", "1"}, {"X-A", "2"}},
                              {{"body", "b"}})),
            R"(answer 503 [content-type: text/html] [X-A: 1] [X-A: 2] "b" | finish)");
}

TEST(Status, TellsTheClientItsOwnCredentialWhereTheBodySaysSo) {
  const std::string sent = R"(Bearer a"b)";
  const auto body_of = [&](const Written& members, const std::string* authorization) {
    ScriptedDraws draws;
    FaultContext context{Point::BeforeEffect, Moment::Request, {}, draws};
    context.authorization = authorization;
    const Steps steps = fault().plan({Apply{}}, params_of(fault(), members), context);
    return std::get<SendAnswer>(steps.at(0)).body;
  };
  EXPECT_EQ(body_of({{"body", "not you: {authorization}!"}}, &sent), R"(not you: Bearer a"b!)");
  EXPECT_EQ(body_of({{"body", "not you: {authorization}!"}}, nullptr), "not you: !");
}

TEST(Status, SendsRetryAfterByteForByte) {
  for (const std::string text :
       {"5", "soon", "", "-1", "1.5", "3600", " 5", "5, 9", "date", "Sun, 06 Nov"}) {
    const Written members = {{"code", "429"}, {"body", ""}, {"retry_after", text}};
    EXPECT_EQ(planned(fault(), Point::BeforeEffect, members),
              "answer 429 [Content-Type: text/plain; charset=utf-8] [Retry-After: " + text +
                  "] \"\" | finish");
  }
}

TEST(Status, IsProvenByTheWholeAnswer) {
  const auto with = [](StatusCode status, bool applied) {
    return changed(answered(), [&](Exchange& e) {
      e.answer.status = status;
      if (!applied) e.applied.reset();
    });
  };
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, with(503, false)), "delivered");
  EXPECT_EQ(proof(fault(), Point::RequestHead, with(503, false)), "delivered");
  EXPECT_EQ(proof(fault(), Point::AfterEffect, with(503, true)), "delivered");
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, with(503, true)), "it took effect");
  EXPECT_EQ(proof(fault(), Point::AfterEffect, with(503, false)), "the effect never came");
  EXPECT_EQ(proof(fault(), Point::AfterEffect, with(201, true)), "the answer was a 201");
  const auto part = [&](std::uint64_t planned_bytes, bool left) {
    return changed(with(503, false), [&](Exchange& e) {
      e.receipt.delivery = Delivery::PartOfBody;
      e.receipt.bytes_planned = planned_bytes;
      if (left) e.receipt.departed = milliseconds(20);
    });
  };
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, part(500, false)),
            "the answer did not go out whole");
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, part(500, true)), "delivered");
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, part(113, false)),
            "delivered");  // a wrong length, as scripted
}

TEST(Status, RefusesWhatCannotBeSent) {
  const auto wrong = [](const Written& members) {
    return complaints(fault(), Point::BeforeEffect, members);
  };
  EXPECT_EQ(wrong({{"code", "100"}}), "code is between 101 and 599");
  EXPECT_EQ(wrong({{"code", "101"}}), "");
  EXPECT_EQ(wrong({{"code", "103"}}),
            "fault \"status\": a 103 is no final answer; see fault \"interim\"");
  EXPECT_EQ(wrong({{"body", "a"}, {"json", "{}"}}),
            "fault \"status\": \"body\" and \"json\" exclude each other");
  EXPECT_EQ(wrong({{"code", "204"}, {"body", "a"}}), "fault \"status\": a 204 has no body");
  EXPECT_EQ(wrong({{"retry_after", "5\n"}}),
            "fault \"status\": \"retry_after\" holds a line break");
  EXPECT_NE(wrong({{"retry_after", "date+3"}}), "");
  EXPECT_EQ(wrong({{"retry_after", "date+3s"}}), "");
  EXPECT_EQ(wrong({{"retry_after", "tomorrow"}}), "");
}

TEST(Status, RefusesFieldsThatWouldBreakTheHead) {
  const auto wrong = [](NameValue field) {
    Params params = params_of(fault(), {});
    params.set("headers", std::vector<NameValue>{std::move(field)});
    Diagnostics diagnostics;
    fault().validate(params, Point::BeforeEffect, {}, diagnostics);
    return diagnostics.empty() ? std::string() : diagnostics.front().message;
  };
  EXPECT_EQ(wrong({"X A", "1"}), "fault \"status\": \"X A\" is no name of a field");
  EXPECT_EQ(wrong({"X-A", "1\r\nX-B: 2"}),
            "fault \"status\": the value of \"X-A\" holds a line break");
  EXPECT_EQ(wrong({"X-A", "grün"}), "");
}

TEST(Status, LeavesNoDoubtWhenItIsARefusal) {
  const auto doubt = [](const std::string& code) {
    return fault().ambiguous(params_of(fault(), {{"code", code}}), Point::BeforeEffect);
  };
  for (const std::string code : {"400", "401", "404", "409", "422", "429"})
    EXPECT_FALSE(doubt(code)) << code;
  for (const std::string code : {"200", "302", "408", "500", "502", "503"})
    EXPECT_TRUE(doubt(code)) << code;
}

}  // namespace
}  // namespace mishap::server
