#include "cli/seed.h"

#include <random>

namespace mishap::cli {

std::uint64_t choose_seed(const std::optional<std::uint64_t>& asked) {
  if (asked) return *asked;
  std::random_device entropy;
  return std::uniform_int_distribution<std::uint64_t>(1, 999'999)(entropy);
}

}  // namespace mishap::cli
