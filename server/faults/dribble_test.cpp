#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::milliseconds;

const FaultDescriptor& fault() {
  return dribble_fault();
}

TEST(Dribble, SlicesTheBodyOrTheWholeAnswer) {
  const std::string head = std::string("send head ") + kOrdinaryHead;
  const std::string body = R"(send body "{"id":"bk_1"}")";
  EXPECT_EQ(planned(fault(), Point::ResponseBody),
            head + " | " + body + " by 1B every 200ms | finish");
  EXPECT_EQ(planned(fault(), Point::ResponseHead, {{"slice", "4B"}, {"gap", "50ms"}}),
            head + " by 4B every 50ms | " + body + " by 4B every 50ms | finish");
}

// 13 bytes of body one by one: twelve gaps of 200 ms.
TEST(Dribble, IsProvenByTheTimeBetweenFirstAndLastWrite) {
  const auto lasting = [](Duration length) {
    return changed(answered(), [length](Exchange& e) {
      e.receipt.last_write = *e.receipt.first_write + length;
    });
  };
  EXPECT_EQ(proof(fault(), Point::ResponseBody, lasting(milliseconds(2400))), "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, lasting(milliseconds(2399))),
            "delivered");  // the first a moment late
  EXPECT_EQ(proof(fault(), Point::ResponseBody, lasting(milliseconds(2200))),
            "the last slice came after 2.2s, not after 2.3s");
  EXPECT_EQ(proof(fault(), Point::ResponseHead, lasting(milliseconds(200)), {{"slice", "50B"}}),
            "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseHead, lasting(milliseconds(5)), {{"slice", "50B"}}),
            "the last slice came after 5ms, not after 100ms");
}

TEST(Dribble, NeedsMoreThanOneSlice) {
  EXPECT_EQ(proof(fault(), Point::ResponseBody, answered(), {{"slice", "13B"}}),
            "the answer fits into one slice");
  EXPECT_EQ(proof(fault(), Point::ResponseHead, answered(), {{"slice", "113B"}}),
            "the answer fits into one slice");
  const Exchange bare = changed(answered(), [](Exchange& e) { e.answer.body_bytes = 0; });
  EXPECT_EQ(proof(fault(), Point::ResponseBody, bare), "the answer fits into one slice");
}

TEST(Dribble, IsMetByAClientThatLeftInTheMiddle) {
  const auto part = [](bool left) {
    return changed(answered(), [left](Exchange& e) {
      e.receipt.bytes_written = 103;
      e.receipt.delivery = Delivery::PartOfBody;
      if (left) e.receipt.departed = milliseconds(700);
    });
  };
  EXPECT_EQ(proof(fault(), Point::ResponseBody, part(true)), "delivered");
  EXPECT_EQ(proof(fault(), Point::ResponseBody, part(false)), "the answer broke off");
  const Exchange early = changed(unanswered(Ending::ClientLeft),
                                 [](Exchange& e) { e.receipt.departed = milliseconds(1); });
  EXPECT_EQ(proof(fault(), Point::ResponseBody, early), "not a byte of the answer went out");
}

TEST(Dribble, NeedsRealSlicesAndGaps) {
  EXPECT_EQ(complaints(fault(), Point::ResponseBody, {{"slice", "0B"}}), "slice is at least 1B");
  EXPECT_EQ(complaints(fault(), Point::ResponseBody, {{"gap", "0ms"}}), "gap is at least 1ms");
  EXPECT_NE(complaints(fault(), Point::ResponseBody, {{"slice", "4"}}), "");
}

}  // namespace
}  // namespace mishap::server
