#pragma once

#include <optional>

#include "mishap/node.h"
#include "scenarios/parser/problems.h"
#include "scenarios/parser/source_file.h"

namespace mishap::scenarios {

// Bounds of what one file may unfold to, aliases and parameters included: a few bytes must not
// become gigabytes.
struct TreeLimits {
  static constexpr int kDepth = 64;
  static constexpr std::size_t kNodes = 20'000;
  static constexpr std::size_t kTextBytes = 4 * kMostFileBytes;
};

// What a tree costs.
struct TreeSize {
  std::size_t nodes = 0;
  std::size_t text_bytes = 0;
  int depth = 0;
};
TreeSize measure(const Node& node);

// One YAML document as nodes with their places, or nothing and the reason in `problems`. A second
// document, a duplicate key, a tag, a key that is not a scalar, or more than the limits is refused.
std::optional<Node> read_yaml(const Source& source, Problems& problems);

}  // namespace mishap::scenarios
