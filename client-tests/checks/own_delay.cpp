#include "client-tests/checks/own_delay.h"

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/retry_after.h"

namespace mishap::client_tests {

std::optional<Duration> own_delay(const Case& c, const std::string& method, std::size_t index) {
  if (!c.comparison || !c.comparison_history) return std::nullopt;
  std::optional<Duration> longest;
  for (const Operation& operation : c.comparison_history->operations) {
    const auto attempts = policy_attempts(operation);
    if (operation.method != method || index >= attempts.size()) continue;
    const auto& gap = attempts[index]->gap;
    if (!gap || retry_after(*c.comparison, *attempts[index - 1]->exchange)) continue;
    longest = longest ? std::max(*longest, *gap) : *gap;
  }
  return longest;
}

}  // namespace mishap::client_tests
