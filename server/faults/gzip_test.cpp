#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using testing::StartsWith;

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
  EXPECT_EQ(bomb.filler->times, 1023U);
  EXPECT_LT(bomb.body.size() + bomb.filler->unit.size() + bomb.filler->rest.size(), 16'384U);
  EXPECT_EQ(complaints(gzip_fault(), Point::ResponseBody, {{"how", "bomb"}, {"size", "1GiB"}}), "");
}

TEST(GzipFault, IsProvenByTheDifference) {
  const auto changed_answer = changed(answered(), [](Exchange& e) { e.answer.changed = true; });
  EXPECT_EQ(proof(gzip_fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
  EXPECT_EQ(proof(gzip_fault(), Point::ResponseBody, changed_answer), "delivered");
}

}  // namespace
}  // namespace mishap::server
