#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using testing::HasSubstr;

TEST(Interim, ComesBeforeTheHead) {
  const std::string head = std::string("send head ") + kOrdinaryHead;
  EXPECT_EQ(planned(interim_fault(), Point::ResponseHead,
                    {{"status", "102"}, {"count", "2"}, {"gap", "10ms"}}),
            R"(send interim "HTTP/1.1 102 Processing\r\n\r\n" x 2 every 10ms | )" + head +
                R"( | send body "{"id":"bk_1"}" | finish)");
  EXPECT_EQ(planned(interim_fault(), Point::ResponseHead, {{"endless", "true"}}),
            R"(send interim "HTTP/1.1 103 Early Hints\r\n\r\n" endlessly every 200ms | stall)");
}

TEST(Interim, IsProvenByItsOwnBytes) {
  const auto with = [](std::uint64_t bytes) {
    return changed(answered(), [bytes](Exchange& e) { e.receipt.interim_bytes = bytes; });
  };
  const std::uint64_t one = std::string("HTTP/1.1 103 Early Hints\r\n\r\n").size();
  EXPECT_EQ(proof(interim_fault(), Point::ResponseHead, with(3 * one)), "delivered");
  EXPECT_EQ(proof(interim_fault(), Point::ResponseHead, with(3 * one - 1)),
            "fewer interim answers went out than scripted");
  EXPECT_EQ(proof(interim_fault(), Point::ResponseHead, with(one), {{"endless", "true"}}),
            "bytes of a final answer went out");
  const auto open = changed(unanswered(Ending::ClientLeft),
                            [one](Exchange& e) { e.receipt.interim_bytes = one; });
  EXPECT_EQ(proof(interim_fault(), Point::ResponseHead, open, {{"endless", "true"}}), "delivered");
}

TEST(Interim, SaysWhatMakesNoSense) {
  EXPECT_THAT(complaints(interim_fault(), Point::ResponseHead, {{"status", "101"}}),
              HasSubstr("a 101 is no interim answer"));
  EXPECT_THAT(
      complaints(interim_fault(), Point::ResponseHead, {{"endless", "true"}, {"gap", "0s"}}),
      HasSubstr("endless needs a gap"));
}

}  // namespace
}  // namespace mishap::server
