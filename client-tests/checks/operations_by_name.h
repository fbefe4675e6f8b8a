#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <mishap/history.h>

namespace mishap::client_tests {

// Operations of each copy of the client by something that it called them, or said in them. Sixteen
// bytes each: sorted by a hash of the name, and compared when they are looked up.
class OperationsByName {
 public:
  // `name_of` gives a view of what the operation holds.
  using NameOf = std::string_view (*)(const Operation&);
  explicit OperationsByName(NameOf name_of) : name_of_(name_of) {}

  void add(const Operation& operation) {
    entries_.push_back({hash_of(operation.lane, name_of_(operation)), &operation});
  }
  // After the last was added.
  void sort() {
    std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
      return a.hash != b.hash ? a.hash < b.hash : std::less<>()(a.operation, b.operation);
    });
  }

  // Each that has this name, in the order of the history, until `visit` gives false.
  template <typename Visit>
  void visit(int lane, std::string_view name, Visit visit) const {
    const std::size_t hash = hash_of(lane, name);
    for (auto entry = std::ranges::lower_bound(entries_, hash, {}, &Entry::hash);
         entry != entries_.end() && entry->hash == hash; ++entry) {
      const Operation& operation = *entry->operation;
      if (operation.lane == lane && name_of_(operation) == name && !visit(operation)) return;
    }
  }

 private:
  struct Entry {
    std::size_t hash = 0;
    const Operation* operation = nullptr;
  };

  static std::size_t hash_of(int lane, std::string_view name) {
    return std::hash<std::string_view>{}(name)*31 + static_cast<std::size_t>(lane);
  }

  NameOf name_of_;
  std::vector<Entry> entries_;
};

// By the content of its first attempt; by its reference.
inline std::string_view first_content(const Operation& operation) {
  return operation.attempts.front().exchange->request.content_hash;
}
inline std::string_view reference_of(const Operation& operation) {
  return operation.reference;
}

}  // namespace mishap::client_tests
