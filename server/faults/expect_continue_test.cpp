#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

const Steps kAsked = {Send{Part::Interim, "HTTP/1.1 100 Continue\r\n\r\n", 0, {}}, ReadBody{}};

std::string invited(const Written& written) {
  return planned(expect_continue_fault(), Point::RequestHead, Moment::Head, written, kAsked);
}

TEST(ExpectContinue, IsNotAnsweredOrOften) {
  const std::string one = R"(send interim "HTTP/1.1 100 Continue\r\n\r\n" | )";
  EXPECT_EQ(invited({}), "read_body");
  EXPECT_EQ(invited({{"how", "repeated"}, {"count", "2"}}), one + one + "read_body");
  EXPECT_EQ(planned(expect_continue_fault(), Point::RequestHead), "read_body");
}

TEST(ExpectContinue, NeedsAClientThatAsks) {
  const auto asking = [](std::uint64_t interim) {
    return changed(answered(), [interim](Exchange& e) {
      e.request.headers.push_back({"expect", "100-continue", false});
      e.receipt.interim_bytes = interim;
    });
  };
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, answered()),
            "the request did not ask for a 100");
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, asking(0)), "delivered");
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, asking(25)), "a 100 was sent");
  const Written often = {{"how", "repeated"}, {"count", "2"}};
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, asking(25), often),
            "fewer 100 went out than scripted");
  EXPECT_EQ(proof(expect_continue_fault(), Point::RequestHead, asking(50), often), "delivered");
}

}  // namespace
}  // namespace mishap::server
