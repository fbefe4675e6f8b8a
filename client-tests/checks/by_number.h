#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mishap::client_tests {

// Records of a journal found by their number: the first that has it. They stand in that order
// already, unless somebody changed the file.
template <typename T>
class ByNumber {
 public:
  explicit ByNumber(const std::vector<T>& records) : records_(&records) {
    if (std::ranges::is_sorted(records, {}, &T::number)) return;
    for (const T& record : records) sorted_.push_back(&record);
    std::ranges::stable_sort(sorted_, {}, [](const T* record) { return record->number; });
  }

  // Null: there is none.
  const T* find(std::uint64_t number) const {
    if (!sorted_.empty()) {
      const auto found = std::ranges::lower_bound(sorted_, number, {},
                                                  [](const T* record) { return record->number; });
      return found != sorted_.end() && (*found)->number == number ? *found : nullptr;
    }
    const auto guess = static_cast<std::size_t>(number - 1);  // numbers count from 1, without gaps
    if (guess < records_->size() && (*records_)[guess].number == number &&
        (guess == 0 || (*records_)[guess - 1].number != number)) {
      return &(*records_)[guess];
    }
    const auto found = std::ranges::lower_bound(*records_, number, {}, &T::number);
    return found != records_->end() && found->number == number ? &*found : nullptr;
  }

 private:
  const std::vector<T>* records_;
  std::vector<const T*> sorted_;  // empty: they stand in order
};

}  // namespace mishap::client_tests
