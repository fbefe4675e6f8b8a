#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mishap/count.h"
#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"
#include "scenarios/parser/tables.h"

namespace mishap::scenarios {

enum class OtherKeys { Refused, Allowed };

// A map of the file read by its table: reports what is no map and unknown keys when it is made, and
// gives the values by key. Each reader leaves `out` alone where the key is absent or its value is
// wrong (which it reports). Borrows the node and the problems.
class MapView {
 public:
  MapView(const Node& node, const KeyTable& table, Problems& problems,
          OtherKeys others = OtherKeys::Refused);

  // The value, or null where the key is absent. The key must be in the table.
  const Node* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Node& node() const { return node_; }

  // Reports the required keys that are missing.
  void require_keys() const;

  void text(std::string_view key, std::string& out) const;
  void name(std::string_view key, std::string& out) const;
  void texts(std::string_view key, std::vector<std::string>& out) const;
  void yes_no(std::string_view key, bool& out) const;
  void duration(std::string_view key, std::optional<Duration>& out) const;
  void size(std::string_view key, std::uint64_t& out) const;
  // A whole number from 1 to `most`.
  void number(std::string_view key, std::int64_t most, std::optional<std::int64_t>& out) const;
  // One of the key's choices.
  void word(std::string_view key, std::string& out) const;
  void fields(std::string_view key, std::vector<NameValue>& out) const;

 private:
  const KeySpec& spec(std::string_view key) const;

  const Node& node_;
  const KeyTable& table_;
  Problems& problems_;
};

// The scalar's text, or nothing and a report that `what` is one value.
const std::string* scalar_text(const Node& node, std::string_view what, Problems& problems);

std::optional<Duration> duration_of(const Node& node, Problems& problems);

std::optional<Count> count_of(const Node& node, CountRules rules, Problems& problems);

// Letters, digits, "-", "_", ".", not first a dot, at most 100: names become folder names.
bool check_name(const Node& node, std::string_view what, Problems& problems);

// A word that a YAML 1.1 program turned into a boolean; empty where `node` is none. For "off".
bool is_boolean_word(const Node& node);

}  // namespace mishap::scenarios
