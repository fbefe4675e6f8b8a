#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using testing::HasSubstr;

TEST(Surplus, StandsBehindTheWholeAnswer) {
  EXPECT_THAT(planned(surplus_fault(), Point::AfterResponse, {{"bytes", "more"}}),
              testing::EndsWith(R"(send body "{"id":"bk_1"}" | send body "more" | finish)"));
  EXPECT_THAT(planned(surplus_fault(), Point::AfterResponse),
              HasSubstr(R"(| send body "HTTP/1.1 200 OK\r\n)"));
  EXPECT_EQ(proof(surplus_fault(), Point::AfterResponse, unanswered(Ending::Closed)),
            "the answer did not go out whole");
}

}  // namespace
}  // namespace mishap::server
