#include "client-tests/run/stored_suite_fixture.h"

#include <stdlib.h>

#include <fstream>
#include <memory>
#include <sstream>

namespace mishap::client_tests {
namespace fs = std::filesystem;
using std::chrono::milliseconds;

namespace {

std::shared_ptr<const SourceText> a_source() {
  return std::make_shared<const SourceText>(SourceText{"my.yaml", "expect:\n  checks: [a]\n"});
}

scenarios::Count count_of(std::uint64_t first, std::uint64_t last, const SourceSpan& span) {
  scenarios::Count count;
  count.first = first;
  count.last = last;
  count.every = 3;
  count.span = span;
  return count;
}

Node node_of(const SourceSpan& span) {
  Node key;
  key.kind = Node::Kind::Scalar;
  key.text = "within";
  Node value;
  value.kind = Node::Kind::Scalar;
  value.text = "2s";
  value.quoted = true;
  value.span = span;
  Node list;
  list.kind = Node::Kind::List;
  list.items = {value, Node{}};
  Node map;
  map.kind = Node::Kind::Map;
  map.members = {{key, value}, {key, list}};
  map.span = span;
  return map;
}

ScenarioFacts facts_of(const std::string& name) {
  const SourceSpan span{a_source(), 2, 3, 4};
  ScenarioFacts facts;
  facts.name = name;
  facts.pack = "core";
  facts.summary = "summary";
  facts.stands_for = "stands for";
  facts.consequence = "consequence";
  facts.remedy = "remedy";
  facts.tags = {"read", "create"};
  facts.rules = {{"rule", "latency", "before_effect", "POST /x", true, true, count_of(1, 2, span),
                  count_of(2, 4, span), count_of(3, 5, {}), 0.1}};
  facts.rules.push_back({});
  facts.apis = {"booking"};
  facts.offers_lookup = true;
  facts.offers_keys = true;
  facts.promise.profile = "b2b";
  facts.promise.max_attempts = 5;
  facts.promise.attempt_timeout = milliseconds(1500);
  facts.promise.deadline = milliseconds(20000);
  facts.promise.max_delay = milliseconds(7);
  facts.promise.retries = false;
  facts.promise.answer_within = milliseconds(3000);
  facts.promise.breaker = milliseconds(1000);
  facts.promise.retry_budget = 2;
  scenarios::Expectation expectation;
  expectation.check = "bounded_attempts";
  expectation.level = scenarios::Level::Required;
  expectation.reason = "because";
  expectation.parameters = node_of(span);
  expectation.span = span;
  facts.expectations = {expectation, {}};
  facts.counts.outcome = "failed";
  facts.counts.attempts = count_of(1, 9, span);
  facts.counts.effects = {{"bookings", count_of(1, 1, span)}, {"users", {}}};
  facts.counts.seen = {{503, count_of(2, 2, {})}, {429, {}}};
  scenarios::ExpectedCall call;
  call.on.api = "pay";
  call.on.method = "POST";
  call.on.path = "/v1/confirm";
  call.on.call_class = scenarios::CallClass::Unsafe;
  call.on.headers = {{"X-A", "1"}};
  call.on.query = {{"b", "2"}};
  call.on.text = "pay POST /v1/confirm";
  call.on.span = span;
  call.count = count_of(1, 1, span);
  call.after = call.on;
  call.span = span;
  facts.counts.calls = {call, {}};
  facts.counts.span = span;
  facts.compare_with = "core/other";
  facts.copies = 3;
  facts.kill_after = milliseconds(30000);
  facts.runs_after = 2;
  return facts;
}

server::Journal a_journal() {
  server::Journal journal;
  server::Connection connection;
  connection.number = 1;
  connection.client_port = 50123;
  journal.connections = {connection};
  server::Exchange exchange;
  exchange.number = 1;
  exchange.connection = 1;
  exchange.first_byte = milliseconds(12);
  exchange.request.method = "POST";
  exchange.request.headers = {{"Authorization", "Bearer #1", true}};
  exchange.receipt.first_write = milliseconds(14);
  journal.exchanges = {exchange};
  journal.lost = 2;
  return journal;
}

}  // namespace

StoredSuite::StoredSuite() {
  std::string pattern = (fs::temp_directory_path() / "stored-XXXXXX").string();
  root_ = ::mkdtemp(pattern.data());
}

StoredSuite::~StoredSuite() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string StoredSuite::text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void StoredSuite::change(const fs::path& path, const std::string& from, const std::string& to) {
  std::string text = text_of(path);
  const auto place = text.find(from);
  ASSERT_NE(place, std::string::npos) << from;
  std::ofstream(path) << text.replace(place, from.size(), to);
}

std::map<std::string, std::string> StoredSuite::files_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] = text_of(entry.path());
    }
  }
  return files;
}

Recording a_recording(const std::string& name) {
  Recording recording;
  recording.mishap_version = "1.2.3";
  recording.scenario = facts_of(name);
  recording.seed = 0xFFFFFFFFFFFFFFFFULL;
  recording.is_control = true;
  recording.control = "healthy";
  recording.command = {"client", "--name=\xC3\xA9", "not utf-8: \xFF\x01", ""};
  recording.child = false;
  recording.client_done = true;
  recording.outcomes_offered = false;
  recording.wall_start = std::chrono::nanoseconds(1795983245123456789);
  recording.length = std::chrono::nanoseconds(1234567891);
  recording.journal = a_journal();
  recording.outcomes = {
      {milliseconds(5), 1, "ref-1", OutcomeKind::Succeeded, "bk_1", 3, 0.1, "c", "e"},
      {milliseconds(6), 2, "ref\n2", OutcomeKind::Pending, "", {}, {}, "", "\xFE"},
      {milliseconds(7), 2, "GET /p", OutcomeKind::Succeeded, "", {}, {}, "", "", true, "monday"}};
  recording.bad_outcome_lines = {"line 3: not JSON"};
  ProcessFacts process;
  process.copy = 2;
  process.role = ProcessRole::Service;
  process.told_to_end = milliseconds(3);
  process.started = milliseconds(1);
  process.ended = milliseconds(2);
  process.stop = Stop::Killed;
  process.exit_code = 4;
  process.signal = 9;
  process.samples = 7;
  process.cpu_seconds = 0.1 + 0.2;
  process.peak_rss = 1ULL << 40;
  process.peak_fds = 12;
  process.sockets = {{50123, milliseconds(3), milliseconds(4), milliseconds(3), milliseconds(4)},
                     {50124, milliseconds(5), milliseconds(6)}};
  process.series = {{milliseconds(1), milliseconds(2), 3, 4, 5, 6},
                    {milliseconds(51), milliseconds(2), 1ULL << 40, 4, 5, 0}};
  process.foreign_addresses = {"203.0.113.7:443"};
  process.listening = {3000, 8080};
  process.left_behind = 3;
  recording.processes = {process, {}};
  recording.output = {{2, "stdout", std::string("head\0\xFF", 6), "tail\n", 1ULL << 33, 9, 2, 1},
                      {2, "stderr", "", "", 0, 0, 0, 0}};
  recording.drives = {{2,
                       "npm test",
                       milliseconds(4),
                       milliseconds(5),
                       Stop::Signalled,
                       6,
                       7,
                       201,
                       "error",
                       {"203.0.113.7:443"}},
                      {}};
  recording.calibration = {2, milliseconds(250), {milliseconds(251), milliseconds(252)}};
  recording.outcomes.back().kept = "drafts/a.json";
  recording.outcomes.back().kept_bytes = 80;
  recording.processes.back().life = 2;
  recording.processes.back().run = 3;
  recording.output.back().canary_forms = {"as base64", "in clear"};
  recording.output.back().sensitive_hits = {"mail"};
  recording.output.back().unread = 7;
  recording.claims = {{"{state}/*.log"}, true, {"mail", "card"}, true, true};
  recording.dead_letters = {{1, 2, "ref-1", "503", 3, true, "p.json", 9}, {}};
  recording.unread_dead_letters = {1};
  recording.telemetry = {{1, 2, "", {{"attempts", 3}, {"retries", 1}}}, {0, 1, "no file", {}}};
  recording.no_second_run = "nothing undone";
  recording.trouble = "never ready";
  recording.notes = {"a note"};
  recording.not_run = "no such call";
  return recording;
}

Suite a_suite() {
  Suite suite;
  suite.name = "2026-11-29T20-14-05-core";
  suite.seed = 77;
  suite.again = "mishap test core";
  suite.project = "../mishap.yaml";
  suite.jobs = 4;
  suite.jobs_reason = "reason";
  suite.length = milliseconds(4321);
  suite.controls = {a_recording("healthy")};
  suite.recordings = {a_recording("core/lost"), a_recording("core/lost"), a_recording("../../etc")};
  suite.recordings[1].is_control = false;
  suite.stopped = {"line"};
  suite.targets = {"core", "mine.yaml"};
  suite.narrowed = true;
  suite.shard = "2/4";
  suite.day = "2026-11-29";
  suite.known = {{"late-*", "no_duplicate_effects", "ABC-123", "2027-01-31", {}}};
  suite.strict_known = true;
  suite.recordings[0].companion = true;
  suite.recordings[0].earlier = {{"the machine was busy", milliseconds(1), milliseconds(2)}};
  return suite;
}

}  // namespace mishap::client_tests
