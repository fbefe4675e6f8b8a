#include "client-tests/checks/own_delay.h"

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/retry_after.h"

namespace mishap::client_tests {

OwnDelays own_delays(const History& history) {
  OwnDelays longest;
  for (const Operation& operation : history.operations) {
    const auto attempts = policy_attempts(operation);
    for (std::size_t index = 1; index < attempts.size(); ++index) {
      const auto& gap = attempts[index]->gap;
      if (!gap || retry_after(*history.recording, *attempts[index - 1]->exchange)) continue;
      const auto [known, is_new] = longest.try_emplace({operation.method, index}, *gap);
      if (!is_new) known->second = std::max(known->second, *gap);
    }
  }
  return longest;
}

std::optional<Duration> own_delay(const Case& c, const std::string& method, std::size_t index) {
  if (!c.comparison_history) return std::nullopt;
  const OwnDelays& delays = own_delays_of(*c.comparison_history);
  const auto found = delays.find({method, index});
  return found == delays.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace mishap::client_tests
