#include "server/engine/path_index.h"

#include <algorithm>

namespace mishap::server {

struct PathIndex::Node {
  Node& child(const std::string& segment) { return made(literals[segment]); }
  Node& any_child() { return made(named); }
  static Node& made(std::unique_ptr<Node>& node) {
    if (!node) node = std::make_unique<Node>();
    return *node;
  }

  std::unordered_map<std::string, std::unique_ptr<Node>> literals;
  std::unique_ptr<Node> named;         // any one segment that is not empty
  std::vector<std::size_t> here;       // patterns that end with this segment
  std::vector<std::size_t> all_below;  // patterns that leave open what follows it
};

PathIndex::PathIndex() : root_(std::make_unique<Node>()) {}
PathIndex::~PathIndex() = default;
PathIndex::PathIndex(PathIndex&&) noexcept = default;
PathIndex& PathIndex::operator=(PathIndex&&) noexcept = default;

void PathIndex::add(const PathPattern& pattern, std::size_t number) {
  if (pattern.matches_everything()) {
    everywhere_.push_back(number);
    return;
  }
  Node* node = root_.get();
  for (const std::string& segment : pattern.segments()) {
    node = PathPattern::is_named(segment) ? &node->any_child() : &node->child(segment);
  }
  (pattern.leaves_rest_open() ? node->all_below : node->here).push_back(number);
}

PathIndex::Node& PathIndex::literal(const std::vector<std::string>& segments) {
  Node* node = root_.get();
  for (const std::string& segment : segments) node = &node->child(segment);
  return *node;
}

void PathIndex::add_literal(const std::vector<std::string>& segments, bool item,
                            std::size_t number) {
  Node& end = literal(segments);
  (item ? end.any_child() : end).here.push_back(number);
}

void PathIndex::collect(const Node& node, const Target& target, std::size_t depth,
                        std::vector<std::size_t>& found) {
  if (depth == target.segments.size()) {
    // A target without a path meets only what meets everything.
    if (depth > 0) found.insert(found.end(), node.here.begin(), node.here.end());
    return;
  }
  found.insert(found.end(), node.all_below.begin(), node.all_below.end());
  const std::string& segment = target.segments[depth];
  const auto literal = node.literals.find(segment);
  if (literal != node.literals.end()) collect(*literal->second, target, depth + 1, found);
  if (node.named && !segment.empty()) collect(*node.named, target, depth + 1, found);
}

bool PathIndex::leads_on(const Node& node, const Target& target, std::size_t depth) {
  if (depth == target.segments.size()) return depth > 0 && !node.here.empty();
  if (!node.all_below.empty()) return true;
  const std::string& segment = target.segments[depth];
  const auto literal = node.literals.find(segment);
  if (literal != node.literals.end() && leads_on(*literal->second, target, depth + 1)) return true;
  return node.named && !segment.empty() && leads_on(*node.named, target, depth + 1);
}

bool PathIndex::meets(const Target& target) const {
  return !everywhere_.empty() || leads_on(*root_, target, 0);
}

std::vector<std::size_t> PathIndex::find(const Target& target) const {
  std::vector<std::size_t> found = everywhere_;
  collect(*root_, target, 0, found);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace mishap::server
