#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mishap/journal.h"
#include "server/journal/names.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Every member set to something of its own.
Journal full_journal() {
  Journal journal;
  journal.lost = 3;
  Connection connection;
  connection.number = 1;
  connection.lane = 2;
  connection.api = "booking";
  connection.client_port = 65535;
  connection.accepted = 1ns;
  connection.exchanges = 4;
  connection.closed = 0ns;
  connection.departure = Departure::Rst;
  connection.departed = 5ns;
  connection.server_ended = 6ns;
  connection.asked_for = "api.vendor.com:443";
  connection.tls =
      TlsFacts{7ns, 8ns, "api.vendor.com", "TLSv1.3", "expired", 1300, 1200, 45, "why", true, 9ns};
  const RuleHit hit{"r",
                    "reset",
                    "accept",
                    true,
                    {{"rate", 0.1}, {"delay", 1.0 / 3.0}},
                    true,
                    "s",
                    7,
                    {{"in_flight", 3}, {"wait", 0.25}}};
  connection.rules = {hit};
  journal.connections = {connection, Connection{}};

  Exchange exchange;
  exchange.number = 1;
  exchange.lane = 1;
  exchange.api = "any";
  exchange.connection = 1;
  exchange.on_connection = 2;
  exchange.first_byte = 10ns;
  exchange.head_read = 11ns;
  exchange.request_read = 12ns;
  exchange.applied = 13ns;
  exchange.request = {"POST",
                      "/x?\xff",
                      "/x",
                      "HTTP/1.1",
                      {{"A", "\x01\"\\", false}, {"B", "h", true}},
                      18446744073709551615ULL,
                      true,
                      "bh",
                      "ch",
                      "json",
                      {{"reference", "string"}, {"amount", "integer"}},
                      "key",
                      "ref",
                      std::string("\0\xfe", 2)};
  exchange.identity = {IdentifiedBy::Key, 7, 8, 9, true};
  exchange.role = Role::Lookup;
  exchange.safe = true;
  exchange.idempotent = true;
  exchange.looked_up = {1, 2};
  exchange.found = true;
  exchange.effects = {5};
  exchange.items = {{.identity = {IdentifiedBy::Reference, 4, 3, 2, true},
                     .key = "item key",
                     .reference = "R1",
                     .content_hash = "ich",
                     .status = 503,
                     .healthy = true,
                     .replayed = true,
                     .effects = {5, 6}}};
  exchange.rules = {hit};
  exchange.answer = {.status = 201,
                     .headers = {{"Location", "/x/1"}},
                     .body_bytes = 12,
                     .body_hash = "ah",
                     .healthy = true,
                     .changed = true,
                     .success = true,
                     .replayed = true};
  exchange.receipt = {.first_write = 20ns,
                      .last_write = 21ns,
                      .bytes_planned = 1,
                      .head_planned = 1,
                      .bytes_written = 2,
                      .bytes_hash = "rh",
                      .writes = {{20ns, 0, 1}, {21ns, 1, 1}},
                      .more_writes = 3,
                      .interim_bytes = 4,
                      .unacknowledged = 5,
                      .delivery = Delivery::PartOfBody,
                      .ending = Ending::ClientLeft,
                      .ended = 22ns,
                      .departure = Departure::Fin,
                      .departed = 23ns,
                      .lag = 24ns,
                      .signals = {}};
  exchange.note = "caf\xc3\xa9";
  journal.exchanges = {exchange, Exchange{}};
  journal.spells = {{.number = 1,
                     .lane = 2,
                     .api = "booking",
                     .what = "refused",
                     .began = 40ns,
                     .ended = 41ns,
                     .until = 43ns,
                     .probe = "refused",
                     .dropped = 3,
                     .most_open = 4,
                     .most_waiting = 5,
                     .heard = true,
                     .rules = {hit}},
                    {}};
  journal.turned_away = {{1, 2, "booking", 42ns, 40001}, {}};
  journal.effects = {{1, 30ns, 1, 1, 7, EffectKind::Deleted, "bookings", "bk_1", "R1"}};
  return journal;
}

TEST(JsonLines, ReadBackToAnEqualJournal) {
  const std::string text = to_json_lines(full_journal());
  const auto read = parse_json_lines(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json_lines(*read), text);
  // The writer could drop a member on both ways: look at what was read itself.
  EXPECT_EQ(read->connections.at(0).asked_for, "api.vendor.com:443");
  EXPECT_FALSE(read->connections.at(1).tls);
  const TlsFacts& tls = *read->connections.at(0).tls;
  EXPECT_EQ(tls.server_name, "api.vendor.com");
  EXPECT_EQ(tls.client_alert, 45U);
  EXPECT_TRUE(tls.plain_http);
  EXPECT_EQ(tls.close_notify, Duration(9ns));
  const Exchange& exchange = read->exchanges.at(0);
  EXPECT_EQ(exchange.request.target, "/x?\xff");
  EXPECT_EQ(exchange.request.raw, std::string("\0\xfe", 2));
  EXPECT_EQ(exchange.request.headers.at(0).value, "\x01\"\\");
  EXPECT_TRUE(exchange.request.headers.at(1).secret);
  EXPECT_EQ(exchange.request.body_bytes, 18446744073709551615ULL);
  EXPECT_EQ(exchange.applied, Duration(13ns));
  EXPECT_EQ(exchange.identity.by, IdentifiedBy::Key);
  EXPECT_TRUE(exchange.identity.overlapping);
  EXPECT_EQ(exchange.role, Role::Lookup);
  EXPECT_EQ(exchange.looked_up, (std::vector<std::uint64_t>{1, 2}));
  const BatchItem& item = exchange.items.at(0);
  EXPECT_EQ(item.identity.attempt, 2U);
  EXPECT_EQ(item.key + item.reference + item.content_hash, "item keyR1ich");
  EXPECT_EQ(item.status, 503);
  EXPECT_TRUE(item.healthy && item.replayed);
  EXPECT_EQ(item.effects, (std::vector<std::uint64_t>{5, 6}));
  EXPECT_EQ(exchange.rules.at(0).draws.at(1).value, 1.0 / 3.0);
  EXPECT_EQ(exchange.rules.at(0).op, 7U);
  EXPECT_EQ(exchange.rules.at(0).readings.at(1).of, "wait");
  EXPECT_EQ(exchange.rules.at(0).readings.at(1).value, 0.25);
  const ListenerSpell& spell = read->spells.at(0);
  EXPECT_EQ(spell.number, 1U);
  EXPECT_EQ(spell.lane, 2);
  EXPECT_EQ(spell.api, "booking");
  EXPECT_EQ(spell.what, "refused");
  EXPECT_EQ(spell.began, Duration(40ns));
  EXPECT_EQ(spell.ended, Duration(41ns));
  EXPECT_EQ(spell.until, Duration(43ns));
  EXPECT_EQ(spell.probe, "refused");
  EXPECT_EQ(spell.dropped, 3U);
  EXPECT_EQ(spell.most_open, 4U);
  EXPECT_EQ(spell.most_waiting, 5U);
  EXPECT_TRUE(spell.heard);
  const TurnedAway& one = read->turned_away.at(0);
  EXPECT_EQ(one.spell, 1U);
  EXPECT_EQ(one.lane, 2);
  EXPECT_EQ(one.api, "booking");
  EXPECT_EQ(one.at, Duration(42ns));
  EXPECT_EQ(one.client_port, 40001);
  EXPECT_EQ(spell.rules.at(0).fault, "reset");
  EXPECT_FALSE(read->spells.at(1).began);
  EXPECT_TRUE(exchange.answer.changed);
  EXPECT_EQ(exchange.receipt.head_planned, 1U);
  ASSERT_EQ(exchange.receipt.writes.size(), 2U);
  EXPECT_EQ(exchange.receipt.writes[1].at, Duration(21ns));
  EXPECT_EQ(exchange.receipt.writes[1].offset, 1U);
  EXPECT_EQ(exchange.receipt.writes[1].bytes, 1U);
  EXPECT_EQ(exchange.receipt.more_writes, 3U);
  EXPECT_EQ(exchange.receipt.interim_bytes, 4U);
  EXPECT_EQ(exchange.receipt.unacknowledged, 5U);
  EXPECT_FALSE(read->exchanges.at(1).receipt.unacknowledged);
  EXPECT_EQ(exchange.receipt.delivery, Delivery::PartOfBody);
  EXPECT_EQ(exchange.receipt.ending, Ending::ClientLeft);
  EXPECT_EQ(exchange.receipt.departed, Duration(23ns));
  EXPECT_EQ(exchange.receipt.lag, Duration(24ns));
  EXPECT_EQ(exchange.note, "caf\xc3\xa9");
  EXPECT_EQ(exchange.request.body_kind, "json");
  EXPECT_EQ(exchange.request.members, full_journal().exchanges[0].request.members);
  EXPECT_EQ(read->connections.at(0).closed, Duration(0ns));
  EXPECT_FALSE(read->connections.at(1).closed);
  EXPECT_EQ(read->effects.at(0).kind, EffectKind::Deleted);
  EXPECT_EQ(read->lost, 3U);
}

TEST(JsonLines, HoldOneRecordALine) {
  const std::string text = to_json_lines(full_journal());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 2 + 2 + 2 + 2 + 1);
  EXPECT_TRUE(text.starts_with("{\"kind\":\"journal\",\"lost\":3}\n{\"kind\":\"connection\""));
}

TEST(JsonLines, AreReadWithWhatANewerWriterAdded) {
  const auto read = parse_json_lines("{\"kind\":\"effect\",\"number\":1,\"new\":{\"a\":1}}\n\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->effects.at(0).number, 1U);
}

struct BadCase {
  std::string text;
  std::string message;
};

class BadJsonLines : public testing::TestWithParam<BadCase> {};

TEST_P(BadJsonLines, AreRefusedWithTheirLine) {
  const auto read = parse_json_lines(GetParam().text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::BadInput);
  EXPECT_THAT(read.error().message, HasSubstr(GetParam().message));
}

const std::string kGood = "{\"kind\":\"effect\"}\n";
INSTANTIATE_TEST_SUITE_P(
    Table, BadJsonLines,
    testing::Values(
        BadCase{"x", "line 1: not a JSON map"},
        BadCase{kGood + "{\"kind\":\"exch", "line 2: not a JSON map"},
        BadCase{kGood + kGood + "[]", "line 3: not a JSON map"}, BadCase{"{}", "unknown kind \"\""},
        BadCase{"{\"kind\":1}", "\"kind\" should be a text"},
        BadCase{"{\"kind\":\"effect\",\"number\":-1}", "\"number\""},
        BadCase{"{\"kind\":\"effect\",\"number\":\"1\"}", "\"number\""},
        BadCase{"{\"kind\":\"effect\",\"at\":1.5}", "\"at\" should be a whole number"},
        BadCase{"{\"kind\":\"effect\",\"kind_\":1,\"id\":{\"hex\":\"0g\"}}", "\"id\""},
        BadCase{"{\"kind\":\"exchange\",\"role\":\"hero\"}", "\"role\" should be one of"},
        BadCase{"{\"kind\":\"exchange\",\"lane\":99999999999}", "\"lane\""},
        BadCase{"{\"kind\":\"exchange\",\"effects\":{}}", "\"effects\" should be a list"},
        BadCase{"{\"kind\":\"exchange\",\"request\":[]}", "\"request\" should be a map"},
        BadCase{"{\"kind\":\"connection\",\"client_port\":65536}", "\"client_port\""}));

TEST(Names, OfEveryValueReadBack) {
  for (int i = 0; i <= static_cast<int>(Role::Rejected); ++i) {
    EXPECT_EQ(role_named(to_string(static_cast<Role>(i))), static_cast<Role>(i));
  }
  for (int i = 0; i <= static_cast<int>(Ending::Failed); ++i) {
    EXPECT_EQ(ending_named(to_string(static_cast<Ending>(i))), static_cast<Ending>(i));
  }
  EXPECT_EQ(to_string(Ending::ClientLeft), "client_left");
  EXPECT_EQ(to_string(Delivery::PartOfHead), "part_of_head");
  EXPECT_FALSE(departure_named("left"));
}

}  // namespace
}  // namespace mishap::server
