#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

const FaultDescriptor& fault() {
  return wrong_shape_fault();
}

std::string body_of(const std::string& body, const Written& members = {}) {
  ScriptedDraws draws;
  FaultContext context{Point::ResponseBody, Moment::Apply, {}, draws};
  const Steps steps =
      fault().plan({SendAnswer{200, {}, body, false}}, params_of(fault(), members), context);
  return std::get<SendAnswer>(steps.front()).body;
}

TEST(WrongShape, TakesTheIdAwayAndNestsTheRest) {
  EXPECT_EQ(planned(fault(), Point::ResponseBody),
            R"(answer 201 [Content-Type: application/json] "{"id":null,"data":{}}" | finish)");
  EXPECT_EQ(body_of(R"({"reference":"r","id":"bk_1","a":[1]})"),
            R"({"id":null,"data":{"reference":"r","a":[1]}})");
  EXPECT_EQ(body_of(R"({"items":[],"total":0})"), R"({"id":null,"data":{"items":[],"total":0}})");
  EXPECT_EQ(body_of(R"({"key":"k","id":"1"})", {{"drop", "key"}}),
            R"({"key":null,"data":{"id":"1"}})");
}

TEST(WrongShape, IsValidJsonWhateverTheBodyWas) {
  EXPECT_EQ(body_of("[1]"), R"({"id":null,"data":[1]})");
  EXPECT_EQ(body_of(""), R"({"id":null,"data":null})");
  EXPECT_EQ(body_of("no json"), R"({"id":null,"data":null})");
  EXPECT_EQ(body_of("\"\xff\""), R"({"id":null,"data":null})");
}

TEST(WrongShape, IsProvenByAWholeAnswerThatIsNotTheVendors) {
  const Exchange spoiled = changed(answered(), [](Exchange& e) { e.answer.healthy = false; });
  EXPECT_EQ(proof(fault(), Point::ResponseBody, spoiled), "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
}

TEST(WrongShape, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(complaints(fault(), Point::ResponseBody, {{"dorp", "id"}}), "");
}

}  // namespace
}  // namespace mishap::server
