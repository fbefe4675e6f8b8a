#pragma once

#include <string_view>

#include "client-tests/statistics/sample.h"

// Whether waits lengthen from one retry to the next, and how (checks.md section 3.2).
namespace mishap::client_tests::statistics {

struct Growth {
  Decision decision = Decision::Undecided;  // Yes: they grow
  double multiplier = 1;                    // from one wait to the next
  double lower = 1;                         // of it, 95 % by bootstrap over the instances
  double upper = 1;
};

// Rows are instances, columns their waits; only columns that all rows have are looked at. Fewer
// than two columns, or no row, is Undecided. The same table gives the same answer.
Growth find_growth(const Table& waits);

// How the medians grow. Information only: with full jitter and few waits it is a guess.
enum class Shape { Unknown, Constant, Linear, Quadratic, Exponential };
std::string_view to_string(Shape shape);
Shape guess_shape(const Sample& medians);  // Unknown below four

// The first index from which the waits stand still at their largest: two medians in a row that
// differ by less than a quarter, and nothing longer. `medians.size()` where they do not.
std::size_t find_plateau(const Sample& medians);

}  // namespace mishap::client_tests::statistics
