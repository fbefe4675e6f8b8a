#include "client-tests/statistics/jitter.h"

#include <algorithm>

namespace mishap::client_tests::statistics {

namespace {

// A spread counts as jitter when it is so many times the noise, and such a share of the wait.
constexpr double kEnoughNoise = 5;
constexpr double kEnoughShare = 0.05;
constexpr double kFlatNoise = 3;
constexpr double kFlatShare = 0.02;
// Beyond that share of the wait the noise alone could be taken for a useful jitter, and hide one.
constexpr double kBlindShare = 0.15;
// What is so far above both cannot be noise even there: full jitter of short waits.
constexpr double kWideNoise = 10;
constexpr double kWideShare = 0.5;

bool is_wide(const Jitter& found, double noise) {
  return found.spread >= std::max(kWideNoise * noise, kWideShare * found.median);
}

}  // namespace

Jitter find_jitter(const Sample& waits, double noise) {
  Jitter found;
  found.spread = spread(waits);
  found.median = median(waits);
  found.enough = std::max(kEnoughNoise * noise, kEnoughShare * found.median);
  found.flat = std::max(kFlatNoise * noise, kFlatShare * found.median);
  found.blind = waits.empty() || kEnoughNoise * noise > kBlindShare * found.median;
  if (found.blind && (waits.empty() || !is_wide(found, noise))) return found;
  found.blind = false;
  if (found.spread >= found.enough) found.decision = Decision::Yes;
  if (found.spread <= found.flat) found.decision = Decision::No;
  return found;
}

}  // namespace mishap::client_tests::statistics
