#include "mishap/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "mishap/nearest_word.h"

namespace mishap {

template <typename T>
const T& Params::get(std::string_view name) const {
  const auto found = values_.find(name);
  assert(found != values_.end() && "a parameter that is not there was asked for");
  const T* value = std::get_if<T>(&found->second);
  assert(value != nullptr && "a parameter was asked for by another type");
  return *value;
}

bool Params::has(std::string_view name) const {
  return values_.find(name) != values_.end();
}
Duration Params::duration(std::string_view name) const {
  return get<Duration>(name);
}
std::uint64_t Params::bytes(std::string_view name) const {
  return static_cast<std::uint64_t>(get<std::int64_t>(name));
}
Position Params::position(std::string_view name) const {
  return get<Position>(name);
}
double Params::share(std::string_view name) const {
  return get<double>(name);
}
std::int64_t Params::integer(std::string_view name) const {
  return get<std::int64_t>(name);
}
double Params::number(std::string_view name) const {
  return get<double>(name);
}
bool Params::boolean(std::string_view name) const {
  return get<bool>(name);
}
const std::string& Params::text(std::string_view name) const {
  return get<std::string>(name);
}
const std::vector<NameValue>& Params::fields(std::string_view name) const {
  return get<std::vector<NameValue>>(name);
}
const Node& Params::node(std::string_view name) const {
  return get<Node>(name);
}

namespace {

using Value = tl::expected<ParamValue, std::string>;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename T>
Value widen(tl::expected<T, std::string> parsed) {
  if (!parsed) return tl::unexpected(parsed.error());
  return ParamValue(std::move(*parsed));
}

Value whole_from(tl::expected<std::uint64_t, std::string> parsed) {
  if (!parsed) return tl::unexpected(parsed.error());
  return ParamValue(static_cast<std::int64_t>(*parsed));
}

Value status_from(std::string_view text) {
  const auto status = parse_status(text);
  if (!status) return tl::unexpected(status.error());
  return ParamValue(static_cast<std::int64_t>(*status));
}

Value boolean_from(std::string_view text) {
  if (text == "true") return ParamValue(true);
  if (text == "false") return ParamValue(false);
  return tl::unexpected(fmt::format("\"{}\" is neither true nor false", text));
}

Value choice_from(const ParamSpec& spec, std::string_view text) {
  const auto choices = split(spec.choices, '|');
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) {
    return ParamValue(std::string(text));
  }
  return tl::unexpected(fmt::format("{}: {}", spec.name, unknown_word("value", text, choices)));
}

Value from_text(const ParamSpec& spec, std::string_view text) {
  switch (spec.type) {
    case ParamType::Duration:
      return widen(parse_duration(text));
    case ParamType::Bytes:
      return whole_from(parse_bytes(text));
    case ParamType::Position:
      return widen(parse_position(text));
    case ParamType::Percent:
      return widen(parse_percent(text));
    case ParamType::Integer:
      return widen(parse_integer(text));
    case ParamType::Number:
      return widen(parse_number(text));
    case ParamType::Boolean:
      return boolean_from(text);
    case ParamType::Status:
      return status_from(text);
    case ParamType::Choice:
      return choice_from(spec, text);
    case ParamType::Text:
      return ParamValue(std::string(text));
    case ParamType::Fields:
    case ParamType::Any:
      break;
  }
  assert(false && "has no form as one scalar");
  return tl::unexpected(std::string());
}

// The value as a plain number of its smallest unit, to be compared with the ends of the range.
double magnitude(const ParamValue& value) {
  if (const auto* duration = std::get_if<Duration>(&value)) {
    return static_cast<double>(duration->count());
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* place = std::get_if<Position>(&value)) {
    return place->share ? *place->share : static_cast<double>(place->bytes);
  }
  assert(false && "this type has no range");
  return 0;
}

bool comparable(const ParamValue& a, const ParamValue& b) {
  const auto* first = std::get_if<Position>(&a);
  const auto* second = std::get_if<Position>(&b);
  if (first == nullptr || second == nullptr) return true;
  return first->share.has_value() == second->share.has_value() &&
         first->landmark == second->landmark;
}

// Nothing where the value lies in the range, else what is wrong.
std::optional<std::string> outside(const ParamSpec& spec, const ParamValue& value) {
  if (spec.range.empty()) return std::nullopt;
  const std::size_t dots = spec.range.find("..");
  assert(dots != std::string_view::npos && "a range is written min..max");
  const std::string_view low = spec.range.substr(0, dots);
  const std::string_view high = spec.range.substr(dots + 2);
  const auto beyond = [&](std::string_view end, bool below) {
    if (end.empty()) return false;
    const Value limit = from_text(spec, end);
    assert(limit && "the end of a range does not read as its type");
    if (!comparable(*limit, value)) return false;
    return below ? magnitude(value) < magnitude(*limit) : magnitude(value) > magnitude(*limit);
  };
  if (!beyond(low, true) && !beyond(high, false)) return std::nullopt;
  if (low.empty()) return fmt::format("{} is at most {}", spec.name, high);
  if (high.empty()) return fmt::format("{} is at least {}", spec.name, low);
  return fmt::format("{} is between {} and {}", spec.name, low, high);
}

bool is_typed(ParamType type) {
  return type == ParamType::Integer || type == ParamType::Number || type == ParamType::Boolean ||
         type == ParamType::Status;
}

class Reading {
 public:
  Reading(std::string_view owner, Diagnostics& diagnostics)
      : owner_(owner), diagnostics_(diagnostics) {}

  void error(const SourceSpan& span, std::string message) {
    diagnostics_.push_back({Severity::Error, std::move(message), span});
  }

  std::optional<ParamValue> value(const ParamSpec& spec, const Node& key, const Node& node) {
    if (spec.type == ParamType::Any) return ParamValue(node);
    if (spec.type == ParamType::Fields) return fields(spec, key, node);
    if (node.is_null()) {
      error(key.span, fmt::format("{}: \"{}\" has no value", owner_, spec.name));
      return std::nullopt;
    }
    if (!node.is_scalar()) {
      error(node.span, fmt::format("{}: \"{}\" is one value, not a {}", owner_, spec.name,
                                   node.is_map() ? "map" : "list"));
      return std::nullopt;
    }
    if (node.quoted && is_typed(spec.type)) {
      error(node.span, fmt::format("\"{}\" in quotes is text: write it without them", node.text));
      return std::nullopt;
    }
    Value parsed = from_text(spec, node.text);
    if (!parsed) {
      error(node.span, parsed.error());
      return std::nullopt;
    }
    if (auto wrong = outside(spec, *parsed)) {
      error(node.span, std::move(*wrong));
      return std::nullopt;
    }
    return std::move(*parsed);
  }

  void unknown(const Node& key, std::span<const ParamSpec> specs) {
    if (specs.empty()) {
      error(key.span, fmt::format("{} takes no parameters, so no \"{}\"", owner_, key.text));
      return;
    }
    std::vector<std::string> names;
    for (const ParamSpec& spec : specs) names.emplace_back(spec.name);
    error(key.span, fmt::format("{}: {}", owner_, unknown_word("parameter", key.text, names)));
  }

  void missing(const ParamSpec& spec, const SourceSpan& span) {
    error(span, fmt::format("{} needs \"{}\"", owner_, spec.name));
  }

 private:
  std::optional<ParamValue> fields(const ParamSpec& spec, const Node& key, const Node& node) {
    if (!node.is_map()) {
      error(node.is_null() ? key.span : node.span,
            fmt::format("{}: \"{}\" is a map of field names", owner_, spec.name));
      return std::nullopt;
    }
    std::vector<NameValue> all;
    for (const auto& [name, value] : node.members) {
      const bool several = value.is_list();
      const std::span<const Node> values =
          several ? std::span<const Node>(value.items) : std::span<const Node>(&value, 1);
      for (const Node& one : values) {
        if (one.is_map() || one.is_list()) {
          error(one.span,
                fmt::format("the field \"{}\" takes a text or a list of texts", name.text));
          return std::nullopt;
        }
        all.push_back({name.text, one.text});
      }
    }
    return ParamValue(std::move(all));
  }

  std::string owner_;
  Diagnostics& diagnostics_;
};

const ParamSpec* spec_named(std::span<const ParamSpec> specs, std::string_view name) {
  const auto found = std::find_if(specs.begin(), specs.end(),
                                  [&](const ParamSpec& spec) { return spec.name == name; });
  return found == specs.end() ? nullptr : &*found;
}

Node plain_scalar(std::string_view text) {
  Node node;
  node.kind = Node::Kind::Scalar;
  node.text = std::string(text);
  return node;
}

void set_default(const ParamSpec& spec, Params& params) {
  if (spec.default_text.empty()) return;
  assert(spec.type != ParamType::Fields && "fields have no default");
  if (spec.type == ParamType::Any) {
    params.set(std::string(spec.name), plain_scalar(spec.default_text));
    return;
  }
  Value value = from_text(spec, spec.default_text);
  assert(value && "a default does not read as its type");
  params.set(std::string(spec.name), std::move(*value));
}

}  // namespace

Params read_params(const Node& map, std::span<const ParamSpec> specs, std::string_view owner,
                   std::span<const std::string_view> ignored, Diagnostics& diagnostics) {
  Params params;
  Reading reading(owner, diagnostics);
  for (const ParamSpec& spec : specs) set_default(spec, params);
  if (!map.is_map() && !map.is_null()) {
    reading.error(map.span, fmt::format("{} takes its parameters as a map", owner));
    return params;
  }
  for (const auto& [key, node] : map.members) {
    if (std::find(ignored.begin(), ignored.end(), key.text) != ignored.end()) continue;
    const ParamSpec* spec = spec_named(specs, key.text);
    if (spec == nullptr) {
      reading.unknown(key, specs);
    } else if (auto value = reading.value(*spec, key, node)) {
      params.set(key.text, std::move(*value));
    }
  }
  for (const ParamSpec& spec : specs) {
    if (spec.required && map.find(spec.name) == nullptr) reading.missing(spec, map.span);
  }
  return params;
}

}  // namespace mishap
