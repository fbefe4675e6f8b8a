#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-tests/verdict/scripted_checks.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Suite suite_of(const std::string& name, const std::string& shard,
               const std::vector<std::pair<std::string, Ruling>>& cases) {
  RecordingBuilder control("control");
  control.control();
  control.create("ref-1").attempt(0ms).effect().answered(201, 2ms);
  control.process(0ms, 400ms, 0);
  script(control, "baseline_healthy", Ruling::Pass);
  Suite suite;
  suite.name = name;
  suite.seed = 7;
  suite.shard = shard;
  suite.narrowed = !shard.empty();
  suite.length = 2s;
  suite.controls = {control.recording()};
  for (const auto& [scenario, ruling] : cases) {
    RecordingBuilder run(scenario);
    run.rule("r", "reset");
    run.recording().control = "control";
    run.create("ref-1").attempt(0ms).lost_by_reset(4ms);
    script(run, "outcome_truthful", ruling, "told");
    suite.recordings.push_back(run.recording());
  }
  return suite;
}

MergedRuns merged(std::vector<Suite> suites) {
  return merge_runs_with(std::move(suites), scripted_checks());
}

std::vector<std::string> told(const SuiteVerdict& verdict) {
  std::vector<std::string> lines;
  for (const auto& one : verdict.cases) {
    lines.push_back(one.scenario + " " + std::string(to_string(one.verdict)));
  }
  return lines;
}

TEST(MergeRuns, ShardsBecomeTheWhole) {
  const auto whole = merged({suite_of("a", "1/2", {{"x", Ruling::Pass}, {"y", Ruling::Fail}}),
                             suite_of("b", "2/2", {{"z", Ruling::Fail}})});
  const auto& verdict = whole.verdict;
  EXPECT_THAT(told(verdict), ElementsAre("x pass", "y fail", "z fail"));
  EXPECT_EQ(verdict.verdict, Verdict::Fail);
  ASSERT_EQ(verdict.causes.size(), 1U);
  EXPECT_THAT(verdict.causes[0].scenarios, ElementsAre("y", "z"));
  EXPECT_EQ(verdict.controls.size(), 2U);
  EXPECT_EQ(verdict.controls[1].scenario, "control of b");
  EXPECT_EQ(whole.suite.recordings[2].control, "control of b");
  EXPECT_EQ(whole.suite.recordings.size(), verdict.cases.size());
  EXPECT_FALSE(whole.suite.narrowed);
  EXPECT_THAT(verdict.stopped, IsEmpty());
  EXPECT_THAT(verdict.notes, ElementsAre("merged from 2 runs: a, b"));
  EXPECT_EQ(verdict.seed, 7U);
  EXPECT_EQ(verdict.length, 4s);
}

TEST(MergeRuns, AMissingShardIsSaidAndLeavesItOpen) {
  const auto part = merged(
      {suite_of("a", "1/3", {{"x", Ruling::Pass}}), suite_of("b", "3/3", {{"z", Ruling::Pass}})});
  EXPECT_EQ(part.verdict.verdict, Verdict::Inconclusive);
  EXPECT_THAT(part.verdict.stopped, ElementsAre(HasSubstr("only 2 of 3 shards are here (1, 3)")));
  EXPECT_TRUE(part.suite.narrowed);
}

TEST(MergeRuns, AnEmptyShardIsOneOfThem) {
  Suite empty;
  empty.name = "b";
  empty.seed = 7;
  empty.shard = "2/2";
  EXPECT_EQ(merged({suite_of("a", "1/2", {{"x", Ruling::Pass}}), empty}).verdict.verdict,
            Verdict::Pass);
}

TEST(MergeRuns, OfAScenarioInTwoRunsTheWorseCounts) {
  for (const bool swapped : {false, true}) {
    std::vector<Suite> suites{suite_of("a", "", {{"x", Ruling::Pass}, {"y", Ruling::Inconclusive}}),
                              suite_of("b", "", {{"x", Ruling::Fail}, {"y", Ruling::Pass}})};
    if (swapped) std::swap(suites[0], suites[1]);
    const auto whole = merged(std::move(suites));
    EXPECT_THAT(told(whole.verdict), ElementsAre("x fail", "y inconclusive"));
    EXPECT_EQ(whole.suite.recordings[0].control,
              "control of b");  // of the run that counts
    EXPECT_THAT(whole.verdict.notes, Contains("in more than one run, the worse counts: x, y"));
  }
}

TEST(MergeRuns, DifferentSeedsAndEqualNamesAreSaid) {
  auto other = suite_of("a", "", {{"y", Ruling::Pass}});
  other.seed = 8;
  const auto whole = merged({suite_of("a", "", {{"x", Ruling::Pass}}), other});
  EXPECT_THAT(whole.verdict.notes, Contains("their seeds differ: 7, 8"));
  EXPECT_THAT(whole.verdict.controls[1].scenario, HasSubstr("control of a (2)"));
}

TEST(MergeRuns, WhatIsKnownIsStaleOnlyWhereNoRunMeetsIt) {
  const scenarios::KnownFinding entry{"*", "outcome_truthful", "r", "2027-01-01", {}};
  auto a = suite_of("a", "1/2", {{"x", Ruling::Pass}});
  auto b = suite_of("b", "2/2", {{"z", Ruling::Fail}});
  a.known = b.known = {entry};
  a.day = b.day = "2026-11-29";
  EXPECT_THAT(merged({a, b}).verdict.stale, IsEmpty());
  EXPECT_THAT(told(merged({a, b}).verdict), ElementsAre("x pass", "z known"));
  auto fixed = suite_of("b", "2/2", {{"z", Ruling::Pass}});
  fixed.known = b.known;
  EXPECT_THAT(merged({a, fixed}).verdict.stale, ElementsAre(entry));
}

TEST(MergeRuns, ARunThatWasStoppedKeepsTheWholeOpen) {
  auto stopped = suite_of("b", "", {{"y", Ruling::Pass}});
  stopped.stopped = {"interrupted"};
  const auto whole = merged({suite_of("a", "", {{"x", Ruling::Pass}}), stopped});
  EXPECT_EQ(whole.verdict.verdict, Verdict::Inconclusive);
  EXPECT_THAT(whole.verdict.stopped, ElementsAre("b: interrupted"));
}

}  // namespace
}  // namespace mishap::client_tests
