#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/journal/json_lines.h"
#include "server/journal/spill.h"

namespace mishap::server {

// The records of one kind. The newest stand in a window in memory, in the order of their numbers;
// when it is full the oldest goes to the spill or, while its subject is under way, outside.
template <typename Record>
class Shelf {
 public:
  struct Place {
    std::deque<Record>& window;
    Spill& spill;
    std::uint64_t& lost;
    std::size_t in_memory;  // of the window
    std::uint64_t most;     // records in all; what comes behind is lost when it has ended
  };

  explicit Shelf(Place place) : place_(place) {}

  // With its number set. Good until the next add().
  Record& add() {
    const std::uint64_t number = first_ + place_.window.size() + beyond_;
    if (number > place_.most) {
      ++beyond_;
      ++place_.lost;
      return numbered(outside_[number], number);
    }
    place_.window.emplace_back();
    is_over_.push_back(false);
    if (place_.window.size() > place_.in_memory) let_oldest_go();
    return numbered(place_.window.back(), number);
  }

  // In the window or outside; null: gone, or never there.
  Record* find(std::uint64_t number) {
    if (number >= first_ && number - first_ < place_.window.size()) {
      return &place_.window[static_cast<std::size_t>(number - first_)];
    }
    const auto found = outside_.find(number);
    return found == outside_.end() ? nullptr : &found->second;
  }

  // Nothing more is to come of its subject; it may still be changed while it is here.
  void over(std::uint64_t number) {
    if (number >= first_ && number - first_ < is_over_.size()) {
      is_over_[static_cast<std::size_t>(number - first_)] = true;
      return;
    }
    const auto found = outside_.find(number);
    if (found == outside_.end()) return;
    if (number <= place_.most) put_away(found->second);
    outside_.erase(found);
  }

  // What was put away, read again: it is changed and then put away once more.
  Record& take_back(Record record) {
    const std::uint64_t number = record.number;
    return outside_.insert_or_assign(number, std::move(record)).first->second;
  }

  const std::unordered_map<std::uint64_t, Record>& outside() const { return outside_; }

  // Where it was put away for the last time; nothing: it was not.
  std::optional<std::uint64_t> place_of(std::uint64_t number) const {
    if (number == 0 || number > places_.size()) return std::nullopt;
    const std::uint64_t place = places_[static_cast<std::size_t>(number - 1)];
    return place == kNowhere ? std::nullopt : std::optional(place);
  }

 private:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  static Record& numbered(Record& record, std::uint64_t number) {
    record.number = number;
    return record;
  }

  void let_oldest_go() {
    Record& oldest = place_.window.front();
    if (is_over_.front()) {
      put_away(oldest);
    } else {
      outside_.emplace(first_, std::move(oldest));
    }
    place_.window.pop_front();
    is_over_.pop_front();
    ++first_;
  }

  void put_away(const Record& record) {
    line_.clear();
    append_line(line_, record);
    const auto offset = place_.spill.add(line_.text());
    if (!offset) return;
    if (places_.size() < record.number) places_.resize(record.number, kNowhere);
    places_[record.number - 1] = *offset;
  }

  Place place_;
  std::uint64_t first_ = 1;   // number of the window's first
  std::uint64_t beyond_ = 0;  // how many came when there was no room any more
  std::deque<bool> is_over_;  // of the window
  std::unordered_map<std::uint64_t, Record> outside_;
  std::vector<std::uint64_t> places_;
  LineBuffer line_;
};

}  // namespace mishap::server
