#include "client-tests/checks/operation_gathering.h"

#include <algorithm>

#include "client-tests/checks/batch_exchange.h"
#include "client-tests/checks/outcome_owners.h"

namespace mishap::client_tests {

namespace {

using server::Exchange;
using server::Role;

bool is_out_of_operations(const Exchange& exchange) {
  return exchange.role == Role::Unmatched || exchange.role == Role::Rejected ||
         !belongs_to_operations(exchange);
}

std::vector<std::uint64_t> operation_numbers(const server::Journal& journal) {
  std::vector<std::uint64_t> numbers;
  const auto add = [&](std::uint64_t number) {
    if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
  };
  for (const Exchange& exchange : journal.exchanges) {
    if (exchange.items.empty() && !is_out_of_operations(exchange)) {
      add(exchange.identity.operation);
    }
    for (const server::BatchItem& item : exchange.items) add(item.identity.operation);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

// One for each number, in place from the beginning: a large run has a million.
class Gathering {
 public:
  explicit Gathering(const server::Journal& journal)
      : numbers_(operation_numbers(journal)), operations_(numbers_.size()) {}

  // Null: no attempt of it is there.
  Operation* find(std::uint64_t number) {
    if (numbers_.empty()) return nullptr;
    const std::uint64_t guess = number - numbers_.front();  // most often there are no gaps
    if (guess < numbers_.size() && numbers_[guess] == number) return &operations_[guess];
    const auto found = std::ranges::lower_bound(numbers_, number);
    if (found == numbers_.end() || *found != number) return nullptr;
    return &operations_[static_cast<std::size_t>(found - numbers_.begin())];
  }

  std::vector<Operation> take() { return std::move(operations_); }

 private:
  std::vector<std::uint64_t> numbers_;
  std::vector<Operation> operations_;
};

void begin_operation(Operation& operation, const Exchange& exchange) {
  operation.number = exchange.identity.operation;
  operation.ordinal = exchange.identity.ordinal;
  operation.lane = exchange.lane;
  operation.method = exchange.request.method;
  operation.path = exchange.request.path;
  operation.by = exchange.identity.by;
}

void add_attempt(Operation& operation, const Exchange& exchange) {
  if (operation.attempts.empty()) begin_operation(operation, exchange);
  if (operation.reference.empty()) operation.reference = exchange.request.reference;
  const std::string_view key = without_quotes(exchange.request.key);
  auto& keys = operation.keys;
  if (!key.empty() && std::ranges::find(keys, key) == keys.end()) keys.emplace_back(key);
  operation.overlapping = operation.overlapping || exchange.identity.overlapping;
  operation.polled = operation.polled || exchange.role == Role::Poll;
  operation.attempts.emplace_back().exchange = &exchange;
}

void add_attempts(const server::Journal& journal, Gathering& gathering, History& history) {
  for (const Exchange& exchange : journal.exchanges) {
    if (is_out_of_operations(exchange)) {
      history.unmatched.push_back(&exchange);
    } else if (exchange.items.empty()) {
      add_attempt(*gathering.find(exchange.identity.operation), exchange);
    }
    if (exchange.items.empty()) continue;
    for (Exchange& item : items_as_calls(exchange)) {
      const Exchange& call = history.items.emplace_back(std::move(item));
      add_attempt(*gathering.find(call.identity.operation), call);
    }
  }
}

}  // namespace

std::vector<Operation> gather_operations(const Recording& recording, History& history) {
  const server::Journal& journal = recording.journal;
  Gathering gathering(journal);
  add_attempts(journal, gathering, history);
  for (const Exchange& exchange : journal.exchanges) {
    for (const std::uint64_t number : exchange.looked_up) {
      if (Operation* found = gathering.find(number)) found->lookups.push_back(&exchange);
    }
  }
  for (const server::Effect& effect : journal.effects) {
    if (Operation* found = gathering.find(effect.operation)) found->effects.push_back(&effect);
  }
  return gathering.take();
}

}  // namespace mishap::client_tests
