#include "client-tests/driver/controls.h"

#include <gmock/gmock.h>

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

server::Exchange call(std::string method, std::string path, StatusCode status = 200) {
  server::Exchange exchange;
  exchange.request.method = std::move(method);
  exchange.request.target = path;
  exchange.request.path = std::move(path);
  exchange.answer.status = status;
  exchange.on_connection = 1;
  return exchange;
}

Recording control(std::deque<server::Exchange> exchanges, int exit_code = 0) {
  Recording recording;
  recording.journal.exchanges = std::move(exchanges);
  ProcessFacts process;
  process.exit_code = exit_code;
  recording.processes = {process};
  return recording;
}

TEST(WhyNothingCame, IsSilentWhereARequestCame) {
  EXPECT_TRUE(why_nothing_came(control({call("GET", "/x")}), 15s).empty());
}

TEST(WhyNothingCame, TellsEndedFromNeverEndedAndNamesOtherAddresses) {
  auto ended = control({});
  ended.processes.front().foreign_addresses = {"203.0.113.7:443"};
  const auto lines = why_nothing_came(ended, 15s);
  EXPECT_THAT(lines.at(0), HasSubstr("exit code 0 and sent no request"));
  EXPECT_THAT(lines.at(1), HasSubstr("203.0.113.7:443"));
  auto stuck = control({});
  stuck.processes.front().stop = Stop::Killed;
  EXPECT_THAT(why_nothing_came(stuck, 15s).at(0),
              HasSubstr("within 15s and the client did not end"));
}

TEST(WhyNothingCame, TellsOfAClientThatWantedAnotherHost) {
  auto elsewhere = control({});
  elsewhere.journal.connections.emplace_back().asked_for = "auth.vendor.com:443";
  EXPECT_THAT(why_nothing_came(elsewhere, 15s).at(1), HasSubstr("asked the proxy for auth.vendor"));
}

TEST(WhyNothingCame, TellsOfAClientThatTrustsUsNot) {
  auto untrusting = control({});
  auto& connection = untrusting.journal.connections.emplace_back();
  connection.api = "any";
  connection.tls.emplace().failure = "the client sent an alert";
  const auto lines = why_nothing_came(untrusting, 15s);
  EXPECT_EQ(lines.at(1), "it came, and TLS failed: the client sent an alert");
  EXPECT_THAT(lines.at(2), HasSubstr("MISHAP_CA"));
}

TEST(WhyNothingCame, DoesNotWonderAboutADriveThatTalksToItsService) {
  auto driven = control({});
  driven.processes.front().role = ProcessRole::Service;
  driven.processes.front().listening = {4000};
  driven.drives.emplace_back().foreign_addresses = {"127.0.0.1:4000", "127.0.0.1:14000"};
  const auto lines = why_nothing_came(driven, 15s);
  EXPECT_THAT(lines.at(1), HasSubstr("127.0.0.1:14000"));
  EXPECT_THAT(lines.at(1), testing::Not(HasSubstr("127.0.0.1:4000")));
}

TEST(Difference, ComparesCallsByMethodAndAnswerAndTheEnding) {
  const auto alone = control({call("POST", "/a/1"), call("GET", "/b")});
  EXPECT_EQ(difference(alone, control({call("GET", "/b"), call("POST", "/a/77")})), "");
  EXPECT_THAT(difference(alone, control({call("GET", "/b")})), HasSubstr("beside a second one"));
  EXPECT_THAT(difference(alone, control({call("POST", "/a/1"), call("GET", "/b", 409)})),
              HasSubstr("GET answered 409"));
  EXPECT_THAT(difference(alone, control({call("POST", "/a/1"), call("GET", "/b")}, 1)),
              HasSubstr("exit code 1"));
}

TEST(Difference, OfAServiceDoesNotCountItsPolls) {
  const auto polling = [](int polls, int creates) {
    auto recording = control({});
    recording.processes.front().role = ProcessRole::Service;
    for (int i = 0; i < polls; ++i) recording.journal.exchanges.push_back(call("GET", "/jobs"));
    for (auto& exchange : recording.journal.exchanges) exchange.safe = true;
    for (int i = 0; i < creates; ++i) recording.journal.exchanges.push_back(call("POST", "/r"));
    return recording;
  };
  EXPECT_EQ(difference(polling(7, 2), polling(6, 2)), "");
  EXPECT_NE(difference(polling(7, 2), polling(7, 1)), "");
  EXPECT_NE(difference(polling(7, 2), polling(0, 2)), "");
}

scenarios::Scenario with_rule(const std::string& method, const std::string& path) {
  scenarios::Scenario scenario;
  scenarios::FaultRule rule;
  rule.name = "r";
  rule.on.method = method;
  rule.on.path = path;
  scenario.rules = {rule};
  return scenario;
}

TEST(MarkCalled, AsksWhetherTheControlMadeTheCallOfARule) {
  const auto recording = control({call("POST", "/orders")});
  std::vector<RuleFacts> rules(1);
  EXPECT_TRUE(mark_called(with_rule("POST", "*"), recording, rules));
  EXPECT_TRUE(rules.front().called_in_control);
  EXPECT_FALSE(mark_called(with_rule("GET", "*"), recording, rules));
  EXPECT_FALSE(rules.front().called_in_control);
}

TEST(MarkCalled, ACallThatIsNeverSecondOnItsConnectionGivesNoOccasion) {
  auto scenario = with_rule("POST", "*");
  scenario.rules.front().when.request_on_connection = scenarios::Count{.first = 2, .span = {}};
  std::vector<RuleFacts> rules(1);
  EXPECT_FALSE(mark_called(scenario, control({call("POST", "/orders")}), rules));
  auto reused = call("POST", "/orders");
  reused.on_connection = 2;
  EXPECT_TRUE(mark_called(scenario, control({reused}), rules));
}

TEST(MarkCalled, AClientThatIsDoneBeforeARuleBeginsGivesNoOccasion) {
  auto scenario = with_rule("POST", "*");
  auto recording = control({call("POST", "/orders")});
  recording.journal.connections.emplace_back().accepted = 100ms;
  recording.journal.exchanges.front().first_byte = 2050ms;
  std::vector<RuleFacts> rules(1);
  scenario.rules.front().when.during = {{1950ms, 3s}};
  EXPECT_TRUE(mark_called(scenario, recording, rules));
  scenario.rules.front().when.during = {{1951ms, 3s}};
  EXPECT_FALSE(mark_called(scenario, recording, rules));
  scenario.rules.front().when.during.reset();
  scenario.rules.front().when.during_phase = "down";
  scenario.timeline = {{"up", 1s}, {"down", 1s}, {"up", 1s}, {"down", 1s}};
  EXPECT_TRUE(mark_called(scenario, recording, rules));
  scenario.timeline.front().length = 2s;
  EXPECT_FALSE(mark_called(scenario, recording, rules));
}

TEST(SameVendor, LooksAtWhatDecidesAnAnswer) {
  scenarios::Scenario a;
  a.apis.emplace_back();
  a.apis.front().any_path = true;
  auto b = a;
  b.rules.emplace_back();
  EXPECT_TRUE(same_vendor(a, b));
  b.apis.front().auth.required = true;
  EXPECT_FALSE(same_vendor(a, b));
}

TEST(SameVendor, LooksAtHowItIsSpokenTo) {
  scenarios::Scenario plain;
  plain.apis.resize(1);
  auto over_tls = plain;
  over_tls.apis[0].tls.emplace();
  EXPECT_FALSE(same_vendor(plain, over_tls));
  auto named = over_tls;
  EXPECT_TRUE(same_vendor(over_tls, named));
  named.apis[0].tls->names = {"api.vendor.com"};
  EXPECT_FALSE(same_vendor(over_tls, named));
}

TEST(SameVendor, LooksAtTheUpstream) {
  scenarios::Scenario a;
  a.apis.emplace_back();
  a.apis.front().upstream.emplace();
  a.apis.front().upstream->authority = "sandbox.test";
  auto b = a;
  EXPECT_TRUE(same_vendor(a, b));
  b.apis.front().upstream->authority = "elsewhere.test";
  EXPECT_FALSE(same_vendor(a, b));
}

TEST(WhyUpstreamFailed, TellsWhatTheUpstreamDid) {
  EXPECT_TRUE(why_upstream_failed(control({call("GET", "/x")})).empty());
  auto failed = call("GET", "/x", 502);
  failed.upstream.failure = "https://sandbox.test: it cannot be reached";
  EXPECT_THAT(why_upstream_failed(control({failed})).at(0), HasSubstr("it cannot be reached"));
}

}  // namespace
}  // namespace mishap::client_tests
