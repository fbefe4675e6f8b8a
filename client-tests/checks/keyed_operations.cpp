#include "client-tests/checks/keyed_operations.h"

#include "client-tests/checks/outcome_owners.h"

namespace mishap::client_tests {

namespace {

constexpr std::size_t kShown = 12;

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
    const std::string_view key = without_quotes(attempt.exchange->request.key);
    if (!key.empty()) keyed.push_back({&attempt, key});
  }
  return keyed;
}

std::string shown_key(std::string_view key) {
  return key.size() <= kShown ? std::string(key) : std::string(key.substr(0, kShown)) + "…";
}

}  // namespace mishap::client_tests
