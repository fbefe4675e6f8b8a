#include "cli/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace mishap::cli {
namespace {

using ::testing::HasSubstr;

TEST(Shard, IsReadFromTheCommandLine) {
  const auto shard = parse_shard("2/4");
  ASSERT_TRUE(shard && *shard);
  EXPECT_EQ((*shard)->text(), "2/4");
  for (const auto* off : {"off", "1/1"}) {
    ASSERT_TRUE(parse_shard(off)) << off;
    EXPECT_FALSE(*parse_shard(off)) << off;
  }
  for (const auto* wrong : {"", "2", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/4x", "1/1001", "/"}) {
    EXPECT_FALSE(parse_shard(wrong)) << wrong;
  }
}

auto environment(std::map<std::string, std::string> variables) {
  return shard_of_environment([variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

struct RunnerCase {
  std::map<std::string, std::string> variables;
  std::string expected;  // empty: none
};

TEST(Shard, IsTakenFromTestRunners) {
  for (const auto& [variables, expected] : std::vector<RunnerCase>{
           {{}, ""},
           {{{"TEST_SHARD_INDEX", "0"}, {"TEST_TOTAL_SHARDS", "3"}}, "1/3"},
           {{{"GTEST_SHARD_INDEX", "2"}, {"GTEST_TOTAL_SHARDS", "3"}}, "3/3"},
           {{{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "2"}}, "1/2"},
           {{{"CIRCLE_NODE_INDEX", "1"}, {"CIRCLE_NODE_TOTAL", "2"}}, "2/2"},
           {{{"BUILDKITE_PARALLEL_JOB", "0"}, {"BUILDKITE_PARALLEL_JOB_COUNT", "5"}}, "1/5"},
           {{{"CI_NODE_TOTAL", "1"}}, ""},
           {{{"TEST_SHARD_INDEX", "1"}}, ""},
       }) {
    const auto shard = environment(variables);
    ASSERT_TRUE(shard) << expected << ": " << shard.error();
    EXPECT_EQ(*shard ? (*shard)->text() : "", expected);
  }
}

TEST(Shard, AnImpossibleEnvironmentIsAnError) {
  for (const auto& variables : std::vector<std::map<std::string, std::string>>{
           {{"CI_NODE_TOTAL", "4"}},
           {{"CI_NODE_INDEX", "0"}, {"CI_NODE_TOTAL", "4"}},
           {{"CI_NODE_INDEX", "5"}, {"CI_NODE_TOTAL", "4"}},
           {{"TEST_SHARD_INDEX", "4"}, {"TEST_TOTAL_SHARDS", "4"}},
           {{"TEST_SHARD_INDEX", "0"}, {"TEST_TOTAL_SHARDS", "0"}},
           {{"TEST_SHARD_INDEX", "x"}, {"TEST_TOTAL_SHARDS", "4"}},
       }) {
    const auto shard = environment(variables);
    ASSERT_FALSE(shard);
    EXPECT_THAT(shard.error(), HasSubstr("--shard off"));
  }
}

std::vector<ShardItem> items_of(std::size_t count) {
  std::vector<ShardItem> items;
  for (std::size_t i = 0; i < count; ++i) items.push_back({"core/s" + std::to_string(i), ""});
  return items;
}

TEST(Shard, PartsAreEvenAndCoverEverything) {
  for (std::uint64_t total = 1; total <= 12; ++total) {
    for (const std::size_t count : {0U, 1U, 5U, 49U, 200U}) {
      std::map<std::uint64_t, std::size_t> sizes;
      for (const auto shard : assign_shards(items_of(count), total)) ++sizes[shard];
      for (const auto& [shard, size] : sizes) {
        EXPECT_GE(shard, 1U);
        EXPECT_LE(shard, total);
        EXPECT_GE(size, count / total);
        EXPECT_LE(size, (count + total - 1) / total);
      }
      EXPECT_EQ(sizes.size(), std::min<std::size_t>(count, total));
    }
  }
}

TEST(Shard, OrderChangesNothing) {
  auto items = items_of(30);
  const auto before = assign_shards(items, 4);
  std::ranges::reverse(items);
  auto after = assign_shards(items, 4);
  std::ranges::reverse(after);
  EXPECT_EQ(before, after);
}

TEST(Shard, AnAddedScenarioMovesFewOthers) {
  const auto before = assign_shards(items_of(100), 4);
  auto items = items_of(100);
  items.push_back({"core/new", ""});
  const auto after = assign_shards(items, 4);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] == after[i] ? 0 : 1;
  EXPECT_LE(moved, 20U);
}

TEST(Shard, WhatIsComparedStaysTogether) {
  auto items = items_of(20);
  items[3].with = items[7].name;
  items[11].with = items[7].name;
  for (std::uint64_t total = 2; total <= 7; ++total) {
    const auto assigned = assign_shards(items, total);
    EXPECT_EQ(assigned[3], assigned[7]);
    EXPECT_EQ(assigned[11], assigned[7]);
  }
}

}  // namespace
}  // namespace mishap::cli
