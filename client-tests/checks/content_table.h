#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <mishap/history.h>

namespace mishap::client_tests {

// A content that a copy of the client sent.
using LaneContent = std::pair<int, std::string_view>;

struct LaneContentHash {
  std::size_t operator()(const LaneContent& content) const {
    return std::hash<std::string_view>{}(content.second) * 31 +
           static_cast<std::size_t>(content.first);
  }
};

template <typename T>
using ByContent = std::unordered_map<LaneContent, T, LaneContentHash>;

// How often each content was said; of a batch, its items are. An empty one says nothing.
ByContent<std::uint32_t> count_contents(const Recording& recording);

}  // namespace mishap::client_tests
