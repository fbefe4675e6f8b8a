#include "scenarios/parser/map_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "mishap/nearest_word.h"

namespace mishap::scenarios {
namespace {

bool has_control(const std::string& text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

std::string_view kind_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      return "nothing";
    case Node::Kind::Scalar:
      return "one value";
    case Node::Kind::List:
      return "a list";
    case Node::Kind::Map:
      return "a map";
  }
  return "";
}

void report_unknown_key(const Node& key, const KeyTable& table, Problems& problems) {
  if (key.text == "<<" && !key.quoted) {
    problems.error(key.span, "merge keys (<<) are no part of the language");
    return;
  }
  const auto names = key_names(table);
  const bool has_on = std::find(names.begin(), names.end(), "on") != names.end();
  if (has_on && is_boolean_word(key) && key.text.size() == 4) {
    problems.error(
        key.span,
        fmt::format("the key \"{}\" was \"on\" before a program wrote this file: YAML 1.1 "
                    "takes on for true; write \"on\" in quotes",
                    key.text));
    return;
  }
  problems.error(key.span, unknown_word("key", key.text, names));
}

}  // namespace

MapView::MapView(const Node& node, const KeyTable& table, Problems& problems, OtherKeys others)
    : node_(node), table_(table), problems_(problems) {
  if (!node.is_map() && !node.is_null()) {
    problems.error(node.span,
                   fmt::format("{} is a map of keys, not {}", table.title, kind_of(node)));
    return;
  }
  if (others == OtherKeys::Allowed) return;
  for (const auto& member : node.members) {
    const auto known = [&](const KeySpec& key) { return key.name == member.first.text; };
    if (std::none_of(table.keys.begin(), table.keys.end(), known)) {
      report_unknown_key(member.first, table, problems);
    }
  }
}

const KeySpec& MapView::spec(std::string_view key) const {
  const auto found = std::find_if(table_.keys.begin(), table_.keys.end(),
                                  [&](const KeySpec& one) { return one.name == key; });
  assert(found != table_.keys.end() && "a key that is not in the table was asked for");
  return *found;
}

const Node* MapView::find(std::string_view key) const {
  return node_.find(spec(key).name);
}

void MapView::require_keys() const {
  // Of something else it is said already that it is no map; nothing at all is an empty one.
  if (!node_.is_map() && !node_.is_null()) return;
  for (const KeySpec& key : table_.keys) {
    if (key.required() && !has(key.name)) {
      problems_.error(node_.span, fmt::format("the key \"{}\" is missing here", key.name));
    }
  }
}

void MapView::text(std::string_view key, std::string& out) const {
  const Node* node = find(key);
  if (node == nullptr) return;
  if (const auto* text = scalar_text(*node, key, problems_)) out = *text;
}

void MapView::name(std::string_view key, std::string& out) const {
  const Node* node = find(key);
  if (node != nullptr && check_name(*node, key, problems_)) out = node->text;
}

void MapView::texts(std::string_view key, std::vector<std::string>& out) const {
  const Node* node = find(key);
  if (node == nullptr || node->is_null()) return;
  if (!node->is_list()) {
    problems_.error(node->span, fmt::format("\"{}\" is a list: [a, b]", key));
    return;
  }
  for (const Node& item : node->items) {
    if (const auto* text = scalar_text(item, key, problems_)) out.push_back(*text);
  }
}

void MapView::yes_no(std::string_view key, bool& out) const {
  const Node* node = find(key);
  if (node == nullptr) return;
  const auto* text = scalar_text(*node, key, problems_);
  if (text == nullptr) return;
  if (*text == "true" || *text == "false") {
    out = *text == "true";
  } else {
    problems_.error(node->span, fmt::format("\"{}\" is true or false", key));
  }
}

void MapView::duration(std::string_view key, std::optional<Duration>& out) const {
  const Node* node = find(key);
  if (node == nullptr) return;
  if (scalar_text(*node, key, problems_) == nullptr) return;
  if (auto value = duration_of(*node, problems_)) out = value;
}

void MapView::size(std::string_view key, std::uint64_t& out) const {
  const Node* node = find(key);
  if (node == nullptr) return;
  const auto* text = scalar_text(*node, key, problems_);
  if (text == nullptr) return;
  if (const auto value = parse_bytes(*text)) {
    out = *value;
  } else {
    problems_.error(node->span, value.error());
  }
}

void MapView::number(std::string_view key, std::int64_t most,
                     std::optional<std::int64_t>& out) const {
  const Node* node = find(key);
  if (node == nullptr) return;
  const auto* text = scalar_text(*node, key, problems_);
  if (text == nullptr) return;
  const auto value = parse_integer(*text);
  if (!value) {
    problems_.error(node->span, value.error());
  } else if (*value < 1 || *value > most) {
    problems_.error(node->span, fmt::format("\"{}\" is between 1 and {}", key, most));
  } else {
    out = *value;
  }
}

void MapView::word(std::string_view key, std::string& out) const {
  const Node* node = find(key);
  if (node == nullptr) return;
  const auto* text = scalar_text(*node, key, problems_);
  if (text == nullptr) return;
  const auto choices = split_choices(spec(key).choices);
  if (std::find(choices.begin(), choices.end(), *text) != choices.end()) {
    out = *text;
  } else {
    problems_.error(node->span, fmt::format("{}: {}", key, unknown_word("word", *text, choices)));
  }
}

void MapView::fields(std::string_view key, std::vector<NameValue>& out) const {
  const Node* node = find(key);
  if (node == nullptr || node->is_null()) return;
  if (!node->is_map()) {
    problems_.error(node->span, fmt::format("\"{}\" is a map: {{name: text}}", key));
    return;
  }
  const auto add = [&](const Node& name, const Node& value) {
    const std::string nothing;
    const auto* text = value.is_null() ? &nothing : scalar_text(value, name.text, problems_);
    if (text == nullptr) return;
    // RFC 9110 section 5.5: a line break would be a second field, or the body.
    if (has_control(name.text) || has_control(*text)) {
      problems_.error(name.span,
                      fmt::format("\"{}\" holds a line break or another control character", key));
      return;
    }
    out.push_back({name.text, *text});
  };
  for (const auto& [name, value] : node->members) {
    if (!value.is_list()) add(name, value);
    for (const Node& one : value.items) add(name, one);
  }
}

const std::string* scalar_text(const Node& node, std::string_view what, Problems& problems) {
  if (node.is_scalar()) return &node.text;
  const std::string_view shown = what.substr(0, 60);
  if (node.is_null()) {
    problems.error(node.span, fmt::format("\"{}\" has no value", shown));
  } else {
    problems.error(node.span, fmt::format("\"{}\" is one value, not {}", shown, kind_of(node)));
  }
  return nullptr;
}

std::optional<Duration> duration_of(const Node& node, Problems& problems) {
  const auto value = parse_duration(node.text);
  if (value) return *value;
  problems.error(node.span, value.error());
  return std::nullopt;
}

std::optional<Count> count_of(const Node& node, CountRules rules, Problems& problems) {
  const auto* text = scalar_text(node, "count", problems);
  if (text == nullptr) return std::nullopt;
  auto count = parse_count(*text, rules);
  if (!count) {
    problems.error(node.span, count.error());
    return std::nullopt;
  }
  count->span = node.span;
  return *count;
}

bool check_name(const Node& node, std::string_view what, Problems& problems) {
  const auto* text = scalar_text(node, what, problems);
  if (text == nullptr) return false;
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  const bool good = !text->empty() && text->size() <= 100 && text->front() != '.' &&
                    std::all_of(text->begin(), text->end(), allowed);
  if (!good) {
    problems.error(
        node.span,
        fmt::format("\"{}\" is a name: up to 100 letters, digits, \"-\", \"_\" and \".\", no "
                    "dot first",
                    what.substr(0, 60)));
  }
  return good;
}

bool is_boolean_word(const Node& node) {
  static constexpr std::string_view kWords[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
  return !node.quoted &&
         std::find(std::begin(kWords), std::end(kWords), node.text) != std::end(kWords);
}

}  // namespace mishap::scenarios
