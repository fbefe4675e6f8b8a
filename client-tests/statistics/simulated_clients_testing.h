#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include "client-tests/statistics/sample.h"

// Clients as a formula, for tests of the statistics: what waits they would show on a machine with
// ordinary scheduling. One seed, one sequence.
namespace mishap::client_tests::statistics {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  double uniform(double from, double to) {
    constexpr double kSteps = 1ULL << 53U;
    return from + (to - from) * static_cast<double>(engine_() >> 11U) / kSteps;
  }
  double normal() {  // Box and Muller
    const double u = 1 - uniform(0, 1), v = uniform(0, 2 * 3.14159265358979);
    return std::sqrt(-2 * std::log(u)) * std::cos(v);
  }
  // Log-normal around 2 ms, with 2 % hiccups of 10 to 100 ms (checks.md, head).
  double lateness() {
    if (uniform(0, 1) < 0.02) return uniform(0.010, 0.100);
    return 0.002 * std::exp(0.8 * normal());
  }

 private:
  std::mt19937_64 engine_;
};

// The wait before retry `index` (from 0), after one of `last` seconds.
using Waits = std::function<double(Chance&, std::size_t index, double last)>;

inline double doubling(double base, std::size_t index, double factor = 2) {
  return base * std::pow(factor, static_cast<double>(index));
}

// Jitter families around a ceiling.
using Jittered = std::function<double(Chance&, double ceiling)>;
inline Jittered no_jitter() {
  return [](Chance&, double ceiling) { return ceiling; };
}
inline Jittered plus_minus(double share) {
  return [=](Chance& c, double ceiling) { return ceiling * c.uniform(1 - share, 1 + share); };
}
inline Jittered between(double least_share) {  // 0 is full, 0.5 equal, 0.75 that of 75 to 100 %
  return [=](Chance& c, double ceiling) { return ceiling * c.uniform(least_share, 1); };
}
inline Jittered additive(double most) {
  return [=](Chance& c, double ceiling) { return ceiling + c.uniform(0, most); };
}

inline Waits growing(double base, double factor, Jittered jittered) {
  return [=](Chance& c, std::size_t index, double) {
    return jittered(c, doubling(base, index, factor));
  };
}
inline Waits constant(double base, Jittered jittered) {
  return growing(base, 1, std::move(jittered));
}
inline Waits linear(double base, Jittered jittered) {
  return [=](Chance& c, std::size_t index, double) {
    return jittered(c, base * static_cast<double>(index + 1));
  };
}
inline Waits quadratic(double base, Jittered jittered) {  // as in stripe-go
  return [=](Chance& c, std::size_t index, double) {
    return jittered(c, base + base * static_cast<double>(index * index));
  };
}
inline Waits decorrelated(double base, double cap) {
  return [=](Chance& c, std::size_t, double last) {
    return std::min(cap, c.uniform(base, 3 * std::max(base, last)));
  };
}
// A loop of `attempts` inside another one that waits `outer`.
inline Waits nested(std::size_t attempts, Waits inner, Waits outer) {
  return [=](Chance& c, std::size_t index, double last) {
    const std::size_t turn = index / attempts, place = index % attempts;
    return place + 1 == attempts ? outer(c, turn, last) : inner(c, place, last);
  };
}

// What would be measured of so many instances with so many waits each.
inline Table observe(Chance& chance, const Waits& waits, std::size_t instances,
                     std::size_t retries) {
  Table table;
  for (std::size_t i = 0; i < instances; ++i) {
    Sample row;
    double last = 0;
    for (std::size_t k = 0; k < retries; ++k) {
      last = waits(chance, k, last);
      row.push_back(last + chance.lateness());
    }
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace mishap::client_tests::statistics
