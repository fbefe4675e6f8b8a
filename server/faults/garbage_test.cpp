#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Garbage, TakesThePlaceOfWhatIsLeftOut) {
  EXPECT_EQ(planned(garbage_fault(), Point::ResponseHead),
            R"(send head "" | send head "SSH-2.0-OpenSSH_9.2" | close_connection)");
  EXPECT_EQ(planned(garbage_fault(), Point::ResponseHead,
                    {{"after", "status line"}, {"hex", "4142"}, {"then", "rst"}}),
            R"(send head "HTTP/1.1 201 Created\r\n" | send head "AB" | await_acknowledged | )"
            "reset_connection");
  EXPECT_THAT(planned(garbage_fault(), Point::ResponseBody, {{"after", "4B"}, {"then", "stall"}}),
              HasSubstr(R"(send body "{"id" | send body "SSH-2.0-OpenSSH_9.2" | stall)"));
}

TEST(Garbage, LeavesAnAnswerAloneWhereItsPlaceIsNot) {
  const std::string whole = planned(garbage_fault(), Point::ResponseBody, {{"after", "900B"}});
  EXPECT_THAT(whole, testing::EndsWith("finish"));
  EXPECT_THAT(whole, Not(HasSubstr("SSH")));
  EXPECT_EQ(proof(garbage_fault(), Point::ResponseBody, answered()),
            "the answer went out as the well vendor gives it");
}

TEST(Garbage, WantsPairsOfHexDigits) {
  for (const char* hex : {"4", "4g", "0x41", "", "41 42"}) {
    EXPECT_THAT(complaints(garbage_fault(), Point::ResponseHead, {{"hex", hex}}),
                HasSubstr("hex wants pairs"))
        << hex;
  }
}

}  // namespace
}  // namespace mishap::server
