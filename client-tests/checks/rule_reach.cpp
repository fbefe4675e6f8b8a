#include "client-tests/checks/rule_reach.h"

#include <algorithm>
#include <limits>
#include <map>

namespace mishap::client_tests {

namespace {

bool is_endless(const scenarios::Count& count) {
  return count.every == 0 && count.last == std::numeric_limits<std::uint64_t>::max();
}

// By the rule's `on`: which of the operations that it is about this one is.
using Calls = std::map<std::string, std::uint64_t>;

Calls calls_of_rules_that_fired(const Recording& recording, const server::Exchange& exchange) {
  Calls calls;
  for (const auto& hit : exchange.rules) {
    if (!hit.fired) continue;
    for (const auto& rule : recording.scenario.rules) {
      if (rule.name == hit.rule) calls[rule.on] = hit.op;
    }
  }
  return calls;
}

bool meets(const RuleFacts& rule, const Calls& calls, std::uint64_t attempt) {
  const auto call = calls.find(rule.on);
  if (call == calls.end()) return false;
  if (rule.op && !rule.op->contains(call->second)) return false;
  if (rule.attempt && !rule.attempt->contains(attempt)) return false;
  // Which request of the lane the next one would have been is not known.
  if (rule.request && !is_endless(*rule.request)) return false;
  return rule.rate > 0;
}

}  // namespace

bool would_fail_again(const Recording& recording, const Attempt& attempt) {
  const auto calls = calls_of_rules_that_fired(recording, *attempt.exchange);
  const std::uint64_t next = attempt.exchange->identity.attempt + 1;
  return std::ranges::any_of(recording.scenario.rules,
                             [&](const RuleFacts& rule) { return meets(rule, calls, next); });
}

}  // namespace mishap::client_tests
