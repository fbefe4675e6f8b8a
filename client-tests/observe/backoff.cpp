#include "client-tests/observe/backoff.h"

#include <algorithm>

#include "client-tests/checks/noise_floor.h"
#include "client-tests/checks/waits.h"
#include "client-tests/statistics/family.h"
#include "client-tests/statistics/growth.h"
#include "client-tests/statistics/jitter.h"
#include "client-tests/statistics/layers.h"

namespace mishap::client_tests {

namespace {

using statistics::Decision;
using statistics::JitterFamily;
using statistics::Shape;

constexpr double kAtOnce = 0.02;     // seconds; what scheduling alone takes
constexpr double kSomeNoise = 0.01;  // of copies that have shown none

void tell_growth(const statistics::Table& waits, BackoffSeen& seen) {
  const auto growth = statistics::find_growth(waits);
  const statistics::Sample medians = statistics::medians_by_column(waits);
  if (growth.decision == Decision::No) seen.growth = GrowthSeen::Constant;
  if (growth.decision != Decision::Yes) return;
  seen.growth = GrowthSeen::Grows;
  seen.multiplier = growth.multiplier;
  seen.lower = growth.lower;
  seen.upper = growth.upper;
  const Shape shape = statistics::guess_shape(medians);
  const bool is_told = shape != Shape::Unknown && shape != Shape::Constant;
  if (is_told) seen.shape = std::string(to_string(shape));
  const std::size_t plateau = statistics::find_plateau(medians);
  if (plateau >= medians.size()) return;
  double most = 0;
  for (const auto& row : waits) {
    for (std::size_t i = plateau; i < row.size(); ++i) most = std::max(most, row[i]);
  }
  seen.cap = most;
}

void tell_jitter(const Case& c, const statistics::Table& waits, BackoffSeen& seen) {
  const double noise = noise_of_copies(c).value_or(kSomeNoise);
  for (std::size_t i = 0; i < statistics::common_columns(waits); ++i) {
    const auto jitter = statistics::find_jitter(statistics::column(waits, i), noise);
    if (jitter.decision == Decision::Yes) seen.jitter = true;
    if (jitter.decision == Decision::No && !seen.jitter) seen.jitter = false;
  }
  const auto family = statistics::guess_family(waits).family;
  const bool is_told = family != JitterFamily::Undecided && seen.jitter.value_or(false);
  if (is_told) seen.family = std::string(to_string(family));
}

void tell_layers(const statistics::Table& waits, BackoffSeen& seen) {
  if (waits.size() < statistics::kLayerSample) return;
  const auto layers = statistics::find_layers(waits);
  if (!layers) return;
  seen.inner = layers->inner;
  seen.outer = layers->outer;
}

statistics::Table without_first(statistics::Table waits) {
  for (auto& row : waits) row.erase(row.begin());
  return waits;
}

// Calls that waited as often as most of them: one that gave up early would shorten all rows.
statistics::Table usual_rows(const std::vector<Waits>& all) {
  statistics::Sample lengths;
  for (const Waits& waits : all) lengths.push_back(static_cast<double>(waits.seconds.size()));
  const auto usual = static_cast<std::size_t>(statistics::median(lengths));
  std::vector<Waits> rows;
  for (const Waits& waits : all) {
    if (waits.seconds.size() >= usual) rows.push_back(waits);
  }
  return table_of(rows);
}

}  // namespace

std::optional<BackoffSeen> backoff_seen(const Case& c) {
  const auto all = parallel_waits(c, 1);
  if (all.empty()) return {};
  statistics::Table waits = usual_rows(all);
  BackoffSeen seen;
  seen.method = all.front().operation->method;
  seen.calls = waits.size();
  seen.medians = statistics::medians_by_column(waits);
  for (const auto& row : waits)
    seen.longest = std::max(seen.longest, *std::ranges::max_element(row));
  if (waits.size() < kInstances && !is_steady(waits)) return seen;
  tell_layers(waits, seen);
  seen.first_at_once = seen.medians.front() < kAtOnce && seen.medians.size() > 1;
  if (seen.first_at_once) waits = without_first(std::move(waits));
  tell_growth(waits, seen);
  tell_jitter(c, waits, seen);
  return seen;
}

}  // namespace mishap::client_tests
