#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/model_fault_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Capacity, WaitsOrTurnsAway) {
  EXPECT_EQ(ruled(capacity_fault(), Point::BeforeEffect, {{"each", "50ms"}}, wait_of(100ms, false)),
            "wait 100ms | apply");
  EXPECT_THAT(ruled(capacity_fault(), Point::BeforeEffect, {{"limit", "3"}, {"retry_after", "1"}},
                    wait_of({}, true)),
              StartsWith("answer 503 [Content-Type: application/problem+json] [Retry-After: 1]"));
}

TEST(Capacity, IsProvenByItsReadings) {
  const auto said = [](double refused, double wait, const Exchange& exchange) {
    return proof(capacity_fault(), Point::BeforeEffect,
                 met(capacity_fault(), Point::BeforeEffect, {{"refused", refused}, {"wait", wait}},
                     exchange),
                 {{"limit", "3"}});
  };
  EXPECT_EQ(said(1, 0, refused_with(503)), "delivered");
  EXPECT_EQ(said(1, 0, refused_with(200)), "the answer was a 200");
  EXPECT_EQ(said(1, 0, answered()), "it took effect");
  // The fixture's effect comes 1 ms after its request.
  EXPECT_EQ(said(0, 0.001, answered()), "delivered");
  EXPECT_EQ(said(0, 0.002, answered()), "the effect came after 1ms, not after 2ms");
}

TEST(Capacity, NeedsToBeLimitedSomehow) {
  EXPECT_THAT(complaints(capacity_fault(), Point::BeforeEffect, {}),
              HasSubstr("it needs \"each\""));
  EXPECT_THAT(
      complaints(capacity_fault(), Point::BeforeEffect, {{"each", "1s"}, {"retry_after", "1"}}),
      HasSubstr("says nothing without \"limit\""));
}

}  // namespace
}  // namespace mishap::server
