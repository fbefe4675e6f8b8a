#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/engine/matcher.h"

namespace mishap::server {

// Which of many patterns a target meets: a trie over segments, so that it costs as much as the
// target is long, however many patterns there are. Immutable once it is filled.
class PathIndex {
 public:
  PathIndex();
  ~PathIndex();
  PathIndex(PathIndex&&) noexcept;
  PathIndex& operator=(PathIndex&&) noexcept;

  // `number` is what find() gives back.
  void add(const PathPattern& pattern, std::size_t number);
  // Exactly these segments, whatever they look like; and, with `item`, one more that is not empty.
  void add_literal(const std::vector<std::string>& segments, bool item, std::size_t number);

  // Whether anything matches.
  bool meets(const Target& target) const;
  // The numbers of all that match, from the smallest.
  std::vector<std::size_t> find(const Target& target) const;

 private:
  struct Node;
  Node& literal(const std::vector<std::string>& segments);
  static bool leads_on(const Node& node, const Target& target, std::size_t depth);
  static void collect(const Node& node, const Target& target, std::size_t depth,
                      std::vector<std::size_t>& found);

  std::unique_ptr<Node> root_;
  std::vector<std::size_t> everywhere_;
};

}  // namespace mishap::server
