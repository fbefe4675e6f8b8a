#include "client-tests/checks/outcome_owners.h"

namespace mishap::client_tests {

std::string_view without_quotes(std::string_view key) {
  const bool quoted = key.size() >= 2 && key.front() == '"' && key.back() == '"';
  return quoted ? key.substr(1, key.size() - 2) : key;
}

OutcomeOwners::OutcomeOwners(std::vector<Operation>& operations) : operations_(operations) {
  by_reference_.reserve(operations.size());
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    if (!operation.reference.empty()) {
      enter(by_reference_, {operation.lane, operation.reference}, i);
    }
    for (const std::string& key : operation.keys) enter(by_key_, {operation.lane, key}, i);
  }
}

void OutcomeOwners::enter(Chains& chains, const Name& name, std::uint32_t operation) {
  const auto link = static_cast<std::uint32_t>(links_.size());
  links_.push_back({operation});
  Chain& chain = chains[name];
  (chain.first == kNone ? chain.first : links_[chain.last].next) = link;
  chain.last = link;
}

bool OutcomeOwners::give(const Chains& chains, const Name& name, const OutcomeLine& line) {
  const auto found = chains.find(name);
  if (found == chains.end()) return false;
  for (std::uint32_t i = found->second.first; i != kNone; i = links_[i].next) {
    operations_[links_[i].operation].outcomes.push_back(&line);
  }
  return true;
}

// The reference is the stronger name: a line that is one operation's reference and by chance
// another's key belongs to the first. A key that several operations share names each of them.
bool OutcomeOwners::add(const OutcomeLine& line) {
  const std::string_view name = without_quotes(line.operation);
  bool found = give(by_reference_, {line.copy, line.operation}, line);
  if (name != line.operation) found = give(by_reference_, {line.copy, name}, line) || found;
  return found || give(by_key_, {line.copy, name}, line);
}

}  // namespace mishap::client_tests
