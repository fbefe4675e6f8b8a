#include "client-tests/statistics/amplification.h"

#include <algorithm>

#include "client-tests/statistics/sample.h"

namespace mishap::client_tests::statistics {

Amplification amplification_of(const std::vector<std::uint64_t>& attempts_by_operation) {
  Amplification seen;
  seen.operations = attempts_by_operation.size();
  if (attempts_by_operation.empty()) return seen;
  Sample attempts;
  double all = 0, retried = 0;
  for (const std::uint64_t count : attempts_by_operation) {
    attempts.push_back(static_cast<double>(count));
    all += static_cast<double>(count);
    if (count > 1) ++retried;
    seen.most = std::max(seen.most, count);
  }
  const double operations = static_cast<double>(seen.operations);
  seen.factor = all / operations;
  seen.p50 = median(attempts);
  seen.p95 = quantile(attempts, 0.95);
  seen.retried = retried / operations;
  return seen;
}

}  // namespace mishap::client_tests::statistics
