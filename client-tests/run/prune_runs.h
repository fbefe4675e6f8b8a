#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"

namespace mishap::client_tests {

struct Pruned {
  std::vector<std::string> removed;  // names, oldest first
  std::uint64_t freed = 0;           // bytes
};

inline constexpr std::size_t kKeptPassing = 20;
inline constexpr std::uint64_t kKeptBytes = 1024ULL * 1024 * 1024;

// Looks over a folder of stored runs (mishap-runs/): keeps the last `keep` that passed and all
// others, and of these removes the oldest, passing ones first, until all together have at most
// `bytes`. The newest run always stays, and what is no whole stored run (no suite.json; a link) is
// never touched. Runs are told apart in age by their names, which begin with the time.
tl::expected<Pruned, Error> prune_runs(const std::string& folder, std::size_t keep = kKeptPassing,
                                       std::uint64_t bytes = kKeptBytes);

}  // namespace mishap::client_tests
