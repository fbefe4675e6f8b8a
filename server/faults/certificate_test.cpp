#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"
#include "server/faults/handshake_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::seconds;

std::string shown(const Written& written, Steps steps = {Handshake{}}) {
  return planned(certificate_fault(), Point::Handshake, Moment::Accept, written, std::move(steps));
}

TEST(Certificate, IsShownInTheHandshakeThatGoesOn) {
  EXPECT_EQ(shown({}), "handshake expired");
  EXPECT_EQ(shown({{"how", "unknown_ca"}}), "handshake unknown_ca");
  EXPECT_EQ(shown({}, {Wait{seconds(1)}, Handshake{}}), "wait 1s | handshake expired");
}

TEST(Certificate, FindsNothingToSpoilWhereThereIsNoHandshake) {
  EXPECT_EQ(shown({}, {}), "(nothing)");
  EXPECT_EQ(shown({}, {ResetConnection{}}), "reset_connection");
}

TEST(Certificate, IsProvenByAFlightThatWentOutWhole) {
  const auto prove = [](Connection connection) {
    return proof(certificate_fault(), Point::Handshake, Exchange{}, {}, &connection);
  };
  EXPECT_EQ(prove(shaken("expired", 1200, 1200)), "delivered");
  Connection accepted = shaken("expired", 1200, 1200);
  accepted.exchanges = 1;  // of a client that does not look
  EXPECT_EQ(prove(accepted), "delivered");
  EXPECT_EQ(prove(shaken("good", 1200, 1200)), "another certificate was shown");
  EXPECT_EQ(prove(shaken("expired", 1200, 700)),
            "700 of 1200 bytes of the server's first flight went out");
  EXPECT_EQ(prove(without_hello()), "the client began no TLS handshake");
  EXPECT_EQ(prove(Connection{}), "the connection speaks plain HTTP");
}

}  // namespace
}  // namespace mishap::server
