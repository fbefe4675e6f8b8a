#include "cli/connection_line.h"

#include <gtest/gtest.h>

namespace mishap::cli {
namespace {

using namespace std::chrono_literals;

server::RuleHit met(const std::string& rule, const std::string& shortfall = {}) {
  server::RuleHit hit;
  hit.rule = rule;
  hit.fired = true;
  hit.delivered = shortfall.empty();
  hit.shortfall = shortfall;
  return hit;
}

server::Connection connection() {
  server::Connection made;
  made.number = 3;
  made.api = "any";
  made.accepted = 1250ms;
  return made;
}

TEST(ConnectionLine, IsNothingWhereItsExchangesTellAll) {
  auto made = connection();
  EXPECT_EQ(connection_line(made), "");
  made.exchanges = 2;
  made.rules = {met("certificate")};
  made.tls.emplace().failure = "the client left without a close_notify";
  EXPECT_EQ(connection_line(made), "");
}

TEST(ConnectionLine, TellsWhoWasTurnedAwayAtTheProxy) {
  auto made = connection();
  made.api.clear();
  made.asked_for = "auth.vendor.com\x1b:443";
  EXPECT_EQ(connection_line(made),
            "    1.250  c3  asked the proxy for auth.vendor.com\\x1b:443  -> turned away, nothing "
            "stands in for it");
}

TEST(ConnectionLine, TellsWhyTlsFailed) {
  auto made = connection();
  auto& tls = made.tls.emplace();
  tls.certificate = "good";
  EXPECT_EQ(connection_line(made), "    1.250  c3  TLS  -> not finished");
  made.departure = server::Departure::Fin;
  EXPECT_EQ(connection_line(made), "    1.250  c3  TLS  -> the client left");
  tls.server_name = "api.vendor.com";
  tls.certificate = "expired";
  tls.failure = "the client sent the alert 45";
  made.rules = {met("certificate")};
  EXPECT_EQ(
      connection_line(made),
      "    1.250  c3  TLS for api.vendor.com with a certificate that is expired  -> failed: the "
      "client sent the alert 45  [certificate]");
}

TEST(ConnectionLine, TellsOfOneThatEndedBeforeARequest) {
  auto made = connection();
  made.rules = {met("reset at accept", "the client had left")};
  EXPECT_EQ(
      connection_line(made),
      "    1.250  c3  connected  -> ended without a request  [reset at accept; not delivered: "
      "the client had left]");
  made.rules.front().fired = false;
  EXPECT_EQ(connection_line(made), "");
}

server::ListenerSpell spell(const std::string& what) {
  server::ListenerSpell made;
  made.number = 1;
  made.api = "any";
  made.what = what;
  made.began = 2s;
  made.rules = {met(what, "nobody came")};
  return made;
}

TEST(SpellLines, TellTheBeginningAndTheEndOnce) {
  SpellLines lines;
  auto made = spell("refused");
  EXPECT_EQ(lines.line(made), "    2.000  listener of any  refuses connections  [refused]");
  EXPECT_EQ(lines.line(made), "");
  made.ended = 3s;
  made.dropped = 4;
  EXPECT_EQ(
      lines.line(made),
      "    3.000  listener of any  takes connections again, 4 connects were dropped  [refused; "
      "not delivered: nobody came]");
  EXPECT_EQ(lines.line(made), "");
}

TEST(SpellLines, TellOneThatIsOverBeforeItWasAskedAbout) {
  SpellLines lines;
  auto made = spell("limited");
  made.lane = 2;
  made.ended = 3s;
  made.most_waiting = 5;
  made.rules = {met("connection_limit")};
  EXPECT_EQ(lines.line(made),
            "    3.000  listener of any copy 2  takes only so many connections at once, and takes "
            "connections again, up to 5 waited  [connection_limit]");
}

TEST(SpellLines, TellWhatCouldNotBeDone) {
  SpellLines lines;
  auto made = spell("unanswered");
  made.began.reset();
  EXPECT_EQ(
      lines.line(made),
      "    0.000  listener of any  could not be told to act  [unanswered; not delivered: nobody "
      "came]");
}

}  // namespace
}  // namespace mishap::cli
