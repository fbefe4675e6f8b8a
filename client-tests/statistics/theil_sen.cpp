#include "client-tests/statistics/theil_sen.h"

namespace mishap::client_tests::statistics {

double theil_sen_slope(const Sample& values) {
  Sample slopes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  return median(slopes);
}

}  // namespace mishap::client_tests::statistics
