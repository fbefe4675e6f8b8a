#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <mishap/history.h>

namespace mishap::client_tests {

// The exchanges of one copy of the client, in the order of the journal.
class LaneLine {
 public:
  void add(const server::Exchange& exchange);

  const std::vector<const server::Exchange*>& exchanges() const { return exchanges_; }
  // Whether each was read whole and belongs to operations.
  bool was_read_whole() const { return was_read_whole_; }
  // The first of them, as they stand, that began after this instant and is not of this operation.
  const server::Exchange* first_after(Duration instant, std::uint64_t operation) const;

 private:
  std::vector<const server::Exchange*> exchanges_;
  std::vector<Duration> latest_;  // the latest first byte so far: what is in order can be halved
  bool was_read_whole_ = true;
};

// Of all copies, told in one pass over the journal.
class LaneLines {
 public:
  explicit LaneLines(const Recording& recording);
  const LaneLine& of(int lane) const;  // one without exchanges where it sent nothing

 private:
  std::unordered_map<int, LaneLine> lines_;
  LaneLine silent_;
};

// Of each lane the longest gap between two attempts of an operation.
std::unordered_map<int, Duration> largest_gaps(const History& history);

}  // namespace mishap::client_tests
