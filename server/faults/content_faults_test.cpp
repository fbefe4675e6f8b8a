#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

// The faults that change what an answer holds: codings, length, characters, members.
namespace mishap::server {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

SendAnswer answer_with(const FaultDescriptor& fault, const Written& written,
                       const std::string& body = R"({"id":"bk_1","note":"hi"})") {
  ScriptedDraws draws;
  FaultContext context{Point::ResponseBody, Moment::Apply, {}, draws};
  Steps steps = {SendAnswer{201, {{"Content-Type", "application/json"}}, body, false}, Finish{}};
  steps = fault.plan(std::move(steps), params_of(fault, written), context);
  return std::get<SendAnswer>(steps.at(0));
}

bool is_harmless(const FaultDescriptor& fault, const Written& written) {
  return fault.harmless(params_of(fault, written), Point::ResponseBody);
}

TEST(GzipFault, SaysSoWhateverItSends) {
  for (const char* how : {"right", "corrupt", "truncated", "not_gzip"}) {
    const SendAnswer answer = answer_with(gzip_fault(), {{"how", how}});
    EXPECT_EQ(answer.headers.back(), (NameValue{"Content-Encoding", "gzip"})) << how;
    EXPECT_EQ(is_harmless(gzip_fault(), {{"how", how}}), std::string(how) == "right");
  }
  const std::string right = answer_with(gzip_fault(), {{"how", "right"}}).body;
  EXPECT_THAT(right, StartsWith("\x1f\x8b"));
  EXPECT_EQ(answer_with(gzip_fault(), {{"how", "truncated"}}).body,
            right.substr(0, right.size() / 2));
  std::string corrupt = answer_with(gzip_fault(), {{"how", "corrupt"}}).body;
  EXPECT_NE(corrupt, right);
  corrupt[corrupt.size() - 8] = right[right.size() - 8];
  EXPECT_EQ(corrupt, right) << "only the check sum differs";
  EXPECT_THAT(answer_with(gzip_fault(), {{"how", "not_gzip"}}).body, StartsWith("{"));
}

TEST(GzipFault, MakesABombOutOfAFewKilobytes) {
  const SendAnswer bomb = answer_with(gzip_fault(), {{"how", "bomb"}, {"size", "1GiB"}});
  EXPECT_EQ(bomb.filler.times, 1023U);
  EXPECT_LT(bomb.body.size() + bomb.filler.unit.size() + bomb.filler.rest.size(), 16'384U);
  EXPECT_EQ(complaints(gzip_fault(), Point::ResponseBody, {{"how", "bomb"}, {"size", "1GiB"}}), "");
}

std::string whole(const SendAnswer& answer) {
  std::string text = answer.body;
  for (std::uint64_t i = 0; i < answer.filler.times; ++i) text += answer.filler.unit;
  return text + answer.filler.rest;
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
  EXPECT_LT(answer.body.size() + answer.filler.unit.size() + answer.filler.rest.size(), 16'384U);
  EXPECT_GT(answer.body_size(), 1'000'000'000U);
}

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

TEST(ContentFaults, AreProvenByTheDifference) {
  for (const FaultDescriptor* fault :
       {&gzip_fault(), &large_body_fault(), &bad_text_fault(), &odd_json_fault()}) {
    EXPECT_EQ(proof(*fault, Point::ResponseBody, answered()),
              "the answer went out as the well vendor gives it")
        << fault->name;
    EXPECT_EQ(proof(*fault, Point::ResponseBody,
                    changed(answered(), [](Exchange& e) { e.answer.changed = true; })),
              "delivered");
  }
}

}  // namespace
}  // namespace mishap::server
