#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mishap/journal.h"

namespace mishap::client_tests {

// The exchanges of one connection, in the order of the journal.
class ConnectionLine {
 public:
  void add(const server::Exchange& exchange);
  // After the last was added.
  void close();

  // The first behind `before` that began after one instant and, where there is one, before another.
  const server::Exchange* next_between(const server::Exchange& before, Duration after,
                                       std::optional<Duration> until) const;

 private:
  std::vector<const server::Exchange*> exchanges_;
  bool in_order_ = true;            // by number
  std::vector<Duration> latest_;    // the latest first byte so far
  std::vector<Duration> earliest_;  // the earliest first byte from here on
};

class ConnectionLines {
 public:
  explicit ConnectionLines(const server::Journal& journal);
  const ConnectionLine& of(std::uint64_t connection) const;

 private:
  std::unordered_map<std::uint64_t, ConnectionLine> lines_;
  ConnectionLine none_;
};

}  // namespace mishap::client_tests
