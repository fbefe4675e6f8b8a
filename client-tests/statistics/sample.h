#pragma once

#include <cstddef>
#include <vector>

// Order statistics of a small sample. Values are plain numbers (seconds, mostly); an empty sample
// gives 0.
namespace mishap::client_tests::statistics {

using Sample = std::vector<double>;

// The rows of a table are instances of a client, the columns their waits in order.
using Table = std::vector<Sample>;

// What a test of a sample says. Undecided is no fault of anybody: the sample is too small, too
// noisy, or lies between the thresholds.
enum class Decision { Yes, No, Undecided };

double quantile(Sample sample, double q);  // between ranks, linearly (Hyndman and Fan, type 7)
double median(Sample sample);
double spread(const Sample& sample);  // q90 - q10

Sample column(const Table& table, std::size_t index);  // rows that are shorter are left out

// Of the columns that every row has.
std::size_t common_columns(const Table& table);
Sample medians_by_column(const Table& table);

}  // namespace mishap::client_tests::statistics
