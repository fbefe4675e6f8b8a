#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mishap/source_span.h"

namespace mishap {

// A piece of a YAML document with the place it came from, before anybody gave it a meaning. The
// room that owns a catalogue (faults, checks) reads its parameters from nodes.
struct Node {
  enum class Kind { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  std::string text;     // of a scalar, unquoted
  bool quoted = false;  // "429" in quotes is text, 429 is a number
  std::vector<Node> items;
  std::vector<std::pair<Node, Node>> members;  // in the order of the file; keys are scalars
  SourceSpan span;

  Node();
  Node(const Node& other);
  Node(Node&& other) noexcept;
  Node& operator=(const Node& other);
  Node& operator=(Node&& other) noexcept;
  ~Node();

  bool is_scalar() const { return kind == Kind::Scalar; }
  bool is_map() const { return kind == Kind::Map; }
  bool is_list() const { return kind == Kind::List; }
  bool is_null() const { return kind == Kind::Null; }

  // The member with this key, or null. Borrowed from this node.
  const Node* find(std::string_view key) const;
};

// Down here a pair of nodes can be looked into; within the class clang 14 stumbles over nodes that
// hold pairs of nodes.
inline Node::Node() = default;
inline Node::Node(const Node& other) = default;
inline Node::Node(Node&& other) noexcept = default;
inline Node& Node::operator=(const Node& other) = default;
inline Node& Node::operator=(Node&& other) noexcept = default;
inline Node::~Node() = default;

inline const Node* Node::find(std::string_view key) const {
  for (const auto& member : members) {
    if (member.first.text == key) return &member.second;
  }
  return nullptr;
}

// The node as JSON: unquoted true, false, null and numbers keep their type, all else is text.
std::string to_json(const Node& node);

}  // namespace mishap
