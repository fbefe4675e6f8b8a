#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

TEST(CarriedOutTwice, LetsItTakeEffectAndOnceMore) {
  EXPECT_EQ(planned(carried_out_twice_fault(), Point::BeforeEffect), "apply | apply");
  EXPECT_EQ(planned(carried_out_twice_fault(), Point::BeforeEffect, Moment::Request, {},
                    {Wait{std::chrono::seconds(1)}, Finish{}}),
            "wait 1s | finish");
}

TEST(CarriedOutTwice, IsProvenByTwoEffects) {
  const auto with = [](std::vector<std::uint64_t> effects) {
    return proof(carried_out_twice_fault(), Point::BeforeEffect,
                 changed(answered(), [&](Exchange& e) { e.effects = std::move(effects); }));
  };
  EXPECT_EQ(with({1, 2}), "delivered");
  EXPECT_EQ(with({1}), "it took effect once");
  EXPECT_EQ(with({}), "it took no effect");
}

}  // namespace
}  // namespace mishap::server
