#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using testing::HasSubstr;

TEST(KeepAlive, IsSaidInTheHead) {
  EXPECT_THAT(planned(keep_alive_fault(), Point::ResponseHead, {{"timeout", "7s"}, {"max", "3"}}),
              HasSubstr("[Keep-Alive: timeout=7, max=3]"));
  EXPECT_THAT(planned(keep_alive_fault(), Point::ResponseHead),
              HasSubstr("[Keep-Alive: timeout=5]"));
}

}  // namespace
}  // namespace mishap::server
