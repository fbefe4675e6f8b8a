#pragma once

#include "client-tests/statistics/sample.h"

// A slope that single outliers cannot turn (Theil 1950, Sen 1968): the median of the slopes between
// all pairs of points.
namespace mishap::client_tests::statistics {

// Of `values` against 0, 1, 2 ...; 0 for fewer than two.
double theil_sen_slope(const Sample& values);

// Of points, whose first coordinates ascend; 0 where no two differ in it. Looks at all pairs: a few
// hundred points are enough.
struct Point {
  double x = 0;
  double y = 0;
};
double theil_sen_slope_of(const std::vector<Point>& points);

}  // namespace mishap::client_tests::statistics
