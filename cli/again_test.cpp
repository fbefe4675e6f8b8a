#include "cli/again.h"

#include <gtest/gtest.h>

namespace mishap::cli {
namespace {

client_tests::SuiteVerdict verdict_with(client_tests::Verdict verdict) {
  client_tests::SuiteVerdict suite;
  suite.cases.emplace_back().verdict = verdict;
  return suite;
}

TestArguments typed(std::vector<std::string> words) {
  TestArguments arguments;
  arguments.words = std::move(words);
  return arguments;
}

TEST(Again, RepeatsWhatFailedWithItsSeed) {
  EXPECT_EQ(again(typed({"test", "core"}), 7, {}, verdict_with(client_tests::Verdict::Fail),
                  {"./my client", "x"}),
            "mishap test core --seed 7 --last-failed -- './my client' x");
  EXPECT_EQ(again(typed({"test", "core"}), 7, {}, verdict_with(client_tests::Verdict::Pass), {"c"}),
            "mishap test core --seed 7 -- c");
}

TEST(Again, LeavesOutWhatMakesNoSenseTwice) {
  const auto words = std::vector<std::string>{
      "test", "core", "--last-failed", "--write-known=k.yaml", "--out", "here", "--tag", "create"};
  auto arguments = typed(words);
  EXPECT_EQ(again(arguments, 7, {}, verdict_with(client_tests::Verdict::Pass), {"c"}),
            "mishap test core --tag create --seed 7 -- c");
  // A run elsewhere would not be found by --last-failed.
  arguments.out = "here";
  EXPECT_EQ(again(arguments, 7, {}, verdict_with(client_tests::Verdict::Fail), {"c"}),
            "mishap test core --tag create --seed 7 -- c");
}

TEST(Again, SaysTheShardThatTheEnvironmentMadeIt) {
  auto arguments = typed({"test", "core"});
  arguments.seed = 3;
  const Shard shard{2, 4, "TEST_SHARD_INDEX=1"};
  const auto verdict = verdict_with(client_tests::Verdict::Pass);
  EXPECT_EQ(again(arguments, 3, shard, verdict, {"c"}), "mishap test core --shard 2/4 -- c");
  arguments.words = {"test", "--shard", "2/4"};
  arguments.shard = "2/4";
  EXPECT_EQ(again(arguments, 3, shard, verdict, {"c"}), "mishap test --shard 2/4 -- c");
}

}  // namespace
}  // namespace mishap::cli
