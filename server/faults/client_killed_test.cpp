#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

const FaultDescriptor& fault() {
  return client_killed_fault();
}

constexpr Duration kAt = std::chrono::milliseconds(11);

Exchange with(const std::string& name, std::optional<Duration> sent, bool gone) {
  ClientSignal signal;
  signal.name = name;
  signal.asked = kAt;
  signal.sent = sent;
  signal.gone = gone;
  return changed(answered(), [&](Exchange& e) { e.receipt.signals = {signal}; });
}

TEST(ClientKilled, IsSignalledBeforeTheEffectWhichComesAllTheSame) {
  EXPECT_EQ(planned(fault(), Point::BeforeEffect), "signal_client SIGKILL | apply");
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, {{"restart", "300ms"}}),
            "signal_client SIGKILL, restart 300ms | apply");
}

TEST(ClientKilled, MayTakeTheRequestWithIt) {
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, {{"carried_out", "false"}}),
            "signal_client SIGKILL | close_connection");
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, {{"carried_out", "true"}}),
            "signal_client SIGKILL | apply");
  EXPECT_NE(complaints(fault(), Point::AfterEffect, {{"carried_out", "false"}}), "");
}

TEST(ClientKilled, IsSignalledBeforeItsAnswerOrBehindIt) {
  const std::string before = planned(fault(), Point::AfterEffect);
  EXPECT_TRUE(before.starts_with("signal_client SIGKILL | send head")) << before;
  const std::string behind = planned(fault(), Point::AfterResponse, {{"after", "400ms"}});
  EXPECT_TRUE(behind.ends_with("await_acknowledged | wait 400ms | signal_client SIGKILL | finish"))
      << behind;
}

TEST(ClientKilled, IsProvenByWhoeverRunsTheClient) {
  const auto told = [](const Exchange& exchange) {
    return proof(fault(), Point::BeforeEffect, exchange);
  };
  EXPECT_EQ(told(with("SIGKILL", kAt, true)), "delivered");
  EXPECT_EQ(told(with("SIGKILL", kAt, false)), "the client was still there after SIGKILL");
  EXPECT_EQ(told(with("SIGKILL", std::nullopt, false)),
            "nobody here runs the client: `mishap test` does, and can signal it");
  EXPECT_EQ(told(with("SIGKILL", std::nullopt, true)),
            "the client had ended before SIGKILL was due");
  EXPECT_EQ(told(answered()), "the exchange was over before SIGKILL was due");
}

// It may take its time over a signal that can be caught.
TEST(ClientKilled, NeedNotBeGoneAfterASignalThatCanBeCaught) {
  const Exchange told = with("SIGTERM", kAt, false);
  EXPECT_EQ(proof(fault(), Point::AfterResponse, told, {{"signal", "SIGTERM"}}), "delivered");
  EXPECT_EQ(proof(fault(), Point::AfterResponse, told, {{"signal", "SIGINT"}}),
            "the exchange was over before SIGINT was due");
}

}  // namespace
}  // namespace mishap::server
