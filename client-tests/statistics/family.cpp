#include "client-tests/statistics/family.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mishap::client_tests::statistics {

namespace {

constexpr std::size_t kRows = 30;
constexpr std::size_t kColumns = 3;

// Mean rank for equals.
Sample ranks(const Sample& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  Sample ranked(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) ranked[order[i]] = rank;
    begin = end;
  }
  return ranked;
}

double mean(const Sample& values) {
  return values.empty()
             ? 0
             : std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

// Full and decorrelated spread alike; what tells them apart is that the second remembers its last
// wait and never goes below its base.
JitterFamily wide_one(const Family& seen) {
  if (seen.correlation >= 0.30 && seen.least_share >= 0.27) return JitterFamily::Decorrelated;
  if (seen.correlation <= 0.25 && seen.least_share <= 0.25) return JitterFamily::Full;
  return JitterFamily::Undecided;
}

JitterFamily family_of(const Family& seen) {
  const double r = seen.relative_spread;
  if (r < 0.02) return JitterFamily::Fixed;
  if (r >= 0.10 && r <= 0.37) return JitterFamily::Proportional;
  if (r >= 0.38 && r <= 0.62) return JitterFamily::Equal;
  return r > 0.9 ? wide_one(seen) : JitterFamily::Undecided;
}

}  // namespace

std::string_view to_string(JitterFamily family) {
  switch (family) {
    case JitterFamily::Undecided:
      return "undecided";
    case JitterFamily::Fixed:
      return "fixed";
    case JitterFamily::Proportional:
      return "proportional";
    case JitterFamily::Equal:
      return "equal";
    case JitterFamily::Full:
      return "full";
    case JitterFamily::Decorrelated:
      return "decorrelated";
  }
  return "?";
}

double rank_correlation(const Sample& a, const Sample& b) {
  const Sample x = ranks(a), y = ranks(b);
  const double mx = mean(x), my = mean(y);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

Family guess_family(const Table& waits) {
  Family seen;
  const std::size_t columns = common_columns(waits);
  Sample spreads, shares, correlations;
  for (std::size_t i = 0; i < columns; ++i) {
    const Sample at_index = column(waits, i);
    const double middle = median(at_index);
    if (middle <= 0) return seen;
    spreads.push_back(spread(at_index) / middle);
    shares.push_back(*std::ranges::min_element(at_index) / middle);
    if (i > 0) correlations.push_back(rank_correlation(column(waits, i - 1), at_index));
  }
  seen.relative_spread = median(spreads);
  seen.least_share = median(shares);
  seen.correlation = mean(correlations);
  if (waits.size() >= kRows && columns >= kColumns) seen.family = family_of(seen);
  return seen;
}

}  // namespace mishap::client_tests::statistics
