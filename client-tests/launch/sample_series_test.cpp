#include "client-tests/launch/sample_series.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

using std::chrono::milliseconds;

ProcessSample sample_at(int look) {
  ProcessSample sample;
  sample.at = milliseconds(50 * look);
  sample.cpu = milliseconds(look);
  return sample;
}

std::vector<ProcessSample> series_of(int looks) {
  SampleSeries series;
  for (int look = 0; look < looks; ++look) series.add(sample_at(look));
  return series.take();
}

TEST(SampleSeries, KeepsEveryLookAtAShortLife) {
  const auto series = series_of(static_cast<int>(ProcessFacts::kMostSamples));
  ASSERT_EQ(series.size(), ProcessFacts::kMostSamples);
  EXPECT_EQ(series.front(), sample_at(0));
  EXPECT_EQ(series.back(), sample_at(static_cast<int>(ProcessFacts::kMostSamples) - 1));
}

TEST(SampleSeries, ThinsOutALongLifeAndStaysEvenlySpaced) {
  for (const int looks : {513, 514, 1024, 1025, 5000, 100'000}) {
    const auto series = series_of(looks);
    ASSERT_LE(series.size(), ProcessFacts::kMostSamples) << looks;
    ASSERT_GT(series.size(), ProcessFacts::kMostSamples / 2 - 1) << looks;
    const Duration apart = series[1].at - series[0].at;
    for (std::size_t i = 1; i < series.size(); ++i) {
      ASSERT_EQ(series[i].at - series[i - 1].at, apart) << looks << " at " << i;
    }
    EXPECT_LT(sample_at(looks - 1).at - series.back().at, apart) << looks;
  }
}

TEST(SampleSeries, NeverTakesBackWhatWasUsed) {
  SampleSeries series;
  ProcessSample sample;
  for (const int cpu : {10, 30, 20, 40}) {
    sample.at += milliseconds(50);
    sample.cpu = milliseconds(cpu);
    series.add(sample);
  }
  const auto kept = series.take();
  ASSERT_EQ(kept.size(), 4U);
  EXPECT_EQ(kept[2].cpu, milliseconds(30));
  EXPECT_EQ(kept[3].cpu, milliseconds(40));
}

}  // namespace
}  // namespace mishap::client_tests
