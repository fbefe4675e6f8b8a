#include "client-tests/statistics/theil_sen.h"

namespace mishap::client_tests::statistics {

double theil_sen_slope(const Sample& values) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.push_back({static_cast<double>(i), values[i]});
  }
  return theil_sen_slope_of(points);
}

double theil_sen_slope_of(const std::vector<Point>& points) {
  Sample slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      if (points[j].x <= points[i].x) continue;
      slopes.push_back((points[j].y - points[i].y) / (points[j].x - points[i].x));
    }
  }
  return median(slopes);
}

}  // namespace mishap::client_tests::statistics
