#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::milliseconds;

const FaultDescriptor& fault() {
  return late_effect_fault();
}

TEST(LateEffect, WaitsAndThenTakesEffect) {
  EXPECT_EQ(planned(fault(), Point::BeforeEffect), "wait 3s | apply");
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, {{"after", "500ms"}}), "wait 500ms | apply");
}

TEST(LateEffect, IsProvenByTheEffectAloneWhoeverHasLeft) {
  const auto at = [](std::optional<Duration> applied) {
    return changed(unanswered(Ending::ClientLeft), [&](Exchange& e) {
      e.applied = applied;
      e.receipt.departed = milliseconds(500);
    });
  };
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, at(milliseconds(3010))), "delivered");
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, at(milliseconds(3009))),
            "the effect came after 2.999s, not after 3s");
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, at(std::nullopt)), "the effect never came");
}

TEST(LateEffect, NeedsAUnit) {
  EXPECT_NE(complaints(fault(), Point::BeforeEffect, {{"after", "3"}}), "");
}

}  // namespace
}  // namespace mishap::server
