#include "server/wire/tls_on_the_wire_fixture.h"

#include <openssl/x509_vfy.h>

// TLS that works, and how connections over it end.
namespace mishap::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using End = RawClient::End;

const std::string kHello = TlsClient::hello();

// Healthy.

TEST_F(TlsOnTheWire, ServesAClientThatTrustsItsAuthority) {
  begin("");
  EXPECT_THAT(run_->addresses().at(0).url, StartsWith("https://127.0.0.1:"));
  for (const std::string host : {"localhost", "127.0.0.1", "::1"}) {
    TlsClient one = client(host);
    ASSERT_TRUE(one.handshake()) << host << ": " << one.error();
    one.send(post_booking());
    EXPECT_THAT(one.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  }
  next_connection_is_clean();
  const Journal seen = ended_journal();
  ASSERT_EQ(seen.exchanges.size(), 4U);
  const TlsFacts& facts = *seen.connections.at(0).tls;
  EXPECT_EQ(facts.server_name, "localhost");
  EXPECT_EQ(facts.version, "TLSv1.3");
  EXPECT_EQ(facts.certificate, "good");
  EXPECT_EQ(facts.failure, "");
  EXPECT_GT(facts.flight_planned, 500U);
  EXPECT_EQ(facts.flight_sent, facts.flight_planned);
  EXPECT_LE(facts.hello.value(), facts.finished.value());
  EXPECT_EQ(seen.connections.at(1).tls->server_name, "");  // an address is no name
  EXPECT_TRUE(seen.connections.at(3).tls->close_notify);
}

TEST_F(TlsOnTheWire, SpeaksTls12AsWell) {
  begin("");
  TlsClient old(port(), {.ca = run_->ca(), .only_tls12 = true});
  ASSERT_TRUE(old.handshake()) << old.error();
  old.send(post_booking());
  EXPECT_THAT(old.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  old.raw().close();
  EXPECT_EQ(ended_journal().connections.at(0).tls->version, "TLSv1.2");
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
  one.send(post_booking("Connection: close\r\n", "{\"note\":\"" + text + "\"}"));
  EXPECT_THAT(one.receive_to_end(), HasSubstr(text));
  one.raw().close();
  const Journal seen = ended_journal();
  const Receipt& receipt = seen.exchanges.at(0).receipt;
  EXPECT_EQ(receipt.bytes_written, one.receive_to_end().size());
  EXPECT_EQ(receipt.delivery, Delivery::Complete);
}

TEST_F(TlsOnTheWire, AnswersPlainHttpWithTheEnd) {
  begin("");
  RawClient plain(port());
  plain.send(post_booking());
  EXPECT_EQ(plain.receive_to_end(), "");
  EXPECT_EQ(plain.end(), End::Fin);
  plain.close();
  next_connection_is_clean();
  const Journal seen = ended_journal();
  EXPECT_THAT(seen.connections.at(0).tls->failure, HasSubstr("plain HTTP"));
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
  for (const Connection& connection : ended_journal().connections) {
    EXPECT_TRUE(connection.tls) << connection.number;
  }
}

// The end.

TEST_F(TlsOnTheWire, AnEndWithoutNoticeIsAFinAndNothingElse) {
  begin("{on: any, when: {request: 1}, fault: no_close_notify}");
  {
    TlsClient one = client();
    ASSERT_TRUE(one.handshake());
    one.send(post_booking());
    EXPECT_THAT(one.receive_to_end(), StartsWith("HTTP/1.1 201"));
    EXPECT_FALSE(one.saw_close_notify());
    EXPECT_EQ(one.raw().end(), End::Fin);
  }
  next_connection_is_clean();
  const Journal seen = ended_journal();
  const RuleHit& hit = seen.exchanges.at(0).rules.at(0);
  EXPECT_TRUE(hit.delivered) << hit.shortfall;
}

TEST_F(TlsOnTheWire, ABodyThatIsCutWithoutNoticeEndsThere) {
  begin(
      "{on: any, when: {request: 1}, at: response_body, fault: {kind: no_close_notify, "
      "after: 5B}}");
  TlsClient one = client();
  ASSERT_TRUE(one.handshake());
  one.send(post_booking());
  const std::string got = one.receive_to_end();
  EXPECT_EQ(got.size() - got.find("\r\n\r\n") - 4, 5U);
  EXPECT_FALSE(one.saw_close_notify());
}

TEST_F(TlsOnTheWire, OtherFaultsMeanTheSameOverTls) {
  begin("{on: any, when: {request: 1}, fault: response_lost}");
  {
    TlsClient one = client();
    ASSERT_TRUE(one.handshake());
    one.send(post_booking());
    EXPECT_EQ(one.receive_to_end(), "");
    EXPECT_EQ(one.raw().end(), End::Reset);
    EXPECT_FALSE(one.saw_close_notify());
  }
  next_connection_is_clean();
  const Journal seen = ended_journal();
  const RuleHit& hit = seen.exchanges.at(0).rules.at(0);
  EXPECT_TRUE(hit.delivered) << hit.shortfall;
  EXPECT_EQ(seen.effects.size(), 2U);
}

TEST_F(TlsOnTheWire, AnOrderlyCutSaysGoodbye) {
  begin("{on: any, when: {request: 1}, fault: {kind: truncated_body, after: 3B}}");
  TlsClient one = client();
  ASSERT_TRUE(one.handshake());
  one.send(post_booking());
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
  const Journal seen = ended_journal();
  EXPECT_TRUE(hit_of(seen).delivered) << hit_of(seen).shortfall;
  EXPECT_FALSE(seen.connections.at(0).tls);
}

}  // namespace
}  // namespace mishap::server
