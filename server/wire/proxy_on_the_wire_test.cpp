#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/wire/played_scenario.h"
#include "server/wire/raw_client.h"
#include "server/wire/tls_client.h"

// The proxy for clients whose base URL cannot be changed, through the real engine.
namespace mishap::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using End = RawClient::End;

const std::string kConnect =
    "CONNECT api.vendor.com:443 HTTP/1.1\r\nHost: api.vendor.com:443\r\n\r\n";

std::string post(const std::string& target) {
  return "POST " + target +
         " HTTP/1.1\r\nHost: api.vendor.com\r\nContent-Type: application/json\r\n"
         "Content-Length: 2\r\n\r\n{}";
}

class ProxyOnTheWire : public testing::Test, protected PlayedScenario {
 protected:
  void begin(const std::string& faults = "",
             const std::string& apis = "api: {from: any, intercept: [api.vendor.com]}\n",
             int lanes = 1) {
    begin_scenario(apis + faults, lanes);
  }

  Port proxy(std::size_t lane = 0) const { return run_->proxies().at(lane).port; }
  std::unique_ptr<TlsClient> tunnel() {
    auto client = std::make_unique<TlsClient>(
        proxy(), TlsClient::Options{.ca = run_->ca(), .host = "api.vendor.com"});
    client->raw().send(kConnect);
    EXPECT_THAT(client->raw().receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
    client->raw().take();
    return client;
  }
};

TEST_F(ProxyOnTheWire, LeadsThroughATunnelToTheApiThatStandsIn) {
  begin();
  const auto client = tunnel();
  ASSERT_TRUE(client->handshake()) << client->error();
  client->send(post("/v1/bookings"));
  EXPECT_THAT(client->receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  client->raw().close();
  const Journal seen = ended_journal();
  ASSERT_EQ(seen.connections.size(), 1U);
  const Connection& connection = seen.connections[0];
  EXPECT_EQ(connection.api, "any");
  EXPECT_EQ(connection.asked_for, "api.vendor.com:443");
  EXPECT_EQ(connection.exchanges, 1U);
  ASSERT_TRUE(connection.tls && connection.tls->finished);
  EXPECT_EQ(connection.tls->server_name, "api.vendor.com");
  EXPECT_EQ(seen.exchanges.at(0).request.path, "/v1/bookings");
}

// Compared in its short form, and in the certificate as an address.
TEST_F(ProxyOnTheWire, StandsInForAnAddress) {
  begin("", "api: {from: any, intercept: ['[FD00:0::7]:8443']}\n");
  TlsClient client(proxy(), {.ca = run_->ca(), .host = "fd00::7"});
  client.raw().send("CONNECT [fd00::0:7]:8443 HTTP/1.1\r\nHost: [fd00::0:7]:8443\r\n\r\n");
  EXPECT_THAT(client.raw().receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  client.raw().take();
  ASSERT_TRUE(client.handshake()) << client.error();
  client.raw().close();
  EXPECT_EQ(ended_journal().connections.at(0).asked_for, "[fd00::7]:8443");
}

TEST_F(ProxyOnTheWire, TakesATlsHelloThatDidNotWaitForIts200) {
  begin();
  RawClient client(proxy());
  client.send(kConnect + TlsClient::hello());
  // A record of the server's flight (RFC 8446 section 5.1) follows the 200 at once.
  EXPECT_THAT(client.receive_until("\r\n\r\n\x16\x03\x03"), StartsWith("HTTP/1.1 200"));
  client.close();
  EXPECT_TRUE(ended_journal().connections.at(0).tls->hello);
}

TEST_F(ProxyOnTheWire, LeadsPlainRequestsToTheSameApi) {
  begin();
  RawClient client(proxy());
  client.send("\r\n" + post("http://api.vendor.com/v1/bookings"));
  // Over one connection to a proxy a request for another host might follow: so each has its own.
  const std::string answer = client.receive_to_end();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 201"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(client.end(), End::Fin);
  client.close();
  RawClient second(proxy());
  second.send(post("http://API.vendor.com:80/v1/bookings"));
  EXPECT_THAT(second.receive_to_end(), HasSubstr("HTTP/1.1 201"));
  second.close();
  const Journal seen = ended_journal();
  ASSERT_EQ(seen.exchanges.size(), 2U);
  EXPECT_EQ(seen.exchanges[0].request.path, "/v1/bookings");
  EXPECT_FALSE(seen.connections.at(0).tls);
  EXPECT_EQ(seen.effects.size(), 2U);
}

TEST_F(ProxyOnTheWire, GoesNowhereElse) {
  begin();
  RawClient client(proxy());
  client.send("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
  const std::string said = client.receive_to_end();
  EXPECT_THAT(said, StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(said, HasSubstr("example.com:443"));
  EXPECT_THAT(said, HasSubstr("it intercepts api.vendor.com"));
  EXPECT_EQ(client.end(), End::Fin);
  client.close();
  const auto next = tunnel();
  EXPECT_TRUE(next->handshake());
  next->raw().close();
  const Journal seen = ended_journal();
  ASSERT_EQ(seen.connections.size(), 2U);
  EXPECT_EQ(seen.connections[0].api, "");
  EXPECT_EQ(seen.connections[0].asked_for, "example.com:443");
}

TEST_F(ProxyOnTheWire, RefusesWhatIsNothingForAProxy) {
  begin();
  for (const std::string& text :
       {post("/v1/bookings"), std::string("CONNECT nowhere HTTP/1.1\r\nHost: x\r\n\r\n"),
        std::string("\x16\x03\x01\x02", 4) + std::string(600, '\0'),
        "GET /" + std::string(100'000, 'x') + " HTTP/1.1\r\n"}) {
    RawClient client(proxy());
    client.send(text);
    EXPECT_THAT(client.receive_to_end(), StartsWith("HTTP/1.1 400")) << text.substr(0, 40);
    client.close();
  }
  EXPECT_TRUE(run_->end().connections.empty());
}

TEST_F(ProxyOnTheWire, FaultsActInsideTheTunnel) {
  begin(
      "faults:\n  - {on: any, when: {connection: 1}, fault: {kind: certificate, how: expired}}\n"
      "  - {on: any, when: {connection: 2}, at: request_head, do: reset}\n");
  EXPECT_FALSE(tunnel()->handshake());
  const auto second = tunnel();
  ASSERT_TRUE(second->handshake());
  second->send(post("/v1/bookings"));
  second->raw().receive_to_end();
  EXPECT_EQ(second->raw().end(), End::Reset);
  const auto third = tunnel();
  ASSERT_TRUE(third->handshake());
  third->raw().close();
  const Journal seen = ended_journal();
  EXPECT_TRUE(seen.connections.at(0).rules.at(0).delivered);
  EXPECT_TRUE(seen.exchanges.at(0).rules.at(0).delivered);
}

TEST_F(ProxyOnTheWire, EachLaneAndEachHostHasItsOwn) {
  begin("",
        "apis: {pay: {from: any, intercept: [pay.vendor.com]}, crm: {from: any, tls: true, "
        "intercept: ['crm.vendor.com:8443']}}\n",
        2);
  ASSERT_EQ(run_->proxies().size(), 2U);
  const auto ask = [&](const std::string& host, std::size_t lane) {
    RawClient client(proxy(lane));
    client.send("CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    const std::string line = client.receive_until("\r\n").substr(9, 3);
    client.close();
    return line;
  };
  EXPECT_EQ(ask("pay.vendor.com:443", 0), "200");
  EXPECT_EQ(ask("crm.vendor.com:8443", 1), "200");
  EXPECT_EQ(ask("crm.vendor.com:443", 1), "403");
  const Journal seen = ended_journal();
  ASSERT_EQ(seen.connections.size(), 3U);
  EXPECT_EQ(seen.connections[0].api, "pay");
  EXPECT_EQ(seen.connections[1].api, "crm");
  EXPECT_EQ(seen.connections[1].lane, 1);
}

}  // namespace
}  // namespace mishap::server
