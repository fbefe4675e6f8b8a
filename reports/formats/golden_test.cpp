#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "mishap/report.h"

// One set of verdicts in every format, held against reports/golden/. MISHAP_REFRESH=1 writes the
// files anew; the diff is reviewed. All input is fixed, so no part has to be masked.
namespace mishap::reports {
namespace {

using namespace std::chrono_literals;
using namespace client_tests;

Finding duplicate_finding() {
  Finding finding;
  finding.check = "no_duplicate_effects";
  finding.ruling = Ruling::Fail;
  finding.headline = "2 bookings for one operation";
  finding.reason = "operation r-1 took effect twice";
  finding.witnesses.push_back(
      {"2 effects for operation r-1: bk_1, bk_2; at most one is right", {4, 5}, {1, 2}, 1});
  return finding;
}

CaseVerdict failed_case() {
  CaseVerdict verdict;
  verdict.scenario = "response-lost-after-create";
  verdict.pack = "core";
  verdict.verdict = Verdict::Fail;
  verdict.headline = "2 bookings for one operation";
  verdict.consequence = "The customer is booked, or charged, twice.";
  verdict.remedy = "One key per booking.";
  verdict.length = 2900ms;
  verdict.findings = {duplicate_finding()};
  verdict.timeline = {
      {0ms, 4, "POST /v1/bookings  ref r-1 -> booked bk_1, then RST, no byte of an answer"},
      {4ms, 4, "connection reset by the server"},
      {541ms, 5, "POST /v1/bookings  ref r-1, same body -> booked bk_2, 201"}};
  return verdict;
}

// A fail that is on the list: accepted, or no longer.
CaseVerdict known_case(std::string scenario, bool expired) {
  auto verdict = failed_case();
  verdict.scenario = std::move(scenario);
  auto& finding = verdict.findings.front();
  finding.known =
      Known{"fixed with the new queue, <ABC-123>", expired ? "2025-12-31" : "2026-03-31", expired};
  verdict.verdict = expired ? Verdict::Fail : Verdict::Known;
  if (expired) finding.warnings = {"known until 2025-12-31: since 2026-01-01 it fails again"};
  return verdict;
}

CaseVerdict plain_case(std::string scenario, Verdict verdict, std::string headline) {
  CaseVerdict one;
  one.scenario = std::move(scenario);
  one.pack = "core";
  one.verdict = verdict;
  one.headline = std::move(headline);
  one.length = 400ms;
  return one;
}

SuiteVerdict golden_verdict() {
  SuiteVerdict verdict;
  verdict.suite = "2026-01-02T03-04-05-core";
  verdict.mishap_version = "0.1.0";
  verdict.seed = 71;
  verdict.again = "mishap test core --seed 71 -- ./client";
  verdict.verdict = Verdict::Fail;
  verdict.length = 12400ms;
  verdict.jobs = 8;
  auto control = plain_case("control", Verdict::Pass, "3 requests");
  control.is_control = true;
  control.pack.clear();
  verdict.controls = {control};
  // A server that tries to write to the terminal, to break out of XML, and what is not UTF-8.
  auto hostile = plain_case("html-page-read", Verdict::Inconclusive,
                            "\x1b[2J]]></error><x a='b'> \xff\xe2\x80\xae end");
  Finding warned;
  warned.check = "bounded_attempts";
  warned.ruling = Ruling::Pass;
  warned.headline = "6 attempts";
  warned.warnings = {"6 attempts are many; 5 are usual"};
  auto passing = plain_case("healthy", Verdict::Pass, "1 attempt");
  passing.findings = {warned};
  auto twice = plain_case("stall-read", Verdict::Pass, "3 attempts");
  twice.earlier = {"mishap itself was late by 0.040 s: the machine is busy",
                   "mishap itself was late by \x1b 0.030 s"};
  verdict.cases = {
      passing,
      failed_case(),
      hostile,
      plain_case("unauthorized-read", Verdict::NotApplicable, "your client makes no such call"),
      known_case("answer-after-patience", false),
      known_case("response-lost-by-close", true),
      twice};
  verdict.shard = "2/4";
  verdict.notes = {"merged from 2 runs: a, b"};
  verdict.stopped = {"interrupted"};
  verdict.strict_known = true;
  verdict.stale = {{"late-*", "bounded_attempts", "soon \x1b[2J", "2026-02-28", {}}};
  Cause cause;
  cause.title = "2 bookings for one operation";
  cause.checks = {"no_duplicate_effects"};
  cause.scenarios = {"response-lost-after-create", "response-lost-by-close"};
  cause.consequence = "The customer is booked, or charged, twice.";
  cause.changes = {"Give each booking one key."};
  cause.timeline = failed_case().timeline;
  cause.inequalities = {"2 effects for operation r-1: bk_1, bk_2; at most one is right"};
  verdict.causes = {cause};
  verdict.judged = {"no_duplicate_effects", "bounded_attempts"};
  verdict.not_observed = {"outcome_truthful"};
  return verdict;
}

Suite golden_suite() {
  Suite suite;
  Recording control;
  control.is_control = true;
  control.scenario.name = "control";
  control.command = {"./client", "--key", "***"};
  control.length = 400ms;
  ProcessFacts process;
  control.processes = {process};
  server::Exchange exchange;
  exchange.number = 1;
  exchange.request.method = "POST";
  exchange.request.path = "/v1/bookings";
  control.journal.exchanges = {exchange, exchange};
  suite.controls = {control};
  suite.recordings.resize(1);
  return suite;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, IsRenderedAsReviewed) {
  const auto* format = find_format(GetParam());
  ASSERT_NE(format, nullptr);
  RenderOptions options;
  options.run_folder = "mishap-runs/2026-01-02T03-04-05-core";
  const auto text = format->render(golden_verdict(), golden_suite(), options);
  const auto path = std::string(MISHAP_GOLDEN) + "/" + std::string(format->file_name);
  if (std::getenv("MISHAP_REFRESH") != nullptr) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text, read(path));
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& format : formats()) result.emplace_back(format.name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(EveryFormat, Golden, testing::ValuesIn(names()),
                         [](const auto& format) { return format.param; });

TEST(Golden, NoFormatLetsAControlByteOrBrokenUtf8Through) {
  for (const auto& format : formats()) {
    const auto text = format.render(golden_verdict(), golden_suite(), {});
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      EXPECT_TRUE(byte >= 0x20 || byte == '\n') << format.name;
      EXPECT_NE(byte, 0xff) << format.name;
    }
    EXPECT_EQ(text.find("</error><x"),
              format.name == "junit" ? std::string::npos : text.find("</error><x"));
  }
}

TEST(Console, ColoursOnlyWhereAsked) {
  RenderOptions colours;
  colours.colour = true;
  EXPECT_NE(console_line(failed_case(), colours).find("\x1b[1;31mFAIL"), std::string::npos);
  EXPECT_EQ(console_line(failed_case(), {}).find('\x1b'), std::string::npos);
}

TEST(Console, CutsALongHeadlineAtACharacter) {
  auto verdict = failed_case();
  verdict.headline.clear();
  for (int i = 0; i < 200; ++i) verdict.headline += "\xc3\xa6";  // ae
  const auto line = console_line(verdict, {});
  EXPECT_NE(line.find("\xc3\xa6..."), std::string::npos);
  EXPECT_EQ(line.find("\xc3..."), std::string::npos);
}

}  // namespace
}  // namespace mishap::reports
