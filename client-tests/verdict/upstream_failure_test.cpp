#include "client-tests/verdict/upstream_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-tests/verdict/scripted_checks.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A client that would fail, were it not for the upstream.
SuiteVerdict judged(bool control_failed, bool run_failed) {
  RecordingBuilder control("control");
  control.control();
  control.create("a").attempt(0ms).answered(502, 2ms).raw().upstream.failure =
      control_failed ? "it cannot be reached" : "";
  script(control, "baseline_healthy", Ruling::Pass);
  RecordingBuilder run("x");
  run.rule("r", "reset");
  run.recording().control = "control";
  run.create("a").attempt(0ms).answered(502, 2ms).raw().upstream.failure =
      run_failed ? "it was too slow" : "";
  script(run, "no_duplicate_effects", Ruling::Fail);
  Suite suite;
  suite.controls = {control.recording()};
  suite.recordings = {run.recording()};
  return judge_with(suite, scripted_checks());
}

TEST(UpstreamFailure, OfTheRunIsNoFindingAboutTheClient) {
  const CaseVerdict run = judged(false, true).cases.at(0);
  EXPECT_EQ(run.verdict, Verdict::Inconclusive);
  EXPECT_THAT(run.headline, HasSubstr("the upstream failed exchange 1: it was too slow"));
  EXPECT_THAT(run.findings, IsEmpty());
}

TEST(UpstreamFailure, OfTheControlLeavesNothingToCompareWith) {
  const SuiteVerdict suite = judged(true, false);
  EXPECT_EQ(suite.controls.at(0).verdict, Verdict::Inconclusive);
  EXPECT_EQ(suite.cases.at(0).verdict, Verdict::Inconclusive);
  EXPECT_THAT(suite.cases.at(0).headline, HasSubstr("it cannot be reached"));
}

TEST(UpstreamFailure, IsNoneWhereItAnswered) {
  EXPECT_EQ(judged(false, false).cases.at(0).verdict, Verdict::Fail);
}

}  // namespace
}  // namespace mishap::client_tests
