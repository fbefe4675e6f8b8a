#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "mishap/run.h"
#include "mishap/server.h"
#include "mishap/verdict.h"

// Whole suites in one process: real server, real children.
namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;

class SuiteTest : public testing::Test {
 protected:
  SuiteTest() : folder_(fs::temp_directory_path() / ("suite-test-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~SuiteTest() override { fs::remove_all(folder_); }

  static scenarios::Scenario scenario(const std::string& name, const std::string& rest) {
    auto loaded = scenarios::load_scenario_text(
        name, "mishap: 1\nscenario: " + name + "\napi: any\n" + rest, ".", {});
    EXPECT_TRUE(loaded.scenario) << (loaded.diagnostics.empty() ? ""
                                                                : render(loaded.diagnostics[0]));
    return std::move(*loaded.scenario);
  }

  TestOptions options(std::vector<std::string> command, int jobs) const {
    TestOptions options;
    options.client.command = std::move(command);
    options.jobs = jobs;
    options.seed = 5;
    options.folder = folder_.string();
    options.version = "test";
    return options;
  }

  const fs::path folder_;
  const server::SystemClock clock_;
};

// One GET, tried again until it is answered 200, four times at most.
const std::vector<std::string> kPatientClient = {
    "sh", "-c",
    "n=0; until curl -sf -o /dev/null $MISHAP_URL/v1/x; do n=$((n+1)); [ $n -ge 4 ] && exit 1; "
    "sleep 0.06; done"};

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

std::vector<std::pair<std::string, Verdict>> verdicts_of(const Suite& suite) {
  std::vector<std::pair<std::string, Verdict>> verdicts;
  for (const auto& one : judge(suite).cases) verdicts.emplace_back(one.scenario, one.verdict);
  return verdicts;
}

TEST_F(SuiteTest, TwoHundredRunsSideBySideJudgeLikeOneByOneAndLeaveNoDescriptor) {
  std::vector<scenarios::Scenario> all;
  std::vector<scenarios::Scenario> few;
  for (int i = 0; i < 200; ++i) {
    const auto spoiled = i % 2 == 0 ? "1..9" : "1";  // even ones never recover
    all.push_back(scenario("s" + std::to_string(i),
                           std::string("faults:\n  - {on: GET /v1/x, when: {request: ") + spoiled +
                               "}, fault: {kind: status, code: 503}}\nexpect: {attempts: 2..3}\n"));
    if (i % 40 < 2) few.push_back(all.back());
  }
  const auto before = open_descriptors();
  {
    auto server = server::start_server(clock_);
    ASSERT_TRUE(server);
    const auto many = run_suite(all, **server, options(kPatientClient, 32));
    ASSERT_TRUE(many) << many.error().message;
    const auto alone = run_suite(few, **server, options(kPatientClient, 1));
    ASSERT_TRUE(alone);
    const auto verdicts = verdicts_of(*many);
    ASSERT_EQ(verdicts.size(), 200U);
    for (const auto& [name, verdict] : verdicts) {
      const bool recovers = std::stoi(name.substr(1)) % 2 == 1;
      EXPECT_EQ(verdict, recovers ? Verdict::Pass : Verdict::Fail) << name;
    }
    for (const auto& one : verdicts_of(*alone)) {
      EXPECT_NE(std::ranges::find(verdicts, one), verdicts.end()) << one.first;
    }
  }
  EXPECT_EQ(open_descriptors(), before);
}

// Posts under a key that it keeps in its state folder, once.
const std::vector<std::string> kKeepingClient = {
    "sh", "-c",
    "cd $MISHAP_STATE; [ -e key ] || echo k$$ >key; echo run >>runs; "
    "curl -sf -o /dev/null -H \"Idempotency-Key: $(cat key)\" -d '{\"a\":1}' $MISHAP_URL/v1/x"};

TEST_F(SuiteTest, RunsTheClientAgainWithItsStateAndWithoutFaults) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  auto chosen = options(kKeepingClient, 1);
  chosen.client.logs = {"{state}/runs"};
  const std::string mark = (folder_ / "after").string();
  chosen.client.after = {"sh", "-c", "echo tidy >>" + mark};
  const auto suite = run_suite(
      {scenario("lost", "faults:\n  - {on: POST /v1/x, fault: response_lost}\nthen: {times: 2}\n")},
      **server, chosen);
  ASSERT_TRUE(suite) << suite.error().message;
  const Recording& run = suite->recordings.at(0);
  ASSERT_EQ(run.processes.size(), 3U);
  EXPECT_NE(run.processes[0].exit_code, 0);
  EXPECT_EQ(run.processes[1].exit_code, 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run.processes[static_cast<std::size_t>(i)].run, i + 1);
    EXPECT_EQ(run.processes[static_cast<std::size_t>(i)].life, i + 1);
  }
  ASSERT_EQ(run.journal.exchanges.size(), 3U);
  EXPECT_TRUE(run.journal.exchanges[1].rules.empty());
  EXPECT_TRUE(run.journal.exchanges[1].answer.replayed) << "one key in all runs";
  EXPECT_EQ(run.journal.effects.size(), 1U);
  std::size_t logs = 0;
  for (const auto& captured : run.output) logs += captured.stream.ends_with("file:runs") ? 1 : 0;
  EXPECT_EQ(logs, 3U) << "each run added a line";
  std::ifstream tidied(mark);
  const std::string all{std::istreambuf_iterator<char>(tidied), {}};
  EXPECT_EQ(all, "tidy\ntidy\n") << "behind the control, and behind all runs";
  EXPECT_EQ(judge(*suite).cases.at(0).verdict, Verdict::Pass);
}

TEST_F(SuiteTest, WhoLeavesNothingUndoneIsNotRunAgain) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  const auto suite = run_suite({scenario("fine",
                                         "faults:\n  - {on: GET /v1/x, when: {request: "
                                         "1}, fault: {kind: status, code: 503}}\n"
                                         "then: {}\n")},
                               **server, options(kPatientClient, 1));
  ASSERT_TRUE(suite) << suite.error().message;
  const Recording& run = suite->recordings.at(0);
  EXPECT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.no_second_run, "the first run left nothing undone");
}

TEST_F(SuiteTest, StopsAfterAControlThatSendsNothing) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  const auto suite = run_suite({scenario("a", "")}, **server, options({"true"}, 4));
  ASSERT_TRUE(suite);
  EXPECT_EQ(suite->controls.size(), 1U);
  EXPECT_TRUE(suite->recordings.empty());
  EXPECT_FALSE(suite->stopped.empty());
  EXPECT_EQ(judge(*suite).verdict, Verdict::Inconclusive);
}

TEST_F(SuiteTest, RunsOneByOneWhereTwoControlsSideBySideDiffer) {
  // Holds a lock while it runs: a second one beside it ends with 1.
  const auto lock = (folder_ / "lock").string();
  const std::vector<std::string> client = {
      "sh", "-c",
      "mkdir " + lock + " || exit 1; trap 'rmdir " + lock +
          "' EXIT; curl -sf -o /dev/null $MISHAP_URL/v1/x; sleep 0.3"};
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  const auto suite =
      run_suite({scenario("a", ""), scenario("b", "")}, **server, options(client, 4));
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_EQ(suite->jobs, 1);
  EXPECT_NE(suite->jobs_reason, "");
  EXPECT_EQ(judge(*suite).verdict, Verdict::Pass);
}

TEST_F(SuiteTest, WhatSettlesNothingIsRunAgainAloneWhenAllOthersHaveEnded) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  for (const auto& [times, expected] :
       std::vector<std::pair<int, std::size_t>>{{0, 0}, {1, 1}, {5, 2}}) {
    auto chosen = options({"sh", "-c", "curl -sf -o /dev/null $MISHAP_URL/v1/x"}, 2);
    std::vector<std::string> told;
    int asked = 0;
    chosen.undecided = [&](const Recording& recording, const Recording* control, const Recording*) {
      EXPECT_NE(control, nullptr);
      return recording.scenario.name == "a" && asked++ < times ? "open" : "";
    };
    chosen.on_begin = [&](const std::string& name) { told.push_back("+" + name); };
    chosen.on_end = [&](const Recording& one) { told.push_back("-" + one.scenario.name); };
    const auto suite = run_suite({scenario("a", ""), scenario("b", "")}, **server, chosen);
    ASSERT_TRUE(suite) << suite.error().message;
    ASSERT_EQ(suite->recordings.size(), 2U);
    EXPECT_EQ(suite->recordings[0].earlier.size(), expected);
    EXPECT_TRUE(suite->recordings[1].earlier.empty());
    for (const auto& tried : suite->recordings[0].earlier) {
      EXPECT_EQ(tried.why, "open");
      EXPECT_LT(tried.wall_start, suite->recordings[0].wall_start);
    }
    ASSERT_EQ(told.size(), 4 + 2 * expected);
    for (std::size_t i = 4; i < told.size(); i += 2) {
      EXPECT_EQ(told[i], "+a");
      EXPECT_EQ(told[i + 1], "-a");
    }
  }
}

TEST_F(SuiteTest, ACrowdRunsAloneBehindAllOthers) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  auto chosen = options({"sh", "-c", "curl -sf -o /dev/null $MISHAP_URL/v1/x"}, 4);
  std::vector<std::string> told;
  chosen.on_begin = [&](const std::string& name) { told.push_back("+" + name); };
  chosen.on_end = [&](const Recording& one) { told.push_back("-" + one.scenario.name); };
  const std::string crowd = "client: {copies: 8}\n";
  const auto suite = run_suite({scenario("crowd-1", crowd), scenario("a", ""),
                                scenario("crowd-2", crowd), scenario("b", "")},
                               **server, chosen);
  ASSERT_TRUE(suite) << suite.error().message;
  ASSERT_EQ(told.size(), 8U);
  EXPECT_EQ(std::vector(told.begin() + 4, told.end()),
            (std::vector<std::string>{"+crowd-1", "-crowd-1", "+crowd-2", "-crowd-2"}));
  std::vector<std::string> kept;
  for (const auto& one : suite->recordings) kept.push_back(one.scenario.name);
  EXPECT_EQ(kept, (std::vector<std::string>{"crowd-1", "a", "crowd-2", "b"}));
}

TEST_F(SuiteTest, NothingIsRunAgainWhereThatIsNotWanted) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  auto chosen = options({"sh", "-c", "curl -sf -o /dev/null $MISHAP_URL/v1/x"}, 1);
  chosen.undecided = [](const Recording&, const Recording*, const Recording*) { return "open"; };
  chosen.reruns = 0;
  const auto suite = run_suite({scenario("a", "")}, **server, chosen);
  ASSERT_TRUE(suite);
  EXPECT_TRUE(suite->recordings[0].earlier.empty());
}

TEST_F(SuiteTest, WhatOthersAreComparedWithIsSettledFirst) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  auto chosen = options({"sh", "-c", "curl -sf -o /dev/null $MISHAP_URL/v1/x"}, 1);
  std::vector<std::string> asked;
  chosen.undecided = [&](const Recording& recording, const Recording*, const Recording* other) {
    asked.push_back(recording.scenario.name + (other ? "/" + other->scenario.name : ""));
    return "";
  };
  ASSERT_TRUE(run_suite({scenario("a", "compare_with: b\n"), scenario("b", "")}, **server, chosen));
  EXPECT_EQ(asked, (std::vector<std::string>{"b", "a/b"}));
}

TEST_F(SuiteTest, SaysWhichClientIsMissing) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  const auto suite = run_suite({scenario("a", "")}, **server, options({"/no/such"}, 1));
  ASSERT_FALSE(suite);
  EXPECT_EQ(suite.error().code, ErrorCode::NotFound);
}

TEST_F(SuiteTest, AnInterruptEndsEveryClient) {
  std::atomic<bool> interrupted = true;
  auto chosen = options({"sleep", "1021"}, 2);
  chosen.interrupted = &interrupted;
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  const auto suite = run_suite({scenario("a", "")}, **server, chosen);
  ASSERT_TRUE(suite);
  ASSERT_EQ(suite->controls.size(), 1U);
  EXPECT_EQ(suite->controls.front().processes.front().stop, Stop::Interrupted);
}

// Something happens all the time, so that silence does not end it.
TEST_F(SuiteTest, AnAttemptThatIsOwedItsAnswerForTooLongEndsTheRunThoughTheClientGoesOn) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  const auto suite = run_suite(
      {scenario("a",
                "promise: {attempt_timeout: 100ms}\n"
                "faults:\n  - {on: GET /v1/stalled, fault: stall}\n")},
      **server,
      options({"sh", "-c",
               "curl -s -o /dev/null $MISHAP_URL/v1/stalled & while kill -0 $! 2>/dev/null; do "
               "curl -s -o /dev/null $MISHAP_URL/v1/other; sleep 0.2; done"},
              1));
  ASSERT_TRUE(suite);
  const auto& recording = suite->recordings.front();
  EXPECT_EQ(recording.processes.front().stop, Stop::Killed);
  // Its bound, what it may be late by, and the time in which a connection may still be let go.
  EXPECT_GE(*recording.processes.front().told_to_end,
            recording.journal.exchanges.front().first_byte + std::chrono::milliseconds(6350));
}

TEST_F(SuiteTest, CopiesHaveTheirOwnAddressAndLane) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  const auto suite =
      run_suite({scenario("a", "client: {copies: 3}\n")}, **server,
                options({"sh", "-c", "curl -sf -o /dev/null $MISHAP_URL/v1/copy-$MISHAP_COPY"}, 1));
  ASSERT_TRUE(suite);
  std::vector<std::pair<int, std::string>> seen;
  for (const auto& exchange : suite->recordings.front().journal.exchanges) {
    seen.emplace_back(exchange.lane, exchange.request.path);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<std::pair<int, std::string>>{
                      {0, "/v1/copy-0"}, {1, "/v1/copy-1"}, {2, "/v1/copy-2"}}));
}

TEST_F(SuiteTest, CalibratesRunsOfManyCopies) {
  auto server = server::start_server(clock_);
  ASSERT_TRUE(server);
  const std::vector<std::string> client = {"sh", "-c", "curl -s -o /dev/null $MISHAP_URL/v1/x"};
  const auto runs = {scenario("many", "client: {copies: 8}\n"), scenario("one", "")};
  auto settings = options(client, 1);
  settings.calibrator = {
      "sh", "-c",
      "for i in 1 2 3 4; do curl -s -o /dev/null -H 'Content-Type: application/json' "
      "-d '{\"reference\":\"c-'$MISHAP_COPY'\"}' $MISHAP_URL/calibration; "
      "[ $i = 4 ] || sleep 0.25; done"};
  auto suite = run_suite(runs, **server, settings);
  ASSERT_TRUE(suite);
  const auto& calibration = suite->recordings.front().calibration;
  ASSERT_TRUE(calibration);
  EXPECT_EQ(calibration->copies, 8);
  ASSERT_EQ(calibration->gaps.size(), 8 * kCalibrationWaits);
  for (const Duration gap : calibration->gaps) EXPECT_GE(gap, std::chrono::milliseconds(200));
  EXPECT_FALSE(suite->recordings.back().calibration);

  settings.calibrator = {"false"};
  suite = run_suite(runs, **server, settings);
  ASSERT_TRUE(suite);
  EXPECT_FALSE(suite->recordings.front().calibration);
}

}  // namespace
}  // namespace mishap::client_tests
