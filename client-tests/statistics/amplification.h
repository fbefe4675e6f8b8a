#pragma once

#include <cstdint>
#include <vector>

// How much load retries make (checks.md check 35).
namespace mishap::client_tests::statistics {

struct Amplification {
  std::size_t operations = 0;
  double factor = 0;  // attempts / operations
  double p50 = 0;     // attempts of an operation
  double p95 = 0;
  std::uint64_t most = 0;
  double retried = 0;  // share of the operations that needed more than one
};

Amplification amplification_of(const std::vector<std::uint64_t>& attempts_by_operation);

}  // namespace mishap::client_tests::statistics
