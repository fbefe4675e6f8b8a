#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

// Where it cuts and how that is proven is in cut_test.cpp.
namespace mishap::server {
namespace {

TEST(Stall, HoldsBackEveryByteBehindTheEffect) {
  EXPECT_EQ(planned(stall_fault(), Point::AfterEffect), "stall");
  EXPECT_EQ(proof(stall_fault(), Point::AfterEffect, unanswered(Ending::Stalled)), "delivered");
}

TEST(Stall, BeforeTheEffectNeverLetsItHappen) {
  EXPECT_EQ(planned(stall_fault(), Point::BeforeEffect), "stall");
  EXPECT_EQ(proof(stall_fault(), Point::BeforeEffect, unanswered(Ending::Stalled)),
            "it took effect");
}

TEST(Stall, IsNotOverWhenTheServerEndsIt) {
  EXPECT_EQ(proof(stall_fault(), Point::AfterEffect, unanswered(Ending::Closed)),
            "the connection was not held silently");
}

TEST(Stall, MakesNoSenseBehindTheAnswer) {
  for (const Point point : stall_fault().points) EXPECT_NE(point, Point::AfterResponse);
}

}  // namespace
}  // namespace mishap::server
