#include "client-tests/statistics/herd.h"

#include <algorithm>
#include <cmath>

namespace mishap::client_tests::statistics {

namespace {

constexpr double kLeastWindow = 0.05;
constexpr double kWindowShare = 0.05;
// Between the two lies tiny jitter, which is neither.
constexpr double kHerd = 0.80;
constexpr double kSpread = 0.55;

double most_within(const Sample& sorted, double window) {
  std::size_t most = 0;
  std::size_t begin = 0;
  for (std::size_t end = 0; end < sorted.size(); ++end) {
    while (sorted[end] - sorted[begin] > window) ++begin;
    most = std::max(most, end - begin + 1);
  }
  return static_cast<double>(most);
}

// Index of dispersion (Fisher): 1 for arrivals by chance, far above for bursts.
double index_of_dispersion(const Sample& sorted, double window) {
  const double span = sorted.back() - sorted.front();
  Sample counts(static_cast<std::size_t>(std::floor(span / window)) + 1);
  for (const double at : sorted) {
    ++counts[static_cast<std::size_t>((at - sorted.front()) / window)];
  }
  const double bins = static_cast<double>(counts.size());
  const double mean = static_cast<double>(sorted.size()) / bins;
  double squares = 0;
  for (const double count : counts) squares += (count - mean) * (count - mean);
  return squares / bins / mean;
}

}  // namespace

Wave measure_wave(const Sample& arrivals, double typical_wait) {
  Wave wave;
  wave.window = std::max(kLeastWindow, kWindowShare * typical_wait);
  if (arrivals.empty()) return wave;
  Sample sorted = arrivals;
  std::ranges::sort(sorted);
  const double size = static_cast<double>(sorted.size());
  const double most = most_within(sorted, wave.window);
  wave.share = most / size;
  const double bulk = std::max(quantile(sorted, 0.95) - quantile(sorted, 0.05), wave.window);
  wave.peak_to_mean = (most / wave.window) / (size / bulk);
  wave.variance_to_mean = index_of_dispersion(sorted, wave.window);
  if (wave.share >= kHerd) wave.herd = Decision::Yes;
  if (wave.share <= kSpread) wave.herd = Decision::No;
  return wave;
}

}  // namespace mishap::client_tests::statistics
