// Faults over a real upstream: what it saw, what the client got, and what the journal knows.
#include <gmock/gmock.h>

#include <zlib.h>

#include <map>
#include <string_view>

#include "mishap/scenario.h"
#include "server/outbound/upstream_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kBody = R"({"id":"ch_1","amount":5})";

std::string created(const std::string& fields = "", const std::string& body = kBody) {
  return "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string rule(const std::string& fault) {
  return "faults:\n  - {on: POST /v1/charges, when: {attempt: 1}, fault: " + fault + "}\n";
}

class UpstreamFaults : public UpstreamTest {
 protected:
  void begin_with(const std::string& fault) { begin(rule(fault)); }

  static bool is_delivered(const Journal& journal) {
    return journal.exchanges.at(0).rules.at(0).delivered;
  }
};

TEST_F(UpstreamFaults, ALostAnswerWasExecuted) {
  start(RawUpstream::answers(created()));
  begin_with("response_lost");
  RawClient client(port());
  client.send(post("/v1/charges", "{}"));
  EXPECT_EQ(client.receive_to_end(), "");
  EXPECT_EQ(client.end(), RawClient::End::Reset);
  EXPECT_EQ(upstream_->requests_once(1).size(), 1U);
  const Journal journal = this->journal();
  ASSERT_EQ(journal.effects.size(), 1U);
  EXPECT_EQ(journal.effects[0].id, "ch_1");
  EXPECT_TRUE(is_delivered(journal)) << journal.exchanges[0].rules[0].shortfall;
}

TEST_F(UpstreamFaults, ARepeatUnderOneKeyThatIsAnsweredWithTheSameThingIsNoSecondEffect) {
  start(RawUpstream::answers(created()));
  begin_with("response_lost");
  RawClient client(port());
  client.send(post("/v1/charges", "{}", "Idempotency-Key: k\r\n"));
  client.receive_to_end();
  EXPECT_EQ(ask(post("/v1/charges", "{}", "Idempotency-Key: k\r\n")), created());
  const Journal journal = this->journal();
  EXPECT_EQ(journal.effects.size(), 1U);
  EXPECT_EQ(journal.exchanges.at(1).identity.attempt, 2U);
  EXPECT_TRUE(journal.exchanges.at(1).answer.replayed);
}

TEST_F(UpstreamFaults, BeforeTheEffectItIsNotCalled) {
  start(RawUpstream::answers(created()));
  begin_with("{kind: status, code: 503}");
  EXPECT_THAT(ask(post("/v1/charges", "{}")), StartsWith("HTTP/1.1 503"));
  const Journal journal = this->journal();
  EXPECT_THAT(upstream_->requests(), IsEmpty());
  EXPECT_THAT(journal.effects, IsEmpty());
  EXPECT_FALSE(journal.exchanges.at(0).upstream.sent);
  EXPECT_TRUE(is_delivered(journal));
}

TEST_F(UpstreamFaults, AStatusAfterTheEffectHidesTheAnswerThatCame) {
  start(RawUpstream::answers(created()));
  begin_with("{kind: status, code: 502, at: after_effect}");
  EXPECT_THAT(ask(post("/v1/charges", "{}")), StartsWith("HTTP/1.1 502 Bad Gateway\r\n"));
  const Journal journal = this->journal();
  EXPECT_EQ(journal.effects.size(), 1U);
  EXPECT_EQ(journal.exchanges.at(0).upstream.status, 201);
  EXPECT_EQ(journal.exchanges.at(0).upstream.failure, "");
  EXPECT_TRUE(is_delivered(journal));
}

TEST_F(UpstreamFaults, LatencyHoldsTheAnswerBack) {
  start(RawUpstream::answers(created()));
  begin_with("{kind: latency, for: 200ms, at: after_effect}");
  EXPECT_EQ(ask(post("/v1/charges", "{}")), created());
  const Journal journal = this->journal();
  const Exchange& exchange = journal.exchanges.at(0);
  EXPECT_GE(*exchange.receipt.first_write - *exchange.upstream.answered, 200ms);
  EXPECT_TRUE(is_delivered(journal));
}

TEST_F(UpstreamFaults, ALateEffectIsALateCall) {
  start(RawUpstream::answers(created()));
  begin_with("{kind: late_effect, after: 200ms}");
  RawClient client(port());
  client.send(post("/v1/charges", "{}"));
  const auto is_read = [](const Journal& journal) {
    return !journal.exchanges.empty() && journal.exchanges[0].request.complete;
  };
  ASSERT_TRUE(run_->wait(is_read, 5s));
  client.reset();
  upstream_->requests_once(1);
  const Journal journal = this->journal();
  const Exchange& exchange = journal.exchanges.at(0);
  EXPECT_GE(*exchange.upstream.sent - *exchange.request_read, 200ms);
  EXPECT_EQ(journal.effects.size(), 1U);
  EXPECT_TRUE(is_delivered(journal));
}

TEST_F(UpstreamFaults, ABodyIsCutAsItCame) {
  start(RawUpstream::answers(created()));
  begin_with("{kind: truncated_body, after: 7B}");
  RawClient client(port());
  client.send(post("/v1/charges", "{}"));
  EXPECT_THAT(client.receive_to_end(), EndsWith("\r\n\r\n" + kBody.substr(0, 7)));
  EXPECT_TRUE(is_delivered(journal()));
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(UpstreamFaults, AnEncodedAnswerIsPassedOnAndItsIdIsRead) {
  const std::string packed = gzipped(kBody);
  start(RawUpstream::answers(created("Content-Encoding: gzip\r\n", packed)));
  begin();
  EXPECT_EQ(ask(post("/v1/charges", "{}", "Accept-Encoding: gzip\r\n")),
            created("Content-Encoding: gzip\r\n", packed));
  EXPECT_THAT(upstream_->requests().at(0), HasSubstr("\r\nAccept-Encoding: gzip\r\n"));
  EXPECT_EQ(journal().effects.at(0).id, "ch_1");
}

TEST_F(UpstreamFaults, AFaultOfContentAsksForPlainContentAndTakesTheCodingOff) {
  start(RawUpstream::answers(created("Content-Encoding: gzip\r\n", gzipped(kBody))));
  begin_with("{kind: invalid_json, how: cut}");
  const std::string answer = ask(post("/v1/charges", "{}", "Accept-Encoding: gzip\r\n"));
  EXPECT_THAT(upstream_->requests().at(0), HasSubstr("\r\nAccept-Encoding: identity\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Encoding")));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n" + kBody.substr(0, kBody.size() / 2)));
  EXPECT_TRUE(is_delivered(journal()));
}

// With what has to be written at least, about a call where its point knows of calls.
std::string rule_of(const CatalogueEntry& fault) {
  const std::map<std::string_view, std::string> needed = {
      {"quota", ", limit: 1"}, {"capacity", ", limit: 1"}, {"barrier", ", count: 2"}};
  const auto more = needed.find(fault.name);
  const std::string_view at = fault.details.at(1).second;
  const bool is_before_calls = at.starts_with("connect") || at.starts_with("handshake");
  return "{on: " + std::string(is_before_calls ? "any" : "POST /v1/charges") +
         ", fault: {kind: " + std::string(fault.name) + (more == needed.end() ? "" : more->second) +
         "}}";
}

TEST_F(UpstreamFaults, EveryFaultOfTheCatalogueHasAPlaceOverAnUpstream) {
  start(RawUpstream::answers(created()));
  std::size_t faults = 0;
  for (const CatalogueEntry& fault : fault_catalogue()) {
    const std::string text = "mishap: 1\nscenario: t\napi: {upstream: \"" + url() +
                             "\", tls: true}\nfaults:\n  - " + rule_of(fault) + "\n";
    const auto loaded = scenarios::load_scenario_text("t.yaml", text, ".", {});
    ASSERT_TRUE(loaded.scenario) << fault.name;
    const auto wrong = check_scenario(*loaded.scenario);
    if (fault.name == "items_failed") {
      EXPECT_TRUE(has_errors(wrong)) << "an upstream's batches are its own";
      continue;
    }
    EXPECT_FALSE(has_errors(wrong)) << fault.name << ": " << render(wrong.at(0));
    ++faults;
  }
  EXPECT_GE(faults, 38U);
}

}  // namespace
}  // namespace mishap::server
