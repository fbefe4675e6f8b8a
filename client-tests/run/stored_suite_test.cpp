#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <tuple>

#include "mishap/recording.h"

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class StoredSuite : public ::testing::Test {
 protected:
  StoredSuite() {
    std::string pattern = (fs::temp_directory_path() / "stored-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~StoredSuite() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  std::string at(const std::string& name) const { return root_ + "/" + name; }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  static void change(const fs::path& path, const std::string& from, const std::string& to) {
    std::string text = text_of(path);
    const auto place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    std::ofstream(path) << text.replace(place, from.size(), to);
  }

  // Every file below, by its name in the folder.
  static std::map<std::string, std::string> files_of(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        files[fs::relative(entry.path(), folder).string()] = text_of(entry.path());
      }
    }
    return files;
  }

  std::string root_;
};

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
      {milliseconds(6), 2, "ref\n2", OutcomeKind::Pending, "", {}, {}, "", "\xFE"}};
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
  process.sockets = {{50123, milliseconds(3), milliseconds(4)}};
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

void expect_same(const SourceSpan& a, const SourceSpan& b) {
  ASSERT_EQ(a.source == nullptr, b.source == nullptr);
  if (a.source) {
    EXPECT_EQ(a.source->name, b.source->name);
    EXPECT_EQ(a.source->text, b.source->text);
  }
  EXPECT_EQ(a.line, b.line);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.length, b.length);
}

void expect_same(const Node& a, const Node& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.quoted, b.quoted);
  expect_same(a.span, b.span);
  ASSERT_EQ(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < a.items.size(); ++i) expect_same(a.items[i], b.items[i]);
  ASSERT_EQ(a.members.size(), b.members.size());
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    expect_same(a.members[i].first, b.members[i].first);
    expect_same(a.members[i].second, b.members[i].second);
  }
}

void expect_same(const scenarios::Count& a, const scenarios::Count& b) {
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.last, b.last);
  EXPECT_EQ(a.every, b.every);
  expect_same(a.span, b.span);
}

void expect_same(const std::optional<scenarios::Count>& a,
                 const std::optional<scenarios::Count>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (a) expect_same(*a, *b);
}

void expect_same(const ScenarioFacts& a, const ScenarioFacts& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.pack, b.pack);
  EXPECT_EQ(a.summary, b.summary);
  EXPECT_EQ(a.stands_for, b.stands_for);
  EXPECT_EQ(a.consequence, b.consequence);
  EXPECT_EQ(a.remedy, b.remedy);
  EXPECT_EQ(a.tags, b.tags);
  EXPECT_EQ(a.apis, b.apis);
  EXPECT_EQ(a.offers_lookup, b.offers_lookup);
  EXPECT_EQ(a.offers_keys, b.offers_keys);
  EXPECT_EQ(a.compare_with, b.compare_with);
  EXPECT_EQ(a.copies, b.copies);
  EXPECT_EQ(a.kill_after, b.kill_after);
  EXPECT_EQ(a.promise.profile, b.promise.profile);
  EXPECT_EQ(a.promise.max_attempts, b.promise.max_attempts);
  EXPECT_EQ(a.promise.attempt_timeout, b.promise.attempt_timeout);
  EXPECT_EQ(a.promise.deadline, b.promise.deadline);
  EXPECT_EQ(a.promise.max_delay, b.promise.max_delay);
  EXPECT_EQ(a.promise.retries, b.promise.retries);
}

void expect_same(const RuleFacts& a, const RuleFacts& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.fault, b.fault);
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.on, b.on);
  EXPECT_EQ(a.called_in_control, b.called_in_control);
  EXPECT_EQ(a.ambiguous, b.ambiguous);
  expect_same(a.op, b.op);
  expect_same(a.attempt, b.attempt);
  expect_same(a.request, b.request);
  EXPECT_EQ(a.rate, b.rate);
}

void expect_same(const scenarios::Matcher& a, const scenarios::Matcher& b) {
  EXPECT_EQ(a.api, b.api);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.call_class, b.call_class);
  EXPECT_EQ(a.headers, b.headers);
  EXPECT_EQ(a.query, b.query);
  EXPECT_EQ(a.body, b.body);
  EXPECT_EQ(a.text, b.text);
  expect_same(a.span, b.span);
}

void expect_same(const scenarios::ExpectedCall& a, const scenarios::ExpectedCall& b) {
  expect_same(a.on, b.on);
  expect_same(a.count, b.count);
  ASSERT_EQ(a.after.has_value(), b.after.has_value());
  if (a.after) expect_same(*a.after, *b.after);
  expect_same(a.span, b.span);
}

void expect_same(const scenarios::ExpectedCounts& a, const scenarios::ExpectedCounts& b) {
  EXPECT_EQ(a.outcome, b.outcome);
  expect_same(a.attempts, b.attempts);
  ASSERT_EQ(a.effects.size(), b.effects.size());
  for (const auto& [name, count] : a.effects) expect_same(count, b.effects.at(name));
  ASSERT_EQ(a.seen.size(), b.seen.size());
  for (const auto& [status, count] : a.seen) expect_same(count, b.seen.at(status));
  ASSERT_EQ(a.calls.size(), b.calls.size());
  for (std::size_t i = 0; i < a.calls.size(); ++i) expect_same(a.calls[i], b.calls[i]);
  expect_same(a.span, b.span);
}

void expect_same(const OutcomeLine& a, const OutcomeLine& b) {
  const auto all = [](const OutcomeLine& one) {
    return std::tie(one.at, one.copy, one.operation, one.outcome, one.id, one.attempts,
                    one.duration_ms, one.category, one.error);
  };
  EXPECT_EQ(all(a), all(b));
}

void expect_same(const DriveFacts& a, const DriveFacts& b) {
  const auto all = [](const DriveFacts& one) {
    return std::tie(one.copy, one.what, one.started, one.ended, one.stop, one.exit_code, one.signal,
                    one.status, one.error, one.foreign_addresses);
  };
  EXPECT_EQ(all(a), all(b));
}

void expect_same(const ProcessFacts& a, const ProcessFacts& b) {
  EXPECT_EQ(a.copy, b.copy);
  EXPECT_EQ(a.role, b.role);
  EXPECT_EQ(a.told_to_end, b.told_to_end);
  EXPECT_EQ(a.started, b.started);
  EXPECT_EQ(a.ended, b.ended);
  EXPECT_EQ(a.stop, b.stop);
  EXPECT_EQ(a.exit_code, b.exit_code);
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.cpu_seconds, b.cpu_seconds);
  EXPECT_EQ(a.peak_rss, b.peak_rss);
  EXPECT_EQ(a.peak_fds, b.peak_fds);
  EXPECT_EQ(a.foreign_addresses, b.foreign_addresses);
  EXPECT_EQ(a.listening, b.listening);
  EXPECT_EQ(a.left_behind, b.left_behind);
  ASSERT_EQ(a.sockets.size(), b.sockets.size());
  for (std::size_t i = 0; i < a.sockets.size(); ++i) {
    EXPECT_EQ(a.sockets[i].local_port, b.sockets[i].local_port);
    EXPECT_EQ(a.sockets[i].first_seen, b.sockets[i].first_seen);
    EXPECT_EQ(a.sockets[i].last_seen, b.sockets[i].last_seen);
  }
}

void expect_same(const Captured& a, const Captured& b) {
  EXPECT_EQ(a.copy, b.copy);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.head, b.head);
  EXPECT_EQ(a.tail, b.tail);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.lines, b.lines);
  EXPECT_EQ(a.masked, b.masked);
  EXPECT_EQ(a.canary_hits, b.canary_hits);
}

void expect_same(const scenarios::Expectation& a, const scenarios::Expectation& b) {
  EXPECT_EQ(a.check, b.check);
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.reason, b.reason);
  expect_same(a.parameters, b.parameters);
  expect_same(a.span, b.span);
}

void expect_same(const Recording& a, const Recording& b);

template <typename T>
void expect_same(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same(const Recording& a, const Recording& b) {
  EXPECT_EQ(a.mishap_version, b.mishap_version);
  expect_same(a.scenario, b.scenario);
  expect_same(a.scenario.rules, b.scenario.rules);
  expect_same(a.scenario.expectations, b.scenario.expectations);
  expect_same(a.scenario.counts, b.scenario.counts);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.is_control, b.is_control);
  EXPECT_EQ(a.control, b.control);
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.child, b.child);
  EXPECT_EQ(a.client_done, b.client_done);
  EXPECT_EQ(a.outcomes_offered, b.outcomes_offered);
  EXPECT_EQ(a.wall_start, b.wall_start);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(server::to_json_lines(a.journal), server::to_json_lines(b.journal));
  expect_same(a.outcomes, b.outcomes);
  EXPECT_EQ(a.bad_outcome_lines, b.bad_outcome_lines);
  expect_same(a.processes, b.processes);
  expect_same(a.output, b.output);
  expect_same(a.drives, b.drives);
  EXPECT_EQ(a.trouble, b.trouble);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.not_run, b.not_run);
}

TEST_F(StoredSuite, ComesBackEqual) {
  const Suite suite = a_suite();
  ASSERT_TRUE(store_suite(suite, at("run")));
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << render(loaded.error());
  EXPECT_EQ(loaded->name, suite.name);
  EXPECT_EQ(loaded->seed, suite.seed);
  EXPECT_EQ(loaded->again, suite.again);
  EXPECT_EQ(loaded->project, suite.project);
  EXPECT_EQ(loaded->jobs, suite.jobs);
  EXPECT_EQ(loaded->jobs_reason, suite.jobs_reason);
  EXPECT_EQ(loaded->length, suite.length);
  EXPECT_EQ(loaded->stopped, suite.stopped);
  EXPECT_EQ(loaded->targets, suite.targets);
  EXPECT_EQ(loaded->narrowed, suite.narrowed);
  EXPECT_EQ(loaded->shard, suite.shard);
  EXPECT_EQ(loaded->day, suite.day);
  EXPECT_EQ(loaded->known, suite.known);
  EXPECT_EQ(loaded->strict_known, suite.strict_known);
  EXPECT_TRUE(loaded->recordings[0].companion);
  ASSERT_EQ(loaded->recordings[0].earlier.size(), 1U);
  EXPECT_EQ(loaded->recordings[0].earlier[0].why, "the machine was busy");
  EXPECT_EQ(loaded->recordings[0].earlier[0].wall_start, milliseconds(1));
  EXPECT_EQ(loaded->recordings[0].earlier[0].length, milliseconds(2));
  expect_same(loaded->controls, suite.controls);
  expect_same(loaded->recordings, suite.recordings);
}

TEST_F(StoredSuite, GivesTheSameBytesWhenStoredAgain) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded);
  ASSERT_TRUE(store_suite(*loaded, at("again")));
  const auto first = files_of(at("run"));
  EXPECT_EQ(first, files_of(at("again")));
  EXPECT_GE(first.size(), 20U);
}

TEST_F(StoredSuite, OfAnOlderVersionTakesDefaultsForWhatItDidNotKnow) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  for (const std::string name : {"targets", "narrowed", "shard", "day", "known", "strict_known"}) {
    change(at("run/suite.json"), "\"" + name + "\":", "\"not-" + name + "\":");
  }
  for (const std::string name : {"companion", "earlier"}) {
    change(at("run/core-lost/recording.json"), "\"" + name + "\":", "\"not-" + name + "\":");
  }
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(loaded->known.empty() && loaded->targets.empty() && loaded->shard.empty());
  EXPECT_FALSE(loaded->strict_known || loaded->narrowed);
  EXPECT_FALSE(loaded->recordings[0].companion);
  EXPECT_TRUE(loaded->recordings[0].earlier.empty());
}

TEST_F(StoredSuite, OfNothingComesBackAsWell) {
  ASSERT_TRUE(store_suite(Suite{}, at("run")));
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->recordings.empty());
}

TEST_F(StoredSuite, NamesItsFoldersSafelyAndApart) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  for (const char* name : {"control-healthy", "core-lost", "core-lost-2", "_.-..-etc"}) {
    EXPECT_TRUE(fs::is_regular_file(at("run") + "/" + name + "/recording.json")) << name;
  }
}

TEST_F(StoredSuite, IsForItsOwnerOnly) {
  ASSERT_TRUE(store_suite(a_suite(), at("runs/run")));
  for (const auto& entry : fs::recursive_directory_iterator(at("runs"))) {
    const auto others = entry.status().permissions() & fs::perms(077);
    EXPECT_EQ(others, fs::perms::none) << entry.path();
  }
}

TEST_F(StoredSuite, HidesOnlyItsOwnFolderFromGit) {
  ASSERT_TRUE(store_suite(Suite{}, at("mishap-runs/one")));
  EXPECT_EQ(text_of(at("mishap-runs/.gitignore")), "*\n");
  EXPECT_FALSE(fs::exists(at("mishap-runs/one/.gitignore")));
  ASSERT_TRUE(store_suite(Suite{}, at("project/out/")));
  EXPECT_FALSE(fs::exists(at("project/.gitignore")));
  EXPECT_EQ(text_of(at("project/out/.gitignore")), "*\n");
}

TEST_F(StoredSuite, ReplacesAnOlderOneAndItsVerdict) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  std::ofstream(at("run/verdict.json")) << "{}";
  Suite other;
  other.name = "other";
  ASSERT_TRUE(store_suite(other, at("run")));
  EXPECT_EQ(load_suite(at("run"))->name, "other");
  EXPECT_FALSE(fs::exists(at("run/verdict.json")));
}

TEST_F(StoredSuite, SaysWhatIsMissing) {
  const auto nowhere = load_suite(at("nowhere"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::NotFound);
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  for (const char* name :
       {"output-0-stdout.head", "outcomes.jsonl", "journal.jsonl", "recording.json"}) {
    const std::string path = at("run/core-lost/") + name;
    fs::remove(path);
    const auto loaded = load_suite(at("run"));
    ASSERT_FALSE(loaded) << name;
    EXPECT_EQ(loaded.error().code, ErrorCode::NotFound);
    EXPECT_EQ(render(loaded.error()), path + ": there is no such file\n");
  }
}

TEST_F(StoredSuite, OfAnOlderMishapIsReadWithDefaults) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  change(at("run/suite.json"), "\"project\"", "\"of-long-ago\"");
  change(at("run/core-lost/recording.json"), "\"profile\"", "\"of-long-ago\"");
  change(at("run/core-lost/recording.json"), "\"listening\"", "\"of-long-ago\"");
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->project, "");
  EXPECT_EQ(loaded->recordings[0].scenario.promise.profile, "");
  EXPECT_TRUE(loaded->recordings[0].processes[0].listening.empty());
}

TEST_F(StoredSuite, RefusesWhatANewerMishapWrote) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  change(at("run/core-lost/recording.json"), "\"format\": 1", "\"format\": 2");
  const auto loaded = load_suite(at("run"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::BadInput);
  EXPECT_EQ(loaded.error().message, "written by a newer mishap: format 2, this one reads up to 1");
}

TEST_F(StoredSuite, WhatAnOlderMishapDidNotKnowTakesItsDefault) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  for (const char* member : {"\"trouble\"", "\"drives\"", "\"role\"", "\"told_to_end\""}) {
    change(at("run/core-lost/recording.json"), member, "\"not_there\"");
  }
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Recording& recording = loaded->recordings.at(0);
  EXPECT_EQ(recording.trouble, "");
  EXPECT_TRUE(recording.drives.empty());
  EXPECT_EQ(recording.processes.at(0).role, ProcessRole::Command);
  EXPECT_FALSE(recording.processes.at(0).told_to_end);
}

TEST_F(StoredSuite, AListThatAnOlderMishapDidNotKnowIsEmpty) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  change(at("run/core-lost/recording.json"), "\"calls\"", "\"unheard-of\"");
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(loaded->recordings.front().scenario.counts.calls.empty());
}

struct Corruption {
  const char* file;
  const char* from;
  const char* to;
  const char* message;
  int line;
};

TEST_F(StoredSuite, SaysWhereAFileIsCorrupt) {
  const Corruption corruptions[] = {
      {"suite.json", "\"seed\": 77,", "\"seed\": 77 oops,", "not valid JSON", 4},
      {"suite.json", "\"seed\": 77,", "\"seed\": -77,", "/seed must be a whole number in its range",
       0},
      {"suite.json", "\"jobs\"", "\"bobs\"", "/jobs is missing", 0},
      {"suite.json", "\"core-lost\"", "\"../run/core-lost\"", "is not the name of a folder in it",
       0},
      {"core-lost/recording.json", "\"rate\": 0.1", "\"rate\": \"x\"",
       "/scenario/rules/0/rate must be a number", 0},
      {"core-lost/recording.json", "\"killed\"", "\"vanished\"",
       "/processes/0/stop is a word that this mishap does not know", 0},
      {"core-lost/recording.json", "\"local_port\": 50123", "\"local_port\": 70000",
       "/processes/0/sockets/0/local_port must be a whole number in its range", 0},
      {"core-lost/outcomes.jsonl", "\"pending\"", "\"perhaps\"",
       "/outcome is a word that this mishap does not know", 2},
      {"core-lost/outcomes.jsonl", "\"copy\":2", "\"copy\":,", "not valid JSON", 2},
  };
  for (const auto& corruption : corruptions) {
    fs::remove_all(at("run"));
    ASSERT_TRUE(store_suite(a_suite(), at("run")));
    const std::string path = at("run/") + corruption.file;
    change(path, corruption.from, corruption.to);
    const auto loaded = load_suite(at("run"));
    ASSERT_FALSE(loaded) << corruption.to;
    EXPECT_THAT(loaded.error().message, HasSubstr(corruption.message));
    EXPECT_EQ(loaded.error().span.line, corruption.line) << corruption.to;
    EXPECT_EQ(loaded.error().span.source->name, path);
    EXPECT_EQ(loaded.error().code, ErrorCode::BadInput);
  }
}

TEST_F(StoredSuite, NamesTheFileOfABrokenJournal) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  const std::string path = at("run/core-lost/journal.jsonl");
  std::ofstream(path, std::ios::app) << "{broken\n";
  const auto loaded = load_suite(at("run"));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(render(loaded.error()), HasSubstr(path));
  EXPECT_THAT(loaded.error().message, HasSubstr("line"));
}

TEST_F(StoredSuite, SurvivesAnyCutOfItsFiles) {
  Suite suite;
  suite.recordings = {a_recording("one")};
  ASSERT_TRUE(store_suite(suite, at("run")));
  const std::string path = at("run/one/recording.json");
  const std::string whole = text_of(path);
  for (std::size_t size = 0; size + 2 < whole.size(); size += 37) {
    std::ofstream(path) << whole.substr(0, size);
    EXPECT_FALSE(load_suite(at("run"))) << size;
  }
}

TEST_F(StoredSuite, RefusesNodesWithoutEnd) {
  Suite suite;
  suite.recordings = {a_recording("one")};
  ASSERT_TRUE(store_suite(suite, at("run")));
  const std::string open =
      R"({"kind":"list","text":"","quoted":false,"members":[],"span":[-1,0,0,1],"items":[)";
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += open;
  for (int i = 0; i < 5000; ++i) deep += "]}";
  change(at("run/one/recording.json"), "\"parameters\": {",
         "\"parameters\": " + deep + ",\"x\": {");
  const auto loaded = load_suite(at("run"));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("nested too deeply"));
}

TEST_F(StoredSuite, SaysWhenItCannotBeWritten) {
  std::ofstream(at("file")) << "x";
  const auto stored = store_suite(Suite{}, at("file/run"));
  ASSERT_FALSE(stored);
  EXPECT_THAT(render(stored.error()), HasSubstr(at("file")));
}

TEST_F(StoredSuite, DoesNotWriteThroughALink) {
  fs::create_directories(at("run"));
  std::ofstream(at("victim")) << "precious";
  fs::create_symlink(at("victim"), at("run/suite.json"));
  fs::create_symlink(at("victim"), at("run/suite.json.new"));
  ASSERT_TRUE(store_suite(Suite{}, at("run")));
  EXPECT_EQ(text_of(at("victim")), "precious");
  EXPECT_TRUE(load_suite(at("run")));
}

}  // namespace
}  // namespace mishap::client_tests
