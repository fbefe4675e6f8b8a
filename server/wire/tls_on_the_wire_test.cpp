#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <memory>
#include <string>

#include "mishap/scenario.h"
#include "mishap/server.h"
#include "server/wire/raw_client.h"
#include "server/wire/tls_client.h"

// The faults of a handshake through the real engine: what a TLS client and a socket that is nothing
// but a socket see of them, and what the journal says.
namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;
using End = RawClient::End;

const std::string kHello = TlsClient::hello();

std::string post(const std::string& fields = "", const std::string& body = "{}") {
  return "POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class TlsOnTheWire : public testing::Test {
 protected:
  // `rule` without its dash; empty: nothing goes wrong.
  void begin(const std::string& rule, const std::string& tls = "true") {
    std::string text = "mishap: 1\nscenario: t\napi: {from: any, tls: " + tls + "}\n";
    if (!rule.empty()) text += "faults:\n  - " + rule + "\n";
    auto loaded = scenarios::load_scenario_text("t.yaml", text, ".", {});
    ASSERT_TRUE(loaded.scenario) << render(loaded.diagnostics.at(0));
    const auto wrong = check_scenario(*loaded.scenario);
    ASSERT_FALSE(has_errors(wrong)) << render(wrong.at(0));
    auto server = start_server(clock_);
    ASSERT_TRUE(server);
    server_ = std::move(*server);
    auto run = server_->begin(*loaded.scenario, {.seed = 3, .token = "t"});
    ASSERT_TRUE(run) << run.error().message;
    run_ = std::move(*run);
  }
  // On the first connection.
  void begin_with(const std::string& fault) {
    begin("{on: any, when: {connection: 1}, " + fault + "}");
  }

  Port port() const { return run_->addresses().at(0).port; }
  TlsClient client(const std::string& host = "localhost") {
    return TlsClient(port(), {.ca = run_->ca(), .host = host});
  }

  void next_connection_is_clean() {
    TlsClient next(port(), {.ca = run_->ca()});
    ASSERT_TRUE(next.handshake()) << next.error();
    next.send(post("Connection: close\r\n"));
    EXPECT_THAT(next.receive_to_end(), StartsWith("HTTP/1.1 201"));
    EXPECT_TRUE(next.saw_close_notify());
    EXPECT_EQ(next.raw().end(), End::Fin);
  }

  // Once all connections have ended.
  Journal journal() {
    const auto all_ended = [](const Journal& seen) {
      return !seen.connections.empty() &&
             std::ranges::all_of(seen.connections,
                                 [](const Connection& c) { return c.closed.has_value(); });
    };
    EXPECT_TRUE(run_->wait(all_ended, 10s));
    return run_->end();
  }
  // The first connection, whose one rule was met.
  static const RuleHit& hit_of(const Journal& journal) {
    const auto& rules = journal.connections.at(0).rules;
    return rules.at(0);
  }

  SystemClock clock_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<server::Run> run_;
};

// Healthy.

TEST_F(TlsOnTheWire, ServesAClientThatTrustsItsAuthority) {
  begin("");
  EXPECT_THAT(run_->addresses().at(0).url, StartsWith("https://127.0.0.1:"));
  for (const std::string host : {"localhost", "127.0.0.1", "::1"}) {
    TlsClient one = client(host);
    ASSERT_TRUE(one.handshake()) << host << ": " << one.error();
    one.send(post());
    EXPECT_THAT(one.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  }
  next_connection_is_clean();
  const Journal seen = journal();
  ASSERT_EQ(seen.exchanges.size(), 4U);
  const TlsFacts& facts = seen.connections.at(0).tls.value();
  EXPECT_EQ(facts.server_name, "localhost");
  EXPECT_EQ(facts.version, "TLSv1.3");
  EXPECT_EQ(facts.certificate, "good");
  EXPECT_EQ(facts.failure, "");
  EXPECT_GT(facts.flight_planned, 500U);
  EXPECT_EQ(facts.flight_sent, facts.flight_planned);
  EXPECT_LE(facts.hello.value(), facts.finished.value());
  EXPECT_EQ(seen.connections.at(1).tls.value().server_name, "");  // an address is no name
  EXPECT_TRUE(seen.connections.at(3).tls.value().close_notify);
}

TEST_F(TlsOnTheWire, SpeaksTls12AsWell) {
  begin("");
  TlsClient old(port(), {.ca = run_->ca(), .only_tls12 = true});
  ASSERT_TRUE(old.handshake()) << old.error();
  old.send(post());
  EXPECT_THAT(old.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  old.raw().close();
  EXPECT_EQ(journal().connections.at(0).tls.value().version, "TLSv1.2");
}

TEST_F(TlsOnTheWire, IsForFurtherNamesAndNotForOthers) {
  begin("", "{names: [api.vendor.com]}");
  EXPECT_TRUE(client("api.vendor.com").handshake());
  TlsClient other = client("www.vendor.com");
  EXPECT_FALSE(other.handshake());
  EXPECT_EQ(other.verify_error(), X509_V_ERR_HOSTNAME_MISMATCH);
}

TEST_F(TlsOnTheWire, CarriesMoreThanOneRecordInBothDirections) {
  begin("");
  const std::string text(300'000, 'x');
  TlsClient one = client();
  ASSERT_TRUE(one.handshake());
  one.send(post("Connection: close\r\n", "{\"note\":\"" + text + "\"}"));
  EXPECT_THAT(one.receive_to_end(), HasSubstr(text));
  one.raw().close();
  const Journal seen = journal();
  const Receipt& receipt = seen.exchanges.at(0).receipt;
  EXPECT_EQ(receipt.bytes_written, one.receive_to_end().size());
  EXPECT_EQ(receipt.delivery, Delivery::Complete);
}

TEST_F(TlsOnTheWire, AnswersPlainHttpWithTheEnd) {
  begin("");
  RawClient plain(port());
  plain.send(post());
  EXPECT_EQ(plain.receive_to_end(), "");
  EXPECT_EQ(plain.end(), End::Fin);
  plain.close();
  next_connection_is_clean();
  const Journal seen = journal();
  EXPECT_THAT(seen.connections.at(0).tls.value().failure, HasSubstr("plain HTTP"));
  EXPECT_TRUE(seen.connections.at(0).tls->plain_http);
  EXPECT_EQ(seen.connections.at(0).exchanges, 0U);
}

// A client that is gone after each so many bytes of its own.
TEST_F(TlsOnTheWire, OutlivesAClientThatLeavesAnywhereInItsHello) {
  begin("");
  for (std::size_t bytes = 0; bytes <= kHello.size(); bytes += 37) {
    RawClient leaving(port());
    leaving.send(std::string_view(kHello).substr(0, bytes));
    if (bytes % 2 == 0) leaving.reset();
  }
  next_connection_is_clean();
  for (const Connection& connection : journal().connections) {
    EXPECT_TRUE(connection.tls) << connection.number;
  }
}

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
  const Journal seen = journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
  const TlsFacts& facts = seen.connections.at(0).tls.value();
  EXPECT_EQ(facts.certificate, how);
  EXPECT_EQ(facts.client_alert, alert) << facts.failure;
  EXPECT_FALSE(facts.finished);
  EXPECT_EQ(seen.connections.at(0).exchanges, 0U);
}

TEST_P(BadCertificate, IsTakenByWhoeverDoesNotLookAndThatIsInTheJournal) {
  begin_with("fault: {kind: certificate, how: " + GetParam().how + "}");
  TlsClient careless(port(), {.ca = ""});
  ASSERT_TRUE(careless.handshake()) << careless.error();
  careless.send(post());
  EXPECT_THAT(careless.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  careless.raw().close();
  const Journal seen = journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
  EXPECT_TRUE(seen.connections.at(0).tls.value().finished);
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
  const Journal seen = journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
  const TlsFacts& facts = seen.connections.at(0).tls.value();
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
  const Journal seen = journal();
  const TlsFacts& facts = seen.connections.at(0).tls.value();
  EXPECT_EQ(got, facts.flight_planned / 2);
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
}

TEST_F(TlsOnTheWire, APlaceBehindTheFlightIsNotProven) {
  begin_with("at: handshake, do: close, after: 100000B");
  RawClient raw(port());
  raw.send(kHello);
  raw.receive_to_end();
  raw.close();
  const Journal seen = journal();
  EXPECT_FALSE(hit_of(seen).delivered);
  EXPECT_THAT(hit_of(seen).shortfall, HasSubstr("nothing of it lies behind"));
}

TEST_F(TlsOnTheWire, AHelloThatNeverCameProvesNothing) {
  begin_with("at: handshake, do: stall, after: 0B");
  RawClient silent(port());
  silent.close();
  const Journal seen = journal();
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
  const Journal seen = journal();
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
  const Journal seen = journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
}

TEST_F(TlsOnTheWire, PlainBytesAreThoseOfTheScenario) {
  begin_with("fault: {kind: plain_bytes, text: \"220 ready\\r\\n\"}");
  RawClient raw(port());
  raw.send(kHello);
  EXPECT_EQ(raw.receive_to_end(), "220 ready\r\n");
  EXPECT_EQ(raw.end(), End::Fin);
}

// The end.

TEST_F(TlsOnTheWire, AnEndWithoutNoticeIsAFinAndNothingElse) {
  begin("{on: any, when: {request: 1}, fault: no_close_notify}");
  {
    TlsClient one = client();
    ASSERT_TRUE(one.handshake());
    one.send(post());
    EXPECT_THAT(one.receive_to_end(), StartsWith("HTTP/1.1 201"));
    EXPECT_FALSE(one.saw_close_notify());
    EXPECT_EQ(one.raw().end(), End::Fin);
  }
  next_connection_is_clean();
  const Journal seen = journal();
  const RuleHit& hit = seen.exchanges.at(0).rules.at(0);
  EXPECT_TRUE(hit.delivered) << hit.shortfall;
}

TEST_F(TlsOnTheWire, ABodyThatIsCutWithoutNoticeEndsThere) {
  begin(
      "{on: any, when: {request: 1}, at: response_body, fault: {kind: no_close_notify, "
      "after: 5B}}");
  TlsClient one = client();
  ASSERT_TRUE(one.handshake());
  one.send(post());
  const std::string got = one.receive_to_end();
  EXPECT_EQ(got.size() - got.find("\r\n\r\n") - 4, 5U);
  EXPECT_FALSE(one.saw_close_notify());
}

TEST_F(TlsOnTheWire, OtherFaultsMeanTheSameOverTls) {
  begin("{on: any, when: {request: 1}, fault: response_lost}");
  {
    TlsClient one = client();
    ASSERT_TRUE(one.handshake());
    one.send(post());
    EXPECT_EQ(one.receive_to_end(), "");
    EXPECT_EQ(one.raw().end(), End::Reset);
    EXPECT_FALSE(one.saw_close_notify());
  }
  next_connection_is_clean();
  const Journal seen = journal();
  const RuleHit& hit = seen.exchanges.at(0).rules.at(0);
  EXPECT_TRUE(hit.delivered) << hit.shortfall;
  EXPECT_EQ(seen.effects.size(), 2U);
}

TEST_F(TlsOnTheWire, AnOrderlyCutSaysGoodbye) {
  begin("{on: any, when: {request: 1}, fault: {kind: truncated_body, after: 3B}}");
  TlsClient one = client();
  ASSERT_TRUE(one.handshake());
  one.send(post());
  one.receive_to_end();
  EXPECT_TRUE(one.saw_close_notify());
  EXPECT_EQ(one.raw().end(), End::Fin);
}

TEST_F(TlsOnTheWire, AtAcceptThereIsNoHandshakeAtAll) {
  begin_with("at: accept, do: close");
  TlsClient one = client();
  EXPECT_FALSE(one.handshake());
  EXPECT_EQ(one.raw().end(), End::Fin);
  one.raw().close();
  next_connection_is_clean();
  const Journal seen = journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
  EXPECT_FALSE(seen.connections.at(0).tls);
}

}  // namespace
}  // namespace mishap::server
