#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

// Where it cuts and how that is proven is in cut_test.cpp.
namespace mishap::server {
namespace {

TEST(Close, EndsWithAFinAndIsNotTakenForAReset) {
  EXPECT_EQ(planned(close_fault(), Point::AfterEffect), "close_connection");
  EXPECT_EQ(proof(close_fault(), Point::AfterEffect, unanswered(Ending::Closed)), "delivered");
  EXPECT_EQ(proof(close_fault(), Point::AfterEffect, unanswered(Ending::Reset)), "no FIN was sent");
}

TEST(Close, LeavesDoubtExceptBehindAWholeAnswer) {
  const Params params = params_of(close_fault(), {});
  EXPECT_FALSE(close_fault().harmless(params, Point::AfterEffect));
  EXPECT_TRUE(close_fault().harmless(params, Point::AfterResponse));
}

TEST(Close, MayCloseItsOwnSideOnly) {
  EXPECT_EQ(planned(close_fault(), Point::AfterEffect, {{"half", "true"}}),
            "half_close_connection");
}

}  // namespace
}  // namespace mishap::server
