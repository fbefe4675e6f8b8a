#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "mishap/run.h"
#include "mishap/server.h"
#include "mishap/verdict.h"

// Whole suites with a service as the client: real server, real children.
namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

// POST /orders books with the vendor. argv: port, then words that make it different: "nokey" sends
// no idempotency key, "later" answers its caller first, "once" makes one attempt only.
constexpr const char* kService = R"(
import http.client, http.server, json, os, sys, threading, time, urllib.parse
PORT, HABITS = int(sys.argv[1]), sys.argv[2:]
VENDOR = urllib.parse.urlsplit(os.environ["MISHAP_URL"])
def attempt(headers):
    connection = http.client.HTTPConnection(VENDOR.hostname, VENDOR.port, timeout=2)
    try:
        connection.request("POST", "/v1/bookings", json.dumps({"reference": "r-1"}), headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 503
    finally:
        connection.close()
def book():
    headers = {"Content-Type": "application/json"}
    if "nokey" not in HABITS: headers["Idempotency-Key"] = "k-1"
    for number in range(1 if "once" in HABITS else 4):
        if number: time.sleep(1.5 if "later" in HABITS else 0.2)
        if attempt(headers) == 201: return True
    return False
class Handler(http.server.BaseHTTPRequestHandler):
    def reply(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def do_GET(self): self.reply(200)
    def do_POST(self):
        if "crash" in HABITS: os._exit(5)
        if "later" in HABITS:
            threading.Thread(target=book).start()
            return self.reply(202)
        self.reply(201 if book() else 502)
http.server.HTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
)";

class ServiceSuiteTest : public testing::Test {
 protected:
  ServiceSuiteTest()
      : folder_(fs::temp_directory_path() / ("services-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "service.py") << kService;
  }
  ~ServiceSuiteTest() override { fs::remove_all(folder_); }

  static scenarios::Scenario scenario(const std::string& name, const std::string& rest) {
    auto loaded = scenarios::load_scenario_text(
        name, "mishap: 1\nscenario: " + name + "\napi: any\n" + rest, ".", {});
    EXPECT_TRUE(loaded.scenario) << (loaded.diagnostics.empty() ? ""
                                                                : render(loaded.diagnostics[0]));
    return std::move(*loaded.scenario);
  }

  static scenarios::Scenario lost(const std::string& name = "lost") {
    return scenario(name,
                    "faults:\n  - {on: POST /v1/bookings, when: {attempt: 1}, fault: "
                    "response_lost}\n");
  }

  TestOptions service(const std::vector<std::string>& habits,
                      const std::string& port = "{free_port}", int jobs = 2) const {
    TestOptions options;
    auto& client = options.client;
    client.kind = scenarios::Client::Kind::Service;
    client.command = {"/usr/bin/python3", (folder_ / "service.py").string(), port};
    client.command.insert(client.command.end(), habits.begin(), habits.end());
    client.ready = {scenarios::Ready::Kind::Url, "http://127.0.0.1:" + port + "/health", {}};
    auto& drive = client.drive.emplace();
    drive.method = "POST";
    drive.url = "http://127.0.0.1:" + port + "/orders";
    options.jobs = jobs;
    options.seed = 5;
    options.folder = folder_.string();
    options.version = "test";
    options.healthy = [](const Recording& control) {
      Suite suite;
      suite.controls.push_back(control);
      return judge(suite).controls.front().verdict != Verdict::Fail;
    };
    return options;
  }

  Suite run(const std::vector<scenarios::Scenario>& scenarios, const TestOptions& options) {
    auto server = server::start_server(clock_);
    EXPECT_TRUE(server);
    auto suite = run_suite(scenarios, **server, options);
    EXPECT_TRUE(suite) << suite.error().message;
    return suite ? std::move(*suite) : Suite{};
  }

  static const Finding* finding_of(const CaseVerdict& made, const std::string& check) {
    const auto found = std::ranges::find(made.findings, check, &Finding::check);
    return found == made.findings.end() ? nullptr : &*found;
  }

  const fs::path folder_;
  const server::SystemClock clock_;
};

TEST_F(ServiceSuiteTest, ARightOnePassesAndItsProcessIsKnownForAService) {
  const auto suite = run({lost()}, service({}));
  const auto verdict = judge(suite);
  EXPECT_EQ(verdict.verdict, Verdict::Pass) << verdict.cases.at(0).headline;
  const auto& recording = suite.recordings.at(0);
  EXPECT_EQ(recording.processes.at(0).role, ProcessRole::Service);
  EXPECT_EQ(recording.processes.at(0).stop, Stop::Stopped);
  EXPECT_EQ(recording.drives.at(0).status, 201);
  EXPECT_EQ(finding_of(verdict.cases.at(0), "no_duplicate_effects")->ruling, Ruling::Pass);
  EXPECT_EQ(finding_of(verdict.cases.at(0), "exit_code_truthful")->ruling, Ruling::NotApplicable);
}

TEST_F(ServiceSuiteTest, OneWithoutAKeyFailsWithADuplicate) {
  const auto verdict = judge(run({lost()}, service({"nokey"})));
  EXPECT_EQ(verdict.verdict, Verdict::Fail);
  EXPECT_EQ(finding_of(verdict.cases.at(0), "no_duplicate_effects")->ruling, Ruling::Fail);
}

TEST_F(ServiceSuiteTest, OneThatTriesAgainBehindItsCallersBackIsNotCutOff) {
  const auto suite = run({scenario("busy",
                                   "faults:\n  - {on: POST /v1/bookings, when: {attempt: 1..2}, "
                                   "fault: {kind: status, code: 503}}\n")},
                         service({"later"}));
  const auto& recording = suite.recordings.at(0);
  ASSERT_EQ(recording.journal.exchanges.size(), 3U);
  EXPECT_EQ(recording.journal.effects.size(), 1U);
  EXPECT_LT(recording.drives.at(0).ended, recording.journal.exchanges.at(1).first_byte);
  EXPECT_EQ(judge(suite).verdict, Verdict::Pass);
}

TEST_F(ServiceSuiteTest, ThatGaveUpIsSeenToHaveGivenUp) {
  const auto suite = run({scenario("down",
                                   "faults:\n  - {on: POST /v1/bookings, fault: {kind: status, "
                                   "code: 503}}\n")},
                         service({}));
  const auto made = judge(suite).cases.at(0);
  EXPECT_EQ(suite.recordings.at(0).drives.at(0).status, 502);
  EXPECT_EQ(finding_of(made, "bounded_attempts")->ruling, Ruling::Pass)
      << finding_of(made, "bounded_attempts")->reason;
  EXPECT_NE(made.verdict, Verdict::Fail) << made.headline;
}

TEST_F(ServiceSuiteTest, WithAFixedPortRunsOneByOneAndSaysWhy) {
  const auto suite = run({scenario("a", ""), lost("b")}, service({}, "18437", 4));
  EXPECT_EQ(suite.jobs, 1);
  EXPECT_THAT(suite.jobs_reason, HasSubstr("a service that listens on {free_port}"));
  EXPECT_EQ(judge(suite).verdict, Verdict::Pass);
}

TEST_F(ServiceSuiteTest, ThatIsNeverReadyStopsTheSuiteWithItsWords) {
  auto options = service({});
  options.client.command = {"/bin/sh", "-c", "echo no such module >&2; exit 3"};
  const auto suite = run({lost()}, options);
  ASSERT_FALSE(suite.stopped.empty());
  EXPECT_THAT(suite.stopped.at(0), HasSubstr("ended with exit code 3 before it could act"));
  EXPECT_THAT(suite.stopped.at(0), HasSubstr("no such module"));
  EXPECT_TRUE(suite.recordings.empty());
  EXPECT_EQ(judge(suite).verdict, Verdict::Inconclusive);
}

TEST_F(ServiceSuiteTest, WhoseDriveFailsInTheHealthyRunIsNotJudged) {
  auto options = service({});
  options.client.drive->url += "?x";
  options.client.drive->method = "PUT";  // 501
  options.client.until = scenarios::Until{500ms};
  const auto suite = run({lost()}, options);
  ASSERT_FALSE(suite.stopped.empty());
  EXPECT_THAT(suite.stopped.at(0), HasSubstr("sent no request"));
  EXPECT_THAT(suite.stopped.at(0), HasSubstr("was answered 501"));
}

TEST_F(ServiceSuiteTest, ThatDiesOnADriveIsUnhealthy) {
  const auto suite = run({lost()}, service({"crash"}));
  EXPECT_THAT(suite.stopped.at(0), HasSubstr("the service ended with exit code 5"));
}

TEST_F(ServiceSuiteTest, ScenariosThatRunItInAnotherWayHaveTheirOwnControl) {
  auto other = lost("other");
  other.client.environment = {{"TENANT", "b"}};
  const auto suite = run({lost(), other}, service({}));
  EXPECT_EQ(suite.controls.size(), 2U);
  EXPECT_EQ(suite.recordings.at(0).control, "control");
  EXPECT_EQ(suite.recordings.at(1).control, "control-2");
}

TEST_F(ServiceSuiteTest, AWorkerIsDrivenByNothingAndEndsWhenItIsQuiet) {
  auto options = service({});
  options.client.drive.reset();
  options.client.ready.reset();
  options.client.until = scenarios::Until{600ms};
  options.client.command = {
      "/bin/sh", "-c",
      "curl -sf -o /dev/null -d '{\"reference\":\"r\"}' -H 'Idempotency-Key: k' $MISHAP_URL/v1/x; "
      // Polls for ever: no news, so that it comes to rest all the same.
      "while :; do curl -sf -o /dev/null $MISHAP_URL/v1/x; sleep 0.1; done"};
  const auto suite = run({scenario("a", "")}, options);
  const auto& recording = suite.recordings.at(0);
  EXPECT_EQ(recording.processes.at(0).stop, Stop::Stopped);
  EXPECT_TRUE(recording.drives.empty());
  EXPECT_LT(recording.length, 15s);
  EXPECT_EQ(judge(suite).verdict, Verdict::Pass) << judge(suite).cases.at(0).headline;
}

}  // namespace
}  // namespace mishap::client_tests
