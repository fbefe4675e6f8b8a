#pragma once

#include <optional>

#include "client-tests/statistics/sample.h"

// Whether a retry loop stands inside another one: the waits of the inner one begin anew with every
// turn of the outer one (checks.md section 3.5).
namespace mishap::client_tests::statistics {

struct Layers {
  std::size_t inner = 0;  // attempts of one turn
  std::size_t outer = 0;  // turns
};

// Waits fall back at exactly the ends of turns, in seven of ten instances. Columns are the waits of
// an operation, so there is one attempt more than columns.
std::optional<Layers> find_layers(const Table& waits);

// The same from a few instances, whose waits must then repeat from turn to turn within 10 % or
// `noise`: with wide jitter so few can fall back by chance, but not repeat themselves.
std::optional<Layers> find_repeating_layers(const Table& waits, double noise);

// Enough rows for find_layers.
inline constexpr std::size_t kLayerSample = 20;

}  // namespace mishap::client_tests::statistics
