#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include <mishap/history.h>

namespace mishap::client_tests {

// What all operations of one method and path come to.
struct CallFacts {
  std::uint64_t most_keyed_attempts = 0;  // of one with a key, resends aside; 0: none has a key
  bool has_line = false;                  // the client wrote an outcome line about one
  bool creates = false;                   // one of them made something
};

// The same of one copy of the client.
struct LaneCallFacts {
  std::size_t operations = 0;
  std::size_t effects = 0;
  Duration last_begun{};  // first byte of the operation that began last
};

// By method and path, told in one pass over the operations of a history.
class CallTable {
 public:
  explicit CallTable(const History& history);

  // Of calls like this one, which may be of another history. All zero where there is none.
  CallFacts like(const Operation& operation) const;
  LaneCallFacts like(const Operation& operation, int lane) const;

 private:
  using Call = std::tuple<std::string_view, std::string_view>;  // method, path
  using LaneCall = std::tuple<std::string_view, std::string_view, int>;
  struct Hash {
    std::size_t operator()(const Call& call) const;
    std::size_t operator()(const LaneCall& call) const;
  };

  std::unordered_map<Call, CallFacts, Hash> calls_;
  std::unordered_map<LaneCall, LaneCallFacts, Hash> lane_calls_;
};

}  // namespace mishap::client_tests
