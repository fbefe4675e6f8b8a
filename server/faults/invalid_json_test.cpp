#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::milliseconds;

const FaultDescriptor& fault() {
  return invalid_json_fault();
}

std::string body_of(const std::string& body, const std::string& how) {
  ScriptedDraws draws;
  FaultContext context{Point::ResponseBody, Moment::Apply, {}, draws};
  const Steps steps =
      fault().plan({SendAnswer{200, {}, body, false}}, params_of(fault(), {{"how", how}}), context);
  return std::get<SendAnswer>(steps.front()).body;
}

TEST(InvalidJson, KeepsStatusAndFieldsAndCutsTheBody) {
  EXPECT_EQ(planned(fault(), Point::ResponseBody),
            R"(answer 201 [Content-Type: application/json] "{"id":" | finish)");
}

TEST(InvalidJson, IsInvalidWhateverTheBodyWas) {
  for (const std::string how : {"cut", "garbled"}) {
    for (const std::string body :
         {"{}", "[]", "{\"a\":{}}", "[1,2]", "12", "\"text\"", "", "null", "no json", "[[],[]]"}) {
      EXPECT_FALSE(nlohmann::json::accept(body_of(body, how))) << how << " of " << body;
    }
  }
}

TEST(InvalidJson, LeavesAnAnswerAloneThatHasNoBody) {
  EXPECT_EQ(planned(fault(), Point::ResponseBody, Moment::Apply, {},
                    {SendAnswer{204, {}, "", false}, Finish{}}),
            R"(answer 204 "" | finish)");
}

TEST(InvalidJson, IsProvenByAWholeAnswerThatIsNotTheVendors) {
  const Exchange spoiled = changed(answered(), [](Exchange& e) { e.answer.healthy = false; });
  EXPECT_EQ(proof(fault(), Point::ResponseBody, spoiled), "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
  EXPECT_EQ(proof(fault(), Point::ResponseBody,
                  changed(spoiled, [](Exchange& e) { e.request.method = "HEAD"; })),
            "the answer to a HEAD has no body");
  EXPECT_EQ(proof(fault(), Point::ResponseBody,
                  changed(spoiled, [](Exchange& e) { e.answer.status = 204; })),
            "a 204 has no body");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, unanswered(Ending::Reset)),
            "the answer did not go out whole");
  const Exchange left = changed(unanswered(Ending::ClientLeft),
                                [](Exchange& e) { e.receipt.departed = milliseconds(12); });
  EXPECT_EQ(proof(fault(), Point::ResponseBody, left), "delivered");
}

TEST(InvalidJson, KnowsItsTwoWays) {
  EXPECT_EQ(complaints(fault(), Point::ResponseBody, {{"how", "cut"}}), "");
  EXPECT_NE(complaints(fault(), Point::ResponseBody, {{"how", "both"}}), "");
}

}  // namespace
}  // namespace mishap::server
