#include "server/engine/path_index.h"

#include <gtest/gtest.h>

#include <random>

namespace mishap::server {
namespace {

using Numbers = std::vector<std::size_t>;

Numbers found_in(const std::vector<std::string>& patterns, const std::string& target) {
  PathIndex index;
  for (std::size_t i = 0; i < patterns.size(); ++i) index.add(PathPattern(patterns[i]), i);
  const Numbers found = index.find(parse_target(target));
  EXPECT_EQ(index.meets(parse_target(target)), !found.empty()) << target;
  return found;
}

TEST(PathIndexTest, GivesAllThatMatchInTheirOrder) {
  const std::vector<std::string> patterns = {"/v1/*", "*", "/v1/bookings/:id", "/v1/bookings/7",
                                             "/v1/bookings"};
  EXPECT_EQ(found_in(patterns, "/v1/bookings/7"), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(found_in(patterns, "/v1/bookings"), (Numbers{0, 1, 4}));
  EXPECT_EQ(found_in(patterns, "/v2"), Numbers{1});
}

TEST(PathIndexTest, ALiteralSegmentMayLookLikeAName) {
  PathIndex index;
  index.add_literal({"v1", ":id"}, /*item=*/false, 1);
  index.add_literal({"v1", ":id"}, /*item=*/true, 2);
  EXPECT_EQ(index.find(parse_target("/v1/:id")), Numbers{1});
  EXPECT_EQ(index.find(parse_target("/v1/x")), Numbers{});
  EXPECT_EQ(index.find(parse_target("/v1/:id/x")), Numbers{2});
  EXPECT_EQ(index.find(parse_target("/v1/:id/")), Numbers{});
}

std::string random_path(std::mt19937& random, const std::vector<std::string>& words) {
  std::string path;
  const auto length = random() % 4;
  for (std::size_t i = 0; i < length; ++i) path += '/' + words[random() % words.size()];
  return path;
}

// The pattern itself says what it meets; the index only says it faster.
TEST(PathIndexTest, AgreesWithEveryPatternOnRandomTargets) {
  std::mt19937 random(7);
  const std::vector<std::string> pattern_words = {"a", "b", ":x", "*", "", ":"};
  const std::vector<std::string> target_words = {"a", "b", "c", "", ":x", "*"};
  std::size_t met = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> patterns;
    for (int i = 0; i < 12; ++i) patterns.push_back(random_path(random, pattern_words));
    if (round % 2 == 0) patterns.emplace_back("*");
    const std::string target = random_path(random, target_words);
    Numbers expected;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (PathPattern(patterns[i]).matches(parse_target(target))) expected.push_back(i);
    }
    met += expected.size();
    EXPECT_EQ(found_in(patterns, target), expected) << target;
  }
  EXPECT_GT(met, 200U);  // not only the one that meets everything
}

}  // namespace
}  // namespace mishap::server
