#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client-tests/checks/check.h"

// Which operations the key checks may look at.
namespace mishap::client_tests {

// Unsafe operations whose attempts are surely theirs: equal ones that overlapped and are known by
// content only may have been mixed up.
std::vector<const Operation*> keyable_operations(const History& history);

// The keys of the attempts that carry one, in order, without the quotes of a structured field.
struct KeyedAttempt {
  const Attempt* attempt = nullptr;
  std::string_view key;  // of the exchange
};
std::vector<KeyedAttempt> keyed_attempts(const Operation& operation);

// As a report may show it: a key is no secret, but a long one says nothing.
std::string shown_key(std::string_view key);

}  // namespace mishap::client_tests
