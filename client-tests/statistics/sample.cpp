#include "client-tests/statistics/sample.h"

#include <algorithm>
#include <cmath>

namespace mishap::client_tests::statistics {

double quantile(Sample sample, double q) {
  if (sample.empty()) return 0;
  std::sort(sample.begin(), sample.end());
  const double rank = q * static_cast<double>(sample.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const std::size_t above = std::min(below + 1, sample.size() - 1);
  return sample[below] + (rank - std::floor(rank)) * (sample[above] - sample[below]);
}

double median(Sample sample) {
  return quantile(std::move(sample), 0.5);
}

double spread(const Sample& sample) {
  return quantile(sample, 0.9) - quantile(sample, 0.1);
}

Sample column(const Table& table, std::size_t index) {
  Sample values;
  for (const Sample& row : table) {
    if (index < row.size()) values.push_back(row[index]);
  }
  return values;
}

std::size_t common_columns(const Table& table) {
  if (table.empty()) return 0;
  std::size_t least = table.front().size();
  for (const Sample& row : table) least = std::min(least, row.size());
  return least;
}

Sample medians_by_column(const Table& table) {
  Sample medians;
  for (std::size_t i = 0; i < common_columns(table); ++i) {
    medians.push_back(median(column(table, i)));
  }
  return medians;
}

}  // namespace mishap::client_tests::statistics
