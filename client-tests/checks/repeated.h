#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mishap::client_tests {

// Finds, among very many things, those few that may be equal to another one: by a hash alone, so
// that whoever groups them by their names need not do so with all.
class Repeated {
 public:
  void reserve(std::size_t count) { hashes_.reserve(count); }
  // Things count from 0 in the order in which they are added.
  void add(std::size_t hash) { hashes_.push_back({hash, hashes_.size()}); }

  // In the order in which they were added: each that has the hash of another.
  template <typename Visit>
  void visit(Visit visit) {
    std::ranges::sort(hashes_, {}, &Entry::hash);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
      const bool like_before = i > 0 && hashes_[i - 1].hash == hashes_[i].hash;
      const bool like_next = i + 1 < hashes_.size() && hashes_[i + 1].hash == hashes_[i].hash;
      if (like_before || like_next) found.push_back(hashes_[i].place);
    }
    std::ranges::sort(found);
    for (const std::size_t place : found) visit(place);
  }

  // How many hashes only one thing has. After `visit`.
  std::size_t unique() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
      const bool like_before = i > 0 && hashes_[i - 1].hash == hashes_[i].hash;
      const bool like_next = i + 1 < hashes_.size() && hashes_[i + 1].hash == hashes_[i].hash;
      if (!like_before && !like_next) ++count;
    }
    return count;
  }

 private:
  struct Entry {
    std::size_t hash;
    std::size_t place;
  };
  std::vector<Entry> hashes_;
};

}  // namespace mishap::client_tests
