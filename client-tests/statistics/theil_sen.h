#pragma once

#include "client-tests/statistics/sample.h"

// A slope that single outliers cannot turn (Theil 1950, Sen 1968): the median of the slopes between
// all pairs of points.
namespace mishap::client_tests::statistics {

// Of `values` against 0, 1, 2 ...; 0 for fewer than two.
double theil_sen_slope(const Sample& values);

}  // namespace mishap::client_tests::statistics
