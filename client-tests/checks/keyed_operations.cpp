#include "client-tests/checks/keyed_operations.h"

namespace mishap::client_tests {

namespace {

constexpr std::size_t kShown = 12;

std::string without_quotes(const std::string& key) {
  const bool quoted = key.size() >= 2 && key.front() == '"' && key.back() == '"';
  return quoted ? key.substr(1, key.size() - 2) : key;
}

}  // namespace

std::vector<const Operation*> keyable_operations(const History& history) {
  std::vector<const Operation*> operations;
  for (const Operation& operation : history.operations) {
    const bool unsafe =
        operation.klass == OperationClass::Keyed || operation.klass == OperationClass::Unkeyed;
    if (unsafe && !operation.overlapping) operations.push_back(&operation);
  }
  return operations;
}

std::vector<KeyedAttempt> keyed_attempts(const Operation& operation) {
  std::vector<KeyedAttempt> keyed;
  for (const Attempt& attempt : operation.attempts) {
    std::string key = without_quotes(attempt.exchange->request.key);
    if (!key.empty()) keyed.push_back({&attempt, std::move(key)});
  }
  return keyed;
}

std::string shown_key(const std::string& key) {
  return key.size() <= kShown ? key : key.substr(0, kShown) + "…";
}

}  // namespace mishap::client_tests
