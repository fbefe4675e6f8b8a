#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"
#include "server/faults/handshake_fixture.h"

namespace mishap::server {
namespace {

std::string answer(const Written& written, Steps steps = {Handshake{}}) {
  return planned(tls_alert_fault(), Point::Handshake, Moment::Accept, written, std::move(steps));
}

// RFC 8446 section 5.1: type, version, length; section 6: level and description.
TEST(TlsAlert, IsOneRecordInPlaceOfTheFlight) {
  EXPECT_EQ(answer({}), "handshake instead 15030300020228 | close_connection");
  EXPECT_EQ(answer({{"alert", "protocol_version"}}),
            "handshake instead 15030300020246 | close_connection");
  EXPECT_EQ(answer({{"alert", "unrecognized_name"}}),
            "handshake instead 15030300020270 | close_connection");
}

TEST(TlsAlert, HasACodeForEachOfItsNames) {
  const ParamSpec& spec = tls_alert_fault().params.at(0);
  std::string_view names = spec.choices;
  while (!names.empty()) {
    const auto end = std::min(names.find('|'), names.size());
    EXPECT_NE(answer({{"alert", std::string(names.substr(0, end))}}), "(nothing)");
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

TEST(TlsAlert, NeedsAHandshake) {
  EXPECT_EQ(answer({}, {}), "(nothing)");
}

TEST(TlsAlert, IsProvenByItsBytes) {
  const auto prove = [](const Connection& connection) {
    return proof(tls_alert_fault(), Point::Handshake, Exchange{}, {}, &connection);
  };
  EXPECT_EQ(prove(shaken("good", 7, 7)), "delivered");
  EXPECT_EQ(prove(shaken("good", 7, 0)), "0 of 7 bytes of the server's first flight went out");
  Connection finished = shaken("good", 1200, 1200);
  finished.tls->finished = std::chrono::milliseconds(3);
  EXPECT_EQ(prove(finished), "the handshake was finished");
  EXPECT_EQ(prove(without_hello()), "the client began no TLS handshake");
}

}  // namespace
}  // namespace mishap::server
