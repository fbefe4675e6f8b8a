#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

// Where it cuts and how that is proven is in cut_test.cpp.
namespace mishap::server {
namespace {

TEST(Reset, WaitsForWhatWasSentBeforeItDestroysTheRest) {
  EXPECT_EQ(planned(reset_fault(), Point::ResponseHead, {{"after", "4B"}}),
            R"(send head "HTTP" | await_acknowledged | reset_connection)");
}

TEST(Reset, IsNotTakenForAClose) {
  EXPECT_EQ(planned(reset_fault(), Point::AfterEffect), "reset_connection");
  EXPECT_EQ(proof(reset_fault(), Point::AfterEffect, unanswered(Ending::Reset)), "delivered");
  EXPECT_EQ(proof(reset_fault(), Point::AfterEffect, unanswered(Ending::Closed)),
            "no RST was sent");
}

TEST(Reset, LeavesDoubtExceptBehindAWholeAnswer) {
  const Params params = params_of(reset_fault(), {});
  EXPECT_FALSE(reset_fault().harmless(params, Point::Accept));
  EXPECT_TRUE(reset_fault().harmless(params, Point::AfterResponse));
}

}  // namespace
}  // namespace mishap::server
