#include "client-tests/statistics/layers.h"

#include <algorithm>
#include <cmath>

namespace mishap::client_tests::statistics {

namespace {

constexpr double kDrop = 0.6;   // a wait that is shorter than so much of the one before
constexpr double kReset = 0.7;  // so many instances drop there
constexpr double kAlike = 0.1;
// Two waits of full jitter are alike in one case of ten; four times is no chance any more.
constexpr std::size_t kRepetitions = 4;

// By column: whether the wait behind it falls back.
std::vector<bool> resets_of(const Table& waits) {
  std::vector<bool> resets;
  for (std::size_t k = 0; k + 1 < common_columns(waits); ++k) {
    const auto drops = std::ranges::count_if(
        waits, [&](const Sample& row) { return row[k + 1] < kDrop * row[k]; });
    resets.push_back(static_cast<double>(drops) >= kReset * static_cast<double>(waits.size()));
  }
  return resets;
}

// Exactly the waits between two turns are followed by a drop, no other.
bool fits(const std::vector<bool>& resets, std::size_t period) {
  for (std::size_t k = 0; k < resets.size(); ++k) {
    const bool is_between_turns = (k + 1) % period == 0;
    if (resets[k] != is_between_turns) return false;
  }
  return true;
}

// How often a wait is that of the first turn at its place; nothing where one is not.
std::optional<std::size_t> repetitions(const Sample& row, std::size_t period, double noise) {
  std::size_t found = 0;
  for (std::size_t k = period; k < row.size(); ++k) {
    if ((k + 1) % period == 0) continue;
    const double first = row[k % period];
    if (std::abs(row[k] - first) > std::max(noise, kAlike * first)) return std::nullopt;
    ++found;
  }
  return found;
}

}  // namespace

std::optional<Layers> find_layers(const Table& waits) {
  const std::size_t attempts = common_columns(waits) + 1;
  const std::vector<bool> resets = resets_of(waits);
  for (std::size_t period = 2; 2 * period <= attempts; ++period) {
    if (attempts % period == 0 && fits(resets, period)) return Layers{period, attempts / period};
  }
  return std::nullopt;
}

std::optional<Layers> find_repeating_layers(const Table& waits, double noise) {
  const auto layers = find_layers(waits);
  if (!layers) return std::nullopt;
  std::size_t found = 0;
  for (const Sample& row : waits) {
    const auto of_row = repetitions(row, layers->inner, noise);
    if (!of_row) return std::nullopt;
    found += *of_row;
  }
  return found >= kRepetitions ? layers : std::nullopt;
}

}  // namespace mishap::client_tests::statistics
