#pragma once

#include <string_view>

#include "client-tests/statistics/sample.h"

// Which kind of jitter a client draws (checks.md section 3.3). Information only: the kinds overlap.
namespace mishap::client_tests::statistics {

enum class JitterFamily {
  Undecided,
  Fixed,         // none
  Proportional,  // a share of the wait: 75 to 100 %, +-20 %
  Equal,         // half of the ceiling is kept, half is drawn
  Full,          // anything from zero to the ceiling
  Decorrelated,  // from the base to three times the wait before
};
std::string_view to_string(JitterFamily family);

// Rank correlation (Spearman) of two columns of equal length, ties by mean rank; 0 where one of
// them does not vary.
double rank_correlation(const Sample& a, const Sample& b);

struct Family {
  JitterFamily family = JitterFamily::Undecided;
  double relative_spread = 0;  // (q90 - q10) / median, the median of that over the columns
  double correlation = 0;      // of waits that follow one another, mean over the pairs of columns
  double least_share = 0;      // shortest wait / median, the median of that over the columns
};

// Wants three columns and 30 rows; with less it is Undecided.
Family guess_family(const Table& waits);

}  // namespace mishap::client_tests::statistics
