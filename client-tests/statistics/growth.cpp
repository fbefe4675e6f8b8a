#include "client-tests/statistics/growth.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "client-tests/statistics/theil_sen.h"

namespace mishap::client_tests::statistics {

namespace {

const double kGrows = std::log(1.25);
const double kGrowsAtLeast = std::log(1.1);
constexpr int kResamples = 200;
constexpr double kShortest = 1e-4;  // a wait of nothing has no logarithm

double slope_of(const Table& waits) {
  Sample logs;
  for (const double value : medians_by_column(waits)) {
    logs.push_back(std::log(std::max(value, kShortest)));
  }
  return theil_sen_slope(logs);
}

// The engine's numbers are the same everywhere, those of the library's distributions are not.
Sample bootstrap(const Table& waits) {
  std::mt19937_64 engine(20260101);
  Sample slopes;
  for (int i = 0; i < kResamples; ++i) {
    Table drawn;
    for (std::size_t n = 0; n < waits.size(); ++n) drawn.push_back(waits[engine() % waits.size()]);
    slopes.push_back(slope_of(drawn));
  }
  return slopes;
}

}  // namespace

Growth find_growth(const Table& waits) {
  Growth found;
  if (common_columns(waits) < 2) return found;
  const double slope = slope_of(waits);
  const Sample slopes = bootstrap(waits);
  const double lower = quantile(slopes, 0.025);
  const double upper = quantile(slopes, 0.975);
  found.multiplier = std::exp(slope);
  found.lower = std::exp(lower);
  found.upper = std::exp(upper);
  if (slope > kGrows && lower > kGrowsAtLeast) found.decision = Decision::Yes;
  if (upper < kGrows) found.decision = Decision::No;
  return found;
}

}  // namespace mishap::client_tests::statistics
