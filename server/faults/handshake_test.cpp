#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mishap/server.h"
#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"
#include "server/faults/handshake_fixture.h"

// Close, reset and stall inside of a handshake, and where a scenario may speak of one.
namespace mishap::server {
namespace {

using testing::HasSubstr;

std::string cut_by(const FaultDescriptor& fault, const Written& written = {},
                   Steps steps = {Handshake{}}) {
  return planned(fault, Point::Handshake, Moment::Accept, written, std::move(steps));
}

TEST(HandshakeCut, LetsSoMuchOfTheFlightOutAndEnds) {
  EXPECT_EQ(cut_by(close_fault(), {{"after", "37B"}}), "handshake cut at 37B | close_connection");
  EXPECT_EQ(cut_by(stall_fault(), {{"after", "0B"}}), "handshake cut at 0B | stall");
  EXPECT_EQ(cut_by(reset_fault()), "handshake cut at 50% | await_acknowledged | reset_connection");
  EXPECT_EQ(cut_by(reset_fault(), {}, {}), "(nothing)");
}

TEST(HandshakeCut, TakesBytesOrAShareAndNoPartOfAnAnswer) {
  EXPECT_EQ(complaints(close_fault(), Point::Handshake, {{"after", "37B"}}), "");
  EXPECT_EQ(complaints(close_fault(), Point::Handshake, {{"after", "100%"}}), "");
  EXPECT_THAT(complaints(close_fault(), Point::Handshake, {{"after", "header 2"}}),
              HasSubstr("it is bytes (37B) or a share (50%)"));
  EXPECT_THAT(complaints(close_fault(), Point::Accept, {{"after", "37B"}}),
              HasSubstr("only at handshake, request_body, response_head and response_body"));
}

TEST(HandshakeCut, IsProvenByTheBytesThatWentOut) {
  const auto prove = [](const Connection& connection, const std::string& after) {
    return proof(close_fault(), Point::Handshake, Exchange{}, {{"after", after}}, &connection);
  };
  EXPECT_EQ(prove(shaken("good", 1200, 37), "37B"), "delivered");
  EXPECT_EQ(prove(shaken("good", 1200, 600), "50%"), "delivered");
  EXPECT_EQ(prove(shaken("good", 1200, 36), "37B"),
            "36 bytes of the server's first flight went out, not 37");
  EXPECT_EQ(prove(shaken("good", 1200, 1200), "1300B"),
            "the server's first flight has 1200 bytes: nothing of it lies behind \"after\"");
  Connection left = shaken("good", 1200, 37);
  left.departed = std::chrono::milliseconds(2);
  EXPECT_EQ(prove(left, "37B"), "the client left first");
}

std::string lint(const std::string& api, const std::string& rule) {
  const auto loaded = scenarios::load_scenario_text(
      "t.yaml", "mishap: 1\nscenario: t\napi: " + api + "\nfaults:\n  - " + rule + "\n", ".", {});
  if (!loaded.scenario) return render(loaded.diagnostics.at(0));
  const Diagnostics wrong = check_scenario(*loaded.scenario);
  return wrong.empty() ? "" : render(wrong.at(0));
}

TEST(TlsFaults, NeedAnApiThatSpeaksTls) {
  for (const std::string rule :
       {"{on: any, fault: certificate}", "{on: any, at: handshake, do: reset}",
        "{on: any, fault: no_close_notify}"}) {
    EXPECT_THAT(lint("any", rule), HasSubstr("api \"any\" speaks plain HTTP")) << rule;
    EXPECT_EQ(lint("{from: any, tls: true}", rule), "") << rule;
  }
}

TEST(TlsFaults, KnowConnectionsAndNoRequests) {
  const std::string api = "{from: any, tls: true}";
  EXPECT_THAT(lint(api, "{on: any, when: {request: 1}, fault: certificate}"),
              HasSubstr("\"request\" is not known at handshake"));
  EXPECT_THAT(lint(api, "{on: POST /x, fault: certificate}"), HasSubstr("at handshake no request"));
  EXPECT_EQ(lint(api, "{on: any, when: {connection: 1..2}, fault: certificate}"), "");
}

TEST(TlsFaults, HaveNoPlaceBehindARuleThatEndsTheConnection) {
  const std::string rules = "{on: any, at: accept, do: reset}\n  - {on: any, fault: certificate}";
  EXPECT_THAT(lint("{from: any, tls: true}", rules), HasSubstr("certificate"));
}

}  // namespace
}  // namespace mishap::server
