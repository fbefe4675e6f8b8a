#include "server/engine/draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace mishap::server {
namespace {

DrawOrigin origin(std::uint64_t seed, std::uint64_t ordinal) {
  return {.seed = seed, .route = "POST /x", .rule = "r", .ordinal = ordinal, .attempt = 1};
}

double first_draw(const DrawOrigin& from, std::string_view purpose = "rate") {
  std::vector<Draw> record;
  return DrawStream(from, record).uniform(purpose);
}

TEST(Draws, AreTheSameForTheSameOrigin) {
  EXPECT_EQ(first_draw(origin(1, 1)), first_draw(origin(1, 1)));
}

TEST(Draws, DifferWithEverythingInTheirOrigin) {
  DrawOrigin base = origin(1, 1);
  std::set<double> seen = {first_draw(base), first_draw(base, "delay"), first_draw(origin(2, 1)),
                           first_draw(origin(1, 2))};
  DrawOrigin other = base;
  other.lane = 1;
  seen.insert(first_draw(other));
  other = base;
  other.route = "GET /x";
  seen.insert(first_draw(other));
  other = base;
  other.rule = "s";
  seen.insert(first_draw(other));
  other = base;
  other.attempt = 2;
  seen.insert(first_draw(other));
  other = base;
  other.unit = "request";
  seen.insert(first_draw(other));
  EXPECT_EQ(seen.size(), 9U);
}

TEST(Draws, AreRecordedOncePerPurposeAndValue) {
  std::vector<Draw> record;
  DrawStream(origin(1, 1), record).uniform("delay");
  DrawStream(origin(1, 1), record).uniform("delay");  // asked again at a later moment
  ASSERT_EQ(record.size(), 1U);
  EXPECT_EQ(record[0].purpose, "delay");
  DrawStream twice(origin(1, 1), record);
  twice.uniform("slice");
  twice.uniform("slice");
  EXPECT_EQ(record.size(), 3U);
}

TEST(Draws, OfARateStayWithinSamplingErrorForEverySeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    int won = 0;
    for (std::uint64_t i = 1; i <= 1000; ++i) won += wins(first_draw(origin(seed, i)), 0.3) ? 1 : 0;
    // Four standard deviations of a binomial of 1000 at 30 %.
    EXPECT_NEAR(won, 300, 4 * std::sqrt(1000 * 0.3 * 0.7)) << "seed " << seed;
  }
}

TEST(Draws, NeverWinAtRateZeroAndAlwaysAtOne) {
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const double draw = static_cast<double>(i) / 1'000'000;
    ASSERT_FALSE(wins(draw, 0.0));
    ASSERT_TRUE(wins(draw, 1.0));
  }
}

TEST(Draws, StayBelowOneAndAreSpreadEvenly) {
  double sum = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const double draw = first_draw(origin(7, i));
    ASSERT_GE(draw, 0.0);
    ASSERT_LT(draw, 1.0);
    sum += draw;
  }
  EXPECT_NEAR(sum / 20'000, 0.5, 0.01);
}

TEST(Draws, OfTheNormalKindHaveMeanZeroAndDeviationOne) {
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 20'000;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    std::vector<Draw> record;
    const double draw = DrawStream(origin(3, i), record).normal("delay");
    sum += draw;
    squares += draw * draw;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.03);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.04);
}

}  // namespace
}  // namespace mishap::server
