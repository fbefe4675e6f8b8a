#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "client-tests/statistics/family.h"
#include "client-tests/statistics/growth.h"
#include "client-tests/statistics/herd.h"
#include "client-tests/statistics/jitter.h"
#include "client-tests/statistics/layers.h"
#include "client-tests/statistics/simulated_clients_testing.h"

// The tables of checks.md section 3, made again: how often each kind of client is judged to have
// jitter, to grow, to be a herd. MISHAP_TRIALS=600 gives the whole table in print (label slow).
namespace mishap::client_tests::statistics {

namespace {

// Percent of the trials in which what must not happen may: none of 60, at most three of 600.
constexpr double kRare = 0.5;

int trials() {
  const char* asked = std::getenv("MISHAP_TRIALS");
  return asked ? std::atoi(asked) : 60;
}

void print(const std::string& line) {
  if (std::getenv("MISHAP_TRIALS")) std::printf("%s\n", line.c_str());
}

struct Rates {
  double yes = 0;
  double no = 0;
};

template <typename Judge>
Rates rates_of(Judge judge) {
  Rates rates;
  for (int i = 0; i < trials(); ++i) {
    const Decision decision = judge();
    if (decision == Decision::Yes) rates.yes += 100.0 / trials();
    if (decision == Decision::No) rates.no += 100.0 / trials();
  }
  return rates;
}

// Four standard errors of the two simulations (the published one had 300 trials or so), and a
// little for what its text does not say of the noise.
double tolerance(double percent) {
  const double share = std::min(std::max(percent / 100, 0.02), 0.98);
  return 4 + 400 * std::sqrt(share * (1 - share) * (1.0 / trials() + 1.0 / 300));
}

void expect_rate(const std::string& what, double published, double seen) {
  EXPECT_NEAR(seen, published, tolerance(published)) << what;
}

std::string row(const std::string& name, Rates rates) {
  char text[120];
  std::snprintf(text, sizeof(text), "%-26s yes %3.0f %%  no %3.0f %%", name.c_str(), rates.yes,
                rates.no);
  return text;
}

}  // namespace

TEST(Simulation, JitterAtTwentyInstances) {
  struct Cell {
    const char* name;
    Jittered jittered;
    double ceiling;  // of a median of 1
    double median;
    double yes;
    double no;
  };
  const std::vector<Cell> cells = {
      {"fixed", no_jitter(), 1, 0.5, 1, 96},
      {"fixed", no_jitter(), 1, 1, 0, 99},
      {"fixed", no_jitter(), 1, 2, 0, 100},
      {"+-5 %", plus_minus(0.05), 1, 0.5, 86, 2},
      {"+-5 %", plus_minus(0.05), 1, 1, 98, 0},
      {"+-5 %", plus_minus(0.05), 1, 2, 99, 0},
      {"+-10 %", plus_minus(0.1), 1, 0.5, 99, 0},
      {"+-10 %", plus_minus(0.1), 1, 1, 100, 0},
      {"+-20 %", plus_minus(0.2), 1, 0.5, 99, 0},
      {"75-100 %", between(0.75), 1.143, 1, 100, 0},
      {"equal", between(0.5), 1.333, 0.5, 100, 0},
      {"full", between(0), 2, 0.5, 100, 0},
      {"+0-100 ms", additive(0.1), 1, 0.5, 100, 0},
      {"+0-100 ms", additive(0.1), 1, 1, 97, 0},
      {"+0-100 ms", additive(0.1), 1, 2, 0, 0},
      // Of short waits only wide jitter is seen, and none is never passed.
      {"fixed", no_jitter(), 1, 0.1, 0, 10},
      {"full", between(0), 2, 0.1, 98, 0},
  };
  Chance chance(31);
  for (const Cell& cell : cells) {
    const Rates rates = rates_of([&] {
      const double ceiling = cell.median * cell.ceiling;
      const double noise = spread(column(observe(chance, constant(1, no_jitter()), 60, 1), 0));
      return find_jitter(column(observe(chance, constant(ceiling, cell.jittered), 20, 1), 0), noise)
          .decision;
    });
    const std::string name = std::string(cell.name) + " at " + std::to_string(cell.median) + " s";
    print(row("jitter " + name, rates));
    expect_rate(name + ", pass", cell.yes, rates.yes);
    expect_rate(name + ", fail", cell.no, rates.no);
  }
}

TEST(Simulation, Growth) {
  struct Cell {
    const char* name;
    Waits waits;
    std::size_t instances;
    std::size_t retries;
    double yes;
    double no;
  };
  const Waits full = growing(1, 2, between(0)), slow = growing(1, 1.5, between(0));
  const Waits flat = constant(1, between(0));
  const std::vector<Cell> cells = {
      {"x2 full", full, 20, 2, 52, 0},
      {"x2 full", full, 20, 3, 91, 0},
      {"x2 full", full, 20, 4, 100, 0},
      {"x2 full", full, 10, 5, 100, 0},
      {"x1.5 full", slow, 20, 3, 46, 0},
      {"x1.5 full", slow, 20, 5, 96, 0},
      {"x1.5 full", slow, 10, 5, 81, 0},
      {"decorrelated", decorrelated(1, 1e9), 20, 3, 78, 0},
      {"decorrelated", decorrelated(1, 1e9), 10, 5, 61, 0},
      {"linear full", linear(1, between(0)), 20, 3, 83, 0},
      {"linear full", linear(1, between(0)), 10, 5, 75, 0},
      {"x2 fixed", growing(1, 2, no_jitter()), 10, 5, 100, 0},
      {"x2 equal", growing(1, 2, between(0.5)), 20, 3, 100, 0},
      {"x2 +-20 %", growing(1, 2, plus_minus(0.2)), 20, 3, 100, 0},
      {"quadratic", quadratic(0.5, between(0.75)), 20, 3, 100, 0},
      {"constant", constant(1, no_jitter()), 20, 3, 0, 100},
      {"constant +-20 %", constant(1, plus_minus(0.2)), 20, 3, 0, 100},
      {"constant full", flat, 20, 3, 1, 25},
      {"constant full", flat, 20, 5, 0, 86},
      {"constant full", flat, 10, 5, 0, 53},
  };
  Chance chance(32);
  for (const Cell& cell : cells) {
    const Rates rates = rates_of([&] {
      return find_growth(observe(chance, cell.waits, cell.instances, cell.retries)).decision;
    });
    const std::string name = std::string(cell.name) + " N=" + std::to_string(cell.instances) +
                             " m=" + std::to_string(cell.retries);
    print(row("growth " + name, rates));
    expect_rate(name + ", pass", cell.yes, rates.yes);
    expect_rate(name + ", fail", cell.no, rates.no);
  }
}

// The worst error of all. In 3000 trials of x1.5 with full jitter and three waits it happens to one
// table of 20 instances, and to seven of 10: therefore the check wants 20.
TEST(Simulation, WhatGrowsIsNeverCalledFlat) {
  Chance chance(33);
  const std::vector<Waits> growers = {growing(1, 2, between(0)),   growing(1, 1.5, between(0)),
                                      decorrelated(1, 1e9),        linear(1, between(0)),
                                      growing(1, 2, between(0.5)), quadratic(0.5, between(0.75))};
  for (const Waits& waits : growers) {
    const Rates rates =
        rates_of([&] { return find_growth(observe(chance, waits, 20, 3)).decision; });
    EXPECT_LE(rates.no, kRare);
  }
}

TEST(Simulation, HerdOfFifty) {
  struct Cell {
    const char* name;
    Jittered jittered;
    double wait;
    double least;  // share of the peak, 1 to 99 %
    double most;
  };
  const std::vector<Cell> cells = {
      {"fixed", no_jitter(), 1, 0.94, 1.00},       {"+0-100 ms", additive(0.1), 1, 0.50, 0.72},
      {"+0-100 ms", additive(0.1), 2, 0.88, 1.00}, {"+0-100 ms", additive(0.1), 4, 1.00, 1.00},
      {"+-5 %", plus_minus(0.05), 1, 0.50, 0.72},  {"+-10 %", plus_minus(0.1), 1, 0.30, 0.46},
      {"75-100 %", between(0.75), 1, 0.24, 0.42},  {"+-20 %", plus_minus(0.2), 1, 0.18, 0.32},
      {"equal", between(0.5), 1, 0.16, 0.26},      {"full", between(0), 1, 0.10, 0.18},
  };
  Chance chance(34);
  for (const Cell& cell : cells) {
    Sample shares;
    for (int i = 0; i < trials(); ++i) {
      const Sample wave = column(observe(chance, constant(cell.wait, cell.jittered), 50, 1), 0);
      shares.push_back(measure_wave(wave, median(wave)).share);
    }
    char text[120];
    std::snprintf(text, sizeof(text), "herd %-12s %.0f s  %.2f to %.2f", cell.name, cell.wait,
                  quantile(shares, 0.01), quantile(shares, 0.99));
    print(text);
    EXPECT_GE(quantile(shares, 0.01), cell.least - 0.07) << cell.name;
    EXPECT_LE(quantile(shares, 0.99), cell.most + 0.07) << cell.name;
  }
}

TEST(Simulation, FamiliesOfThirty) {
  struct Cell {
    const char* name;
    Waits waits;
    JitterFamily family;
    double least_rate;  // that it is named so, in percent
  };
  const std::vector<Cell> cells = {
      {"fixed", growing(1, 2, no_jitter()), JitterFamily::Fixed, 95},
      {"75-100 %", growing(1, 2, between(0.75)), JitterFamily::Proportional, 95},
      {"+-20 %", growing(1, 2, plus_minus(0.2)), JitterFamily::Proportional, 95},
      {"equal", growing(1, 2, between(0.5)), JitterFamily::Equal, 90},
      {"full", growing(1, 2, between(0)), JitterFamily::Full, 85},
      {"decorrelated", decorrelated(1, 1e9), JitterFamily::Decorrelated, 80},
  };
  Chance chance(35);
  for (const Cell& cell : cells) {
    double right = 0, wrong = 0;
    for (int i = 0; i < trials(); ++i) {
      const JitterFamily family = guess_family(observe(chance, cell.waits, 30, 3)).family;
      if (family == cell.family) {
        right += 100.0 / trials();
      } else if (family != JitterFamily::Undecided) {
        wrong += 100.0 / trials();
      }
    }
    print(row(std::string("family ") + cell.name, {right, wrong}));
    EXPECT_GE(right, cell.least_rate) << cell.name;
    EXPECT_LE(wrong, 3) << cell.name;
  }
}

TEST(Simulation, ThreeTimesThreeIsFound) {
  Chance chance(36);
  for (const Jittered& jittered : {no_jitter(), between(0.5), plus_minus(0.2), between(0)}) {
    const Waits waits = nested(3, growing(0.1, 2, jittered), growing(1, 2, jittered));
    const Rates rates = rates_of(
        [&] { return find_layers(observe(chance, waits, 20, 8)) ? Decision::Yes : Decision::No; });
    print(row("layers 3 x 3", rates));
    EXPECT_GE(rates.yes, 95);
  }
}

TEST(Simulation, OneLayerIsNeverTakenForTwo) {
  Chance chance(37);
  const std::vector<Waits> single = {growing(0.1, 2, no_jitter()), growing(0.1, 2, between(0)),
                                     constant(1, between(0)),      constant(1, no_jitter()),
                                     decorrelated(0.1, 2),         linear(0.5, between(0))};
  for (const Waits& waits : single) {
    for (const std::size_t retries : {3U, 5U, 7U, 8U}) {
      const Rates many = rates_of([&] {
        return find_layers(observe(chance, waits, 20, retries)) ? Decision::Yes : Decision::No;
      });
      EXPECT_LE(many.yes, kRare);
      for (const std::size_t few : {1U, 3U}) {
        const Rates alone = rates_of([&] {
          const auto layers = find_repeating_layers(observe(chance, waits, few, retries), 0.02);
          return layers ? Decision::Yes : Decision::No;
        });
        EXPECT_LE(alone.yes, kRare);
      }
    }
  }
}

}  // namespace mishap::client_tests::statistics
