#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using Json = nlohmann::json;

TEST(BadText, IsInsideTheLastStringOrInFront) {
  EXPECT_EQ(answer_with(bad_text_fault(), {}).body,
            "{\"id\":\"bk_1\",\"note\":\"hi\xFF\xFE\xC0\xAF\"}");
  EXPECT_EQ(answer_with(bad_text_fault(), {{"how", "bom"}}).body,
            "\xEF\xBB\xBF{\"id\":\"bk_1\",\"note\":\"hi\"}");
  for (const char* how : {"invalid_utf8", "control"}) {
    EXPECT_FALSE(Json::accept(answer_with(bad_text_fault(), {{"how", how}}).body)) << how;
    EXPECT_FALSE(is_harmless(bad_text_fault(), {{"how", how}}));
  }
  EXPECT_TRUE(is_harmless(bad_text_fault(), {{"how", "bom"}}));
  EXPECT_EQ(answer_with(bad_text_fault(), {}, "7").body, "7\xFF\xFE\xC0\xAF");
}

TEST(BadText, IsProvenByTheDifference) {
  const auto changed_answer = changed(answered(), [](Exchange& e) { e.answer.changed = true; });
  EXPECT_EQ(proof(bad_text_fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
  EXPECT_EQ(proof(bad_text_fault(), Point::ResponseBody, changed_answer), "delivered");
}

}  // namespace
}  // namespace mishap::server
