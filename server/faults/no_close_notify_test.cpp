#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"
#include "server/faults/handshake_fixture.h"

namespace mishap::server {
namespace {

using testing::EndsWith;

TEST(NoCloseNotify, EndsBehindTheAnswerWithoutASignOfIt) {
  EXPECT_THAT(planned(no_close_notify_fault(), Point::AfterResponse),
              EndsWith(R"(send body "{"id":"bk_1"}" | close_connection without notice)"));
}

TEST(NoCloseNotify, CutsInsideTheAnswerAsWell) {
  EXPECT_THAT(planned(no_close_notify_fault(), Point::ResponseBody, {{"after", "3B"}}),
              EndsWith(R"(send body "{"i" | close_connection without notice)"));
  EXPECT_EQ(planned(no_close_notify_fault(), Point::BeforeEffect),
            "close_connection without notice");
}

TEST(NoCloseNotify, IsProvenWhenTheConnectionHasEnded) {
  const Exchange closed =
      changed(answered(), [](Exchange& e) { e.receipt.ending = Ending::Finished; });
  const auto prove = [&](const Connection* connection) {
    return proof(no_close_notify_fault(), Point::AfterResponse, closed, {}, connection);
  };
  Connection connection = shaken("good", 1200, 1200);
  EXPECT_EQ(prove(nullptr), "the connection had not ended yet");
  EXPECT_EQ(prove(&connection), "delivered");
  connection.tls->close_notify = std::chrono::milliseconds(8);
  EXPECT_EQ(prove(&connection), "a close_notify was sent");
  connection.tls.reset();
  EXPECT_EQ(prove(&connection), "the connection speaks plain HTTP");
}

TEST(NoCloseNotify, NeedsAFin) {
  Connection connection = shaken("good", 1200, 1200);
  EXPECT_EQ(proof(no_close_notify_fault(), Point::AfterResponse, answered(), {}, &connection),
            "no FIN was sent");
}

}  // namespace
}  // namespace mishap::server
