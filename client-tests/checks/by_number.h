#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace mishap::client_tests {

// Records of a journal found by their number: the first that has it. They stand in that order
// already, unless somebody changed the file.
template <typename Records>
class ByNumber {
 public:
  using Record = typename Records::value_type;

  explicit ByNumber(const Records& records) : records_(&records) {
    if (std::ranges::is_sorted(records, {}, &Record::number)) return;
    for (std::size_t place = 0; place < records.size(); ++place) places_.push_back(place);
    std::ranges::stable_sort(places_, {}, [&](std::size_t place) { return number_at(place); });
  }

  // Null: there is none.
  const Record* find(std::uint64_t number) const {
    const auto place = place_of(number);
    return place ? &(*records_)[*place] : nullptr;
  }

  // Where it stands in the journal.
  std::optional<std::size_t> place_of(std::uint64_t number) const {
    if (!places_.empty()) {
      const auto found = std::ranges::lower_bound(
          places_, number, {}, [&](std::size_t place) { return number_at(place); });
      return found != places_.end() && number_at(*found) == number ? std::optional(*found)
                                                                   : std::nullopt;
    }
    const auto guess = static_cast<std::size_t>(number - 1);  // numbers count from 1, without gaps
    if (guess < records_->size() && number_at(guess) == number &&
        (guess == 0 || number_at(guess - 1) != number)) {
      return guess;
    }
    const auto found = std::ranges::lower_bound(*records_, number, {}, &Record::number);
    if (found == records_->end() || found->number != number) return std::nullopt;
    return static_cast<std::size_t>(found - records_->begin());
  }

 private:
  std::uint64_t number_at(std::size_t place) const { return (*records_)[place].number; }

  const Records* records_;
  std::vector<std::size_t> places_;  // by number; empty: they stand in order
};

}  // namespace mishap::client_tests
