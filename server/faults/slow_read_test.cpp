#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

TEST(SlowRead, ReadsTheBodyInSlices) {
  EXPECT_EQ(planned(slow_read_fault(), Point::RequestBody), "read_body by 1B every 1s");
  EXPECT_EQ(planned(slow_read_fault(), Point::RequestBody, {{"slice", "8B"}, {"gap", "20ms"}}),
            "read_body by 8B every 20ms");
}

// The fixture's head is read at 9 ms.
Exchange read_by(std::optional<Duration> end, std::uint64_t bytes) {
  return changed(answered(), [&](Exchange& e) {
    e.request.body_bytes = bytes;
    e.request_read = end;
  });
}

std::string said(const Exchange& exchange) {
  return proof(slow_read_fault(), Point::RequestBody, exchange, {{"slice", "4B"}, {"gap", "10ms"}});
}

TEST(SlowRead, IsProvenByTheTimeThatTheBodyTook) {
  EXPECT_EQ(said(read_by(29ms, 12)), "delivered");
  EXPECT_EQ(said(read_by(29ms, 13)), "the end of the request came after 20ms, not after 30ms");
  EXPECT_EQ(said(read_by(29ms, 4)), "the body fits into one slice");
}

TEST(SlowRead, HasBeenMetByAClientThatLeft) {
  Exchange exchange = read_by({}, 8);
  EXPECT_EQ(said(exchange), "the body was not read to its end");
  exchange.receipt.departed = 20ms;
  EXPECT_EQ(said(exchange), "delivered");
}

}  // namespace
}  // namespace mishap::server
