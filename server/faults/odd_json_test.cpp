#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

TEST(OddJson, IsRightJsonWithAllThatWasThere) {
  for (const char* how : {"unknown_members", "large_numbers", "duplicate_names"}) {
    const SendAnswer answer = answer_with(odd_json_fault(), {{"how", how}});
    const Json json = Json::parse(answer.body);
    EXPECT_EQ(json["id"], "bk_1") << how;
    EXPECT_GT(json.size(), 2U) << how;
  }
  EXPECT_THAT(answer_with(odd_json_fault(), {{"how", "large_numbers"}}).body,
              HasSubstr("12345678901234567890123"));
  EXPECT_EQ(answer_with(odd_json_fault(), {}, "[1]").body, "[1]") << "no object, no member";
}

TEST(OddJson, IsProvenByTheDifference) {
  const auto changed_answer = changed(answered(), [](Exchange& e) { e.answer.changed = true; });
  EXPECT_EQ(proof(odd_json_fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
  EXPECT_EQ(proof(odd_json_fault(), Point::ResponseBody, changed_answer), "delivered");
}

}  // namespace
}  // namespace mishap::server
