#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

const FaultDescriptor& fault() {
  return truncated_body_fault();
}

std::string whole_head() {
  return std::string("send head ") + kOrdinaryHead;
}

TEST(TruncatedBody, PromisesTheWholeLengthAndSendsHalf) {
  EXPECT_EQ(planned(fault(), Point::ResponseBody),
            whole_head() + R"( | send body "{"id":" | close_connection)");
}

TEST(TruncatedBody, CutsAfterNBytesAndEndsAsItIsTold) {
  const auto with = [](const std::string& then) {
    return planned(fault(), Point::ResponseBody, {{"after", "1B"}, {"then", then}});
  };
  EXPECT_EQ(with("fin"), whole_head() + R"( | send body "{" | close_connection)");
  EXPECT_EQ(with("rst"),
            whole_head() + R"( | send body "{" | await_acknowledged | reset_connection)");
  EXPECT_EQ(with("stall"), whole_head() + R"( | send body "{" | stall)");
}

TEST(TruncatedBody, IsProvenByPartOfTheBodyAndItsEnding) {
  const auto cut = [](Ending ending) {
    return changed(answered(), [ending](Exchange& e) {
      e.receipt.delivery = Delivery::PartOfBody;
      e.receipt.bytes_planned = e.receipt.bytes_written = 106;
      e.receipt.ending = ending;
    });
  };
  EXPECT_EQ(proof(fault(), Point::ResponseBody, cut(Ending::Closed)), "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, cut(Ending::Reset)), "no FIN was sent");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, cut(Ending::Reset), {{"then", "rst"}}),
            "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, cut(Ending::Stalled), {{"then", "stall"}}),
            "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, answered()),
            "the answer went out whole: nothing of its body lies behind \"after\"");
}

TEST(TruncatedBody, RefusesAPlaceWithoutUnitOrBehindTheEnd) {
  EXPECT_NE(complaints(fault(), Point::ResponseBody, {{"after", "10"}}), "");
  EXPECT_EQ(complaints(fault(), Point::ResponseBody, {{"after", "100%"}}),
            "after: 100% of the body leaves nothing to cut");
  EXPECT_NE(complaints(fault(), Point::ResponseBody, {{"then", "reset"}}), "");
}

}  // namespace
}  // namespace mishap::server
