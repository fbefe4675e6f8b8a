#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/model_fault_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::StartsWith;

TEST(Barrier, HoldsBehindEarlierWaitsUntilItsEvent) {
  Ruling ruling = wait_of(4s, false);
  ruling.event = 7;
  EXPECT_EQ(ruled(barrier_fault(), Point::BeforeEffect, {{"count", "3"}}, ruling),
            "wait_for_event 7 up to 4s | apply");
  EXPECT_EQ(ruled(barrier_fault(), Point::RequestHead, {{"count", "3"}}, ruling),
            "wait_for_event 7 up to 4s | read_body");
  EXPECT_THAT(ruled(barrier_fault(), Point::AfterEffect, {{"count", "3"}}, ruling),
              StartsWith("wait_for_event 7 up to 4s | send head"));
}

TEST(Barrier, IsProvenWhereAllCameBeforeTheFirstAnswer) {
  const auto said = [](std::vector<Reading> readings, Ending ending = Ending::KeptAlive) {
    Exchange exchange = answered();
    exchange.receipt.ending = ending;
    exchange.receipt.ended.reset();
    if (ending != Ending::Open) exchange.receipt.ended = 2s;
    return proof(barrier_fault(), Point::BeforeEffect,
                 met(barrier_fault(), Point::BeforeEffect, std::move(readings), exchange),
                 {{"count", "3"}, {"within", "2s"}});
  };
  // The fixture answers at 12 ms.
  EXPECT_EQ(said({{"come", 3}, {"opened", 0.0119}}), "delivered");
  EXPECT_EQ(said({{"come", 3}, {"opened", 0.0121}}),
            "it was answered before the last of them had come");
  EXPECT_EQ(said({{"come", 2}}), "only 2 of 3 came within 2s");
  EXPECT_EQ(said({{"come", 2}}, Ending::Open), "only 2 of 3 came before the run ended");
  EXPECT_EQ(said({{"come", 2}}, Ending::ClientLeft), "only 2 of 3 came before this client left");
  EXPECT_EQ(said({}), "who came is not recorded");
}

}  // namespace
}  // namespace mishap::server
