#include "server/wire/tls_on_the_wire_fixture.h"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <vector>

// The faults of a handshake: certificates, a flight that is cut, something else in its place.
namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;
using End = RawClient::End;

const std::string kHello = TlsClient::hello();

// Certificates.

struct Bad {
  std::string how;
  long verify_error;
  std::uint64_t alert;
};

class BadCertificate : public TlsOnTheWire, public testing::WithParamInterface<Bad> {};

TEST_P(BadCertificate, IsRefusedByWhoeverLooksAndProven) {
  const auto& [how, verify_error, alert] = GetParam();
  begin_with("fault: {kind: certificate, how: " + how + "}");
  {
    TlsClient careful = client();
    EXPECT_FALSE(careful.handshake());
    EXPECT_EQ(careful.verify_error(), verify_error)
        << X509_verify_cert_error_string(careful.verify_error());
  }
  next_connection_is_clean();
  const Journal seen = ended_journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
  const TlsFacts& facts = *seen.connections.at(0).tls;
  EXPECT_EQ(facts.certificate, how);
  EXPECT_EQ(facts.client_alert, alert) << facts.failure;
  EXPECT_FALSE(facts.finished);
  EXPECT_EQ(seen.connections.at(0).exchanges, 0U);
}

TEST_P(BadCertificate, IsTakenByWhoeverDoesNotLookAndThatIsInTheJournal) {
  begin_with("fault: {kind: certificate, how: " + GetParam().how + "}");
  TlsClient careless(port(), {.ca = ""});
  ASSERT_TRUE(careless.handshake()) << careless.error();
  careless.send(post_booking());
  EXPECT_THAT(careless.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  careless.raw().close();
  const Journal seen = ended_journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
  EXPECT_TRUE(seen.connections.at(0).tls->finished);
  EXPECT_EQ(seen.exchanges.at(0).connection, seen.connections.at(0).number);
}

INSTANTIATE_TEST_SUITE_P(
    Tls, BadCertificate,
    testing::Values(Bad{"self_signed", X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, 48},
                    Bad{"expired", X509_V_ERR_CERT_HAS_EXPIRED, 45},
                    Bad{"not_yet_valid", X509_V_ERR_CERT_NOT_YET_VALID, 42},
                    Bad{"wrong_name", X509_V_ERR_HOSTNAME_MISMATCH, 42},
                    Bad{"incomplete_chain", X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, 48},
                    Bad{"unknown_ca", X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, 48}),
    [](const auto& row) { return row.param.how; });

// The first flight, cut.

struct Cut {
  std::string action;
  std::size_t bytes;
  End end;
};

class CutFlight : public TlsOnTheWire, public testing::WithParamInterface<Cut> {};

TEST_P(CutFlight, ReachesASocketUpToExactlyThatByte) {
  const auto& [action, bytes, end] = GetParam();
  begin_with("at: handshake, do: " + action + ", after: " + std::to_string(bytes) + "B");
  RawClient raw(port());
  raw.send(kHello);
  raw.receive_bytes(bytes);
  const std::string got = end == End::Open ? raw.receive_for(150ms) : raw.receive_to_end();
  EXPECT_EQ(got.size(), bytes);
  EXPECT_EQ(got.substr(0, 3), std::string("\x16\x03\x03").substr(0, bytes));  // a handshake record
  EXPECT_EQ(raw.end(), end);
  raw.close();
  next_connection_is_clean();
  const Journal seen = ended_journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
  const TlsFacts& facts = *seen.connections.at(0).tls;
  EXPECT_EQ(facts.flight_sent, bytes);
  EXPECT_GT(facts.flight_planned, bytes);
  EXPECT_FALSE(facts.finished);
  EXPECT_FALSE(facts.close_notify);
}

// Silence it would wait out for ever.
class EndedFlight : public CutFlight {};

TEST_P(EndedFlight, FailsATlsClient) {
  const auto& [action, bytes, end] = GetParam();
  begin_with("at: handshake, do: " + action + ", after: " + std::to_string(bytes) + "B");
  TlsClient one = client();
  EXPECT_FALSE(one.handshake());
  EXPECT_EQ(one.error(), "the connection ended");
  EXPECT_EQ(one.raw().end(), end);
}

std::vector<Cut> cuts(bool silent_too) {
  std::vector<Cut> all;
  for (const std::size_t bytes : {0U, 1U, 5U, 9U, 128U, 700U}) {
    all.push_back({"close", bytes, End::Fin});
    all.push_back({"reset", bytes, End::Reset});
    if (silent_too) all.push_back({"stall", bytes, End::Open});
  }
  return all;
}

std::string name_of_cut(const testing::TestParamInfo<Cut>& row) {
  return row.param.action + "_" + std::to_string(row.param.bytes);
}

INSTANTIATE_TEST_SUITE_P(Tls, CutFlight, testing::ValuesIn(cuts(true)), name_of_cut);
INSTANTIATE_TEST_SUITE_P(Tls, EndedFlight, testing::ValuesIn(cuts(false)), name_of_cut);

TEST_F(TlsOnTheWire, AShareOfTheFlightIsCutAsWell) {
  begin_with("at: handshake, do: close");
  RawClient raw(port());
  raw.send(kHello);
  const std::size_t got = raw.receive_to_end().size();
  raw.close();
  const Journal seen = ended_journal();
  const TlsFacts& facts = *seen.connections.at(0).tls;
  EXPECT_EQ(got, facts.flight_planned / 2);
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
}

TEST_F(TlsOnTheWire, APlaceBehindTheFlightIsNotProven) {
  begin_with("at: handshake, do: close, after: 100000B");
  RawClient raw(port());
  raw.send(kHello);
  raw.receive_to_end();
  raw.close();
  const Journal seen = ended_journal();
  EXPECT_FALSE(hit_of(seen).delivered);
  EXPECT_THAT(hit_of(seen).shortfall, HasSubstr("nothing of it lies behind"));
}

TEST_F(TlsOnTheWire, AHelloThatNeverCameProvesNothing) {
  begin_with("at: handshake, do: stall, after: 0B");
  RawClient silent(port());
  silent.close();
  const Journal seen = ended_journal();
  EXPECT_FALSE(hit_of(seen).delivered);
  EXPECT_EQ(hit_of(seen).shortfall, "the client began no TLS handshake");
}

// Something else in its place.

TEST_F(TlsOnTheWire, AnAlertOfChoiceIsAllThatComes) {
  begin_with("fault: {kind: tls_alert, alert: protocol_version}");
  RawClient raw(port());
  raw.send(kHello);
  EXPECT_EQ(raw.receive_to_end(), std::string("\x15\x03\x03\x00\x02\x02\x46", 7));
  EXPECT_EQ(raw.end(), End::Fin);
  raw.close();
  next_connection_is_clean();
  const Journal seen = ended_journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
}

TEST_F(TlsOnTheWire, AnAlertIsUnderstoodByATlsClient) {
  begin_with("fault: {kind: tls_alert, alert: unrecognized_name}");
  TlsClient one = client();
  EXPECT_FALSE(one.handshake());
  EXPECT_THAT(one.error(), HasSubstr("unrecognized name"));
}

TEST_F(TlsOnTheWire, PlainBytesAreNoTls) {
  begin_with("fault: plain_bytes");
  {
    TlsClient one = client();
    EXPECT_FALSE(one.handshake());
    EXPECT_THAT(one.error(), HasSubstr("wrong version number"));
  }
  next_connection_is_clean();
  const Journal seen = ended_journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
}

TEST_F(TlsOnTheWire, PlainBytesAreThoseOfTheScenario) {
  begin_with("fault: {kind: plain_bytes, text: \"220 ready\\r\\n\"}");
  RawClient raw(port());
  raw.send(kHello);
  EXPECT_EQ(raw.receive_to_end(), "220 ready\r\n");
  EXPECT_EQ(raw.end(), End::Fin);
}

}  // namespace
}  // namespace mishap::server
