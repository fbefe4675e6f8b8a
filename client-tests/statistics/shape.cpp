#include <algorithm>
#include <cmath>

#include "client-tests/statistics/growth.h"

namespace mishap::client_tests::statistics {

namespace {

constexpr std::size_t kFewest = 4;
constexpr double kStill = 0.25;  // medians closer than that are one length

struct Line {
  double base = 0;
  double slope = 0;
  double at(double x) const { return base + slope * x; }
};

// Least squares.
Line fit(const Sample& x, const Sample& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  const double n = static_cast<double>(x.size());
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {(sy - slope * sx) / n, slope};
}

// What a fit leaves over, relative to each value, so that all three can be compared.
double left_over(const Sample& fitted, const Sample& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = fitted[i] / values[i] - 1;
    sum += off * off;
  }
  return sum;
}

double left_over_by_line(const Sample& x, const Sample& values) {
  const Line line = fit(x, values);
  Sample fitted;
  for (const double place : x) fitted.push_back(line.at(place));
  return left_over(fitted, values);
}

double left_over_by_exponential(const Sample& x, const Sample& values) {
  Sample logs;
  for (const double value : values) logs.push_back(std::log(value));
  const Line line = fit(x, logs);
  Sample fitted;
  for (const double place : x) fitted.push_back(std::exp(line.at(place)));
  return left_over(fitted, values);
}

}  // namespace

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::Unknown:
      return "unknown";
    case Shape::Constant:
      return "constant";
    case Shape::Linear:
      return "linear";
    case Shape::Quadratic:
      return "quadratic";
    case Shape::Exponential:
      return "exponential";
  }
  return "?";
}

Shape guess_shape(const Sample& medians) {
  if (medians.size() < kFewest || *std::ranges::min_element(medians) <= 0) return Shape::Unknown;
  const auto [least, most] = std::ranges::minmax_element(medians);
  if (*most < (1 + kStill) * *least) return Shape::Constant;
  Sample index, squares;
  for (std::size_t i = 0; i < medians.size(); ++i) {
    const double n = static_cast<double>(i + 1);
    index.push_back(n);
    squares.push_back(n * n);
  }
  const double linear = left_over_by_line(index, medians);
  const double quadratic = left_over_by_line(squares, medians);
  const double exponential = left_over_by_exponential(index, medians);
  if (exponential <= linear && exponential <= quadratic) return Shape::Exponential;
  return linear <= quadratic ? Shape::Linear : Shape::Quadratic;
}

std::size_t find_plateau(const Sample& medians) {
  if (medians.size() < 2) return medians.size();
  const double most = *std::ranges::max_element(medians);
  std::size_t begin = medians.size();
  while (begin > 0 && medians[begin - 1] > most / (1 + kStill)) --begin;
  return medians.size() - begin < 2 ? medians.size() : begin;
}

}  // namespace mishap::client_tests::statistics
