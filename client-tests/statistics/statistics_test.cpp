#include <gtest/gtest.h>

#include "client-tests/statistics/amplification.h"
#include "client-tests/statistics/family.h"
#include "client-tests/statistics/growth.h"
#include "client-tests/statistics/herd.h"
#include "client-tests/statistics/jitter.h"
#include "client-tests/statistics/layers.h"
#include "client-tests/statistics/theil_sen.h"

// By hand: where the thresholds lie. How often they are right is in simulation_test.cpp.
namespace mishap::client_tests::statistics {

TEST(Sample, QuantilesLieBetweenRanks) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.9), 19);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.1), 7);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
  EXPECT_DOUBLE_EQ(spread({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), 8);
}

TEST(Sample, LooksAtColumnsThatAllRowsHave) {
  const Table table = {{1, 2, 3}, {3, 4}};
  EXPECT_EQ(common_columns(table), 2U);
  EXPECT_EQ(medians_by_column(table), (Sample{2, 3}));
  EXPECT_EQ(column(table, 2), (Sample{3}));
  EXPECT_EQ(common_columns({}), 0U);
}

TEST(FindJitter, HasTwoThresholdsAndAGreyZone) {
  const auto spreads_by = [](double d) { return Sample{1, 1 + d, 1, 1 + d}; };
  EXPECT_EQ(find_jitter(spreads_by(0.2), 0.005).decision, Decision::Yes);
  EXPECT_EQ(find_jitter(spreads_by(0.03), 0.005).decision, Decision::Undecided);
  EXPECT_EQ(find_jitter(spreads_by(0.01), 0.005).decision, Decision::No);
}

TEST(FindJitter, IsBlindWhereTheNoiseIsLarge) {
  EXPECT_TRUE(find_jitter({0.1, 0.14, 0.1, 0.14}, 0.005).blind);
  EXPECT_EQ(find_jitter({0.1, 0.14, 0.1, 0.14}, 0.005).decision, Decision::Undecided);
  EXPECT_FALSE(find_jitter({1, 1.2, 1, 1.2}, 0.005).blind);
  EXPECT_TRUE(find_jitter({}, 0).blind);
}

TEST(FindJitter, SeesWideJitterOfShortWaitsAllTheSame) {
  EXPECT_EQ(find_jitter({0.02, 0.18, 0.02, 0.18}, 0.01).decision, Decision::Yes);
  EXPECT_TRUE(find_jitter({0.02, 0.18, 0.02, 0.18}, 0.02).blind);
}

TEST(TheilSen, IsNotTurnedByAnOutlier) {
  EXPECT_DOUBLE_EQ(theil_sen_slope({0, 2, 4, 6}), 2);
  EXPECT_NEAR(theil_sen_slope({0, 2, 4, 6, 900}), 2, 0.1);
  EXPECT_DOUBLE_EQ(theil_sen_slope({5}), 0);
  EXPECT_DOUBLE_EQ(theil_sen_slope_of({{1, 0}, {2, 3}, {2, 99}, {4, 9}}), 3);
  EXPECT_DOUBLE_EQ(theil_sen_slope_of({{1, 0}, {1, 3}}), 0);
}

TEST(FindGrowth, TellsTheMultiplier) {
  const Growth twice = find_growth({{1, 2, 4}, {1.1, 2.2, 4.4}});
  EXPECT_EQ(twice.decision, Decision::Yes);
  EXPECT_NEAR(twice.multiplier, 2, 0.01);
  EXPECT_EQ(find_growth({{1, 1, 1}, {1, 1.01, 1}}).decision, Decision::No);
  EXPECT_EQ(find_growth({{1}, {1}}).decision, Decision::Undecided);
  EXPECT_EQ(find_growth({}).decision, Decision::Undecided);
}

TEST(FindGrowth, ToleratesWaitsOfNothing) {
  EXPECT_EQ(find_growth({{0, 1, 2}, {0, 1, 2}}).decision, Decision::Yes);
}

TEST(GuessShape, TellsFourApart) {
  EXPECT_EQ(guess_shape({1, 1.1, 1, 1.05}), Shape::Constant);
  EXPECT_EQ(guess_shape({1, 2, 3, 4}), Shape::Linear);
  EXPECT_EQ(guess_shape({1, 2.5, 5, 8.5}), Shape::Quadratic);
  EXPECT_EQ(guess_shape({1, 2, 4, 8}), Shape::Exponential);
  EXPECT_EQ(guess_shape({1, 2, 4}), Shape::Unknown);
  EXPECT_EQ(guess_shape({0, 1, 2, 4}), Shape::Unknown);
}

TEST(FindPlateau, WantsTwoAtTheTop) {
  EXPECT_EQ(find_plateau({1, 2, 4, 4.1, 4}), 2U);
  EXPECT_EQ(find_plateau({1, 2, 4, 8}), 4U);
  EXPECT_EQ(find_plateau({1, 1, 1}), 0U);
  EXPECT_EQ(find_plateau({4, 4, 1, 1}), 4U);
  EXPECT_EQ(find_plateau({1}), 1U);
}

TEST(RankCorrelation, GoesByRankAndSharesTies) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 100, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 1}, {1, 2, 3}), 0);
  EXPECT_NEAR(rank_correlation({1, 1, 2}, {1, 2, 3}), 0.866, 0.001);
}

TEST(GuessFamily, WantsThirtyRowsAndThreeColumns) {
  EXPECT_EQ(guess_family(Table(30, {1, 2, 4})).family, JitterFamily::Fixed);
  EXPECT_EQ(guess_family(Table(29, {1, 2, 4})).family, JitterFamily::Undecided);
  EXPECT_EQ(guess_family(Table(30, {1, 2})).family, JitterFamily::Undecided);
  EXPECT_EQ(guess_family(Table(30, {0, 0, 0})).family, JitterFamily::Undecided);
}

TEST(MeasureWave, CountsWhatComesInOneMoment) {
  const Wave herd = measure_wave({1, 1.01, 1.02, 1.03, 3}, 1);
  EXPECT_DOUBLE_EQ(herd.share, 0.8);
  EXPECT_EQ(herd.herd, Decision::Yes);
  EXPECT_DOUBLE_EQ(herd.window, 0.05);
  const Wave spread_out = measure_wave({1, 1.2, 1.4, 1.6}, 1);
  EXPECT_EQ(spread_out.herd, Decision::No);
  EXPECT_LT(spread_out.variance_to_mean, herd.variance_to_mean);
  EXPECT_EQ(measure_wave({1, 1.01, 1.02, 2, 3}, 1).herd, Decision::Undecided);
  EXPECT_EQ(measure_wave({}, 1).herd, Decision::Undecided);
  EXPECT_DOUBLE_EQ(measure_wave({1}, 10).window, 0.5);
}

TEST(FindLayers, WantsDropsAtTheEndsOfTurnsAndNowhereElse) {
  const Sample nine = {1, 2, 9, 1, 2, 9, 1, 2};
  const auto layers = find_layers(Table(20, nine));
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->inner, 3U);
  EXPECT_EQ(layers->outer, 3U);
  EXPECT_FALSE(find_layers(Table(20, {1, 2, 9, 1, 2, 9, 1, 0.5})));  // another drop
  EXPECT_FALSE(find_layers(Table(20, {1, 2, 9, 1, 2, 9, 1})));       // eight are no threes
  EXPECT_FALSE(find_layers(Table(20, {1, 2, 4, 8, 16, 32, 64, 64})));
  EXPECT_FALSE(find_layers({}));
}

TEST(FindLayers, OfAFewWantsTheWaitsToRepeat) {
  EXPECT_TRUE(find_repeating_layers({{1, 2, 9, 1.05, 2, 9, 1, 1.95}}, 0.02));
  EXPECT_FALSE(find_repeating_layers({{1, 2, 9, 1.5, 2, 9, 1, 2}}, 0.02));
  EXPECT_FALSE(find_repeating_layers({{1, 9, 1}}, 0.02));  // one repetition may be chance
}

TEST(AmplificationOf, CountsAttemptsForEachOperation) {
  const Amplification seen = amplification_of({1, 1, 2, 4});
  EXPECT_DOUBLE_EQ(seen.factor, 2);
  EXPECT_DOUBLE_EQ(seen.p50, 1.5);
  EXPECT_EQ(seen.most, 4U);
  EXPECT_DOUBLE_EQ(seen.retried, 0.5);
  EXPECT_EQ(amplification_of({}).operations, 0U);
}

}  // namespace mishap::client_tests::statistics
