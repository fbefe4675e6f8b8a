#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using Json = nlohmann::json;

std::string whole(const SendAnswer& answer) {
  std::string text = answer.body;
  for (std::uint64_t i = 0; i < answer.filler->times; ++i) text += answer.filler->unit;
  return text + answer.filler->rest;
}

TEST(LargeBody, IsStillTheVendorsJson) {
  for (const char* size : {"1B", "4095B", "4096B", "4097B", "100000B"}) {
    const SendAnswer answer = answer_with(large_body_fault(), {{"size", size}});
    const std::string text = whole(answer);
    EXPECT_EQ(answer.body_size(), text.size());
    const Json json = Json::parse(text);
    EXPECT_EQ(json["id"], "bk_1");
    EXPECT_EQ(json["filler"].get<std::string>().size(), std::stoul(size));
  }
  EXPECT_EQ(Json::parse(whole(answer_with(large_body_fault(), {{"size", "5B"}}, "{}")))["filler"],
            "xxxxx");
}

TEST(LargeBody, IsMadeAsItGoesOut) {
  const SendAnswer answer = answer_with(large_body_fault(), {{"size", "1GiB"}});
  EXPECT_LT(answer.body.size() + answer.filler->unit.size() + answer.filler->rest.size(), 16'384U);
  EXPECT_GT(answer.body_size(), 1'000'000'000U);
}

TEST(LargeBody, IsProvenByTheDifference) {
  const auto changed_answer = changed(answered(), [](Exchange& e) { e.answer.changed = true; });
  EXPECT_EQ(proof(large_body_fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
  EXPECT_EQ(proof(large_body_fault(), Point::ResponseBody, changed_answer), "delivered");
}

}  // namespace
}  // namespace mishap::server
