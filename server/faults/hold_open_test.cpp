#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

TEST(HoldOpen, SaysCloseAndWaits) {
  EXPECT_EQ(planned(hold_open_fault(), Point::AfterResponse, {{"for", "2s"}}),
            R"(send head "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n)"
            R"(Content-Length: 13\r\nConnection: close\r\n\r\n" | )"
            R"(send body "{"id":"bk_1"}" | wait 2s | close_connection)");
  const auto held = [](Duration until) {
    return changed(answered(), [until](Exchange& e) {
      e.answer.changed = true;
      e.receipt.ending = Ending::Finished;
      e.receipt.ended = until;
    });
  };
  EXPECT_EQ(proof(hold_open_fault(), Point::AfterResponse, held(milliseconds(5012))), "delivered");
  EXPECT_THAT(proof(hold_open_fault(), Point::AfterResponse, held(seconds(2))),
              HasSubstr("not after 5s"));
  Exchange left = held(milliseconds(28));
  left.receipt.departed = milliseconds(28);
  left.receipt.ending = Ending::ClientLeft;
  EXPECT_EQ(proof(hold_open_fault(), Point::AfterResponse, left), "delivered");
}

}  // namespace
}  // namespace mishap::server
