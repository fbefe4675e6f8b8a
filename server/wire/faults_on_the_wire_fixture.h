#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/wire/played_scenario.h"
#include "server/wire/raw_client.h"

// A fault as a scenario asks for it, through the real engine to a real socket: what a client that
// is nothing but a socket sees of it, and what the journal says.
namespace mishap::server {

using namespace std::chrono_literals;
using End = RawClient::End;

inline const std::string kBody = R"({"name":"a booking with some text"})";

inline std::string post(const std::string& path, const std::string& body = kBody) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// What the client saw, and what the journal says of it.
struct Sight {
  std::string bytes;
  End end = End::Open;
  Duration first_byte{};  // from the request's last byte to the first byte of an answer
  Exchange exchange;      // the spoiled one; number 0 where the connection carried none
  std::deque<Effect> effects;
  Duration ended{};  // the connection, by the server

  std::string body() const {
    const auto blank = bytes.find("\r\n\r\n");
    return blank == std::string::npos ? "" : bytes.substr(blank + 4);
  }
};

struct Row {
  std::string name;
  std::string fault;  // as in a scenario
  std::function<void(const Sight&)> check;
  bool answers = true;  // wait for a whole answer, or the end; else for silence
  bool proven = true;   // the journal calls it delivered
  std::string until{};  // what is waited for instead of a whole answer; kToTheEnd: the end
};
inline const std::string kToTheEnd = "(the end)";

// All that is tried; together they cover the catalogue.
std::vector<Row> base_rows();
std::vector<Row> answer_rows();
std::vector<Row> reading_rows();

inline void PrintTo(const Row& row, std::ostream* out) {
  *out << row.fault;
}

class FaultOnTheWire : public testing::TestWithParam<Row>, protected PlayedScenario {
 protected:
  void begin(const std::string& fault) {
    const bool at_accept = fault.find("at: accept") != std::string::npos;
    begin_with("  - {on: any, when: {" + std::string(at_accept ? "connection: 1" : "request: 1") +
               "}, fault: " + fault + "}\n");
  }

  // The rules of `faults:`, each a line of a list.
  void begin_with(const std::string& rules, int threads = 1) {
    begin_scenario("api: any\nfaults:\n" + rules, /*lanes=*/1, /*own_addresses=*/true, threads);
  }

  Sight look(bool answers, const std::string& until = {}) {
    Sight sight;
    RawClient client(port());
    client.send(post("/v1/bookings"));
    const Duration sent = clock_.now();
    if (!answers) {
      sight.bytes = client.receive_for(150ms);
    } else if (!until.empty()) {
      sight.bytes = until == kToTheEnd ? client.receive_to_end() : client.receive_until(until);
    } else {
      client.receive_bytes(1);
      sight.first_byte = clock_.now() - sent;
      sight.bytes = client.receive_until("\r\n\r\n");
      const bool whole = sight.bytes.find("\r\n\r\n") != std::string::npos;
      if (client.end() == End::Open && whole) sight.bytes = receive_body(client, sight.bytes);
    }
    sight.end = client.end();
    client.close();
    return sight;
  }

  // By the length that the head promises; less where the connection ends or falls silent before.
  static std::string receive_body(RawClient& client, std::string head) {
    const auto field = head.find("Content-Length: ");
    if (field == std::string::npos) return client.receive_to_end();
    const auto length = std::stoul(head.substr(field + 16));
    const auto begin = head.find("\r\n\r\n") + 4;
    return client.receive_bytes(begin + length);
  }

  void next_request_is_clean() {
    RawClient next(port());
    next.send(post("/v1/others"));
    EXPECT_THAT(next.receive_until("\r\n\r\n"), testing::StartsWith("HTTP/1.1 201"));
    next.close();
  }

  // Begins, looks, sees that the next request is clean, and checks.
  void play(const Row& row) {
    begin(row.fault);
    auto sight = look(row.answers, row.until);
    next_request_is_clean();
    const auto hits = take_journal(sight);
    ASSERT_EQ(hits.size(), 1U);
    EXPECT_EQ(hits.at(0).delivered, row.proven) << hits.at(0).shortfall;
    row.check(sight);
  }

  // What the rules met; the record of the first exchange goes into `sight`.
  std::vector<RuleHit> take_journal(Sight& sight) {
    run_->wait(
        [](const Journal& journal) {
          return std::ranges::all_of(
                     journal.exchanges,
                     [](const Exchange& e) { return e.receipt.ended.has_value(); }) &&
                 std::ranges::all_of(journal.connections,
                                     [](const Connection& c) { return c.closed.has_value(); });
        },
        2s);
    run_->settle(5s);
    const auto journal = run_->end();
    sight.effects = journal.effects;
    if (!journal.exchanges.empty()) sight.exchange = journal.exchanges.front();
    sight.ended = journal.connections.at(0).server_ended.value_or(Duration{});
    const auto& at_accept = journal.connections.at(0).rules;
    return at_accept.empty() ? sight.exchange.rules : at_accept;
  }
};

// Effects of the spoiled request: the clean one after it made another.
inline std::size_t effects_of_the_first(const Sight& sight) {
  return static_cast<std::size_t>(
      std::ranges::count(sight.effects, "/v1/bookings", &Effect::resource));
}

}  // namespace mishap::server
