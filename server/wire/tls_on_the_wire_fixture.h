#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/wire/played_scenario.h"
#include "server/wire/raw_client.h"
#include "server/wire/tls_client.h"

// An api that speaks TLS, through the real engine: what a TLS client and a socket that is nothing
// but a socket see of it, and what the journal says.
namespace mishap::server {

inline std::string post_booking(const std::string& fields = "", const std::string& body = "{}") {
  return "POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class TlsOnTheWire : public testing::Test, protected PlayedScenario {
 protected:
  // `rule` without its dash; empty: nothing goes wrong.
  void begin(const std::string& rule, const std::string& tls = "true") {
    std::string rest = "api: {from: any, tls: " + tls + "}\n";
    if (!rule.empty()) rest += "faults:\n  - " + rule + "\n";
    begin_scenario(rest);
  }
  // On the first connection.
  void begin_with(const std::string& fault) {
    begin("{on: any, when: {connection: 1}, " + fault + "}");
  }

  TlsClient client(const std::string& host = "localhost") {
    return TlsClient(port(), {.ca = run_->ca(), .host = host});
  }

  void next_connection_is_clean() {
    TlsClient next(port(), {.ca = run_->ca()});
    ASSERT_TRUE(next.handshake()) << next.error();
    next.send(post_booking("Connection: close\r\n"));
    EXPECT_THAT(next.receive_to_end(), testing::StartsWith("HTTP/1.1 201"));
    EXPECT_TRUE(next.saw_close_notify());
    EXPECT_EQ(next.raw().end(), RawClient::End::Fin);
  }

  // The first connection, whose one rule was met.
  static const RuleHit& hit_of(const Journal& journal) {
    const auto& rules = journal.connections.at(0).rules;
    return rules.at(0);
  }
};

}  // namespace mishap::server
