#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mishap/history.h>

namespace mishap::client_tests {

// Whom the lines of a client are about: operations by the names that it may call them by.
class OutcomeOwners {
 public:
  // Gives back views of their names: they stay where they are meanwhile.
  explicit OutcomeOwners(std::vector<Operation>& operations);

  // The line becomes one of each operation that it names. False: it names none.
  bool add(const OutcomeLine& line);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  // Operations of one name, chained in their order.
  struct Chain {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Link {
    std::uint32_t operation;
    std::uint32_t next = kNone;
  };
  using Name = std::pair<int, std::string_view>;  // what a copy of the client calls it
  struct Hash {
    std::size_t operator()(const Name& name) const {
      return std::hash<std::string_view>{}(name.second) * 31 + static_cast<std::size_t>(name.first);
    }
  };
  using Chains = std::unordered_map<Name, Chain, Hash>;

  void enter(Chains& chains, const Name& name, std::uint32_t operation);
  bool give(const Chains& chains, const Name& name, const OutcomeLine& line);

  std::vector<Operation>& operations_;
  std::vector<Link> links_;
  Chains by_reference_;
  Chains by_key_;
};

// A key as it is meant: without the quotes of a structured field.
std::string_view without_quotes(std::string_view key);

}  // namespace mishap::client_tests
