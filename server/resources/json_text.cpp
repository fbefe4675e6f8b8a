// JSON of requests and answers. The values are nlohmann's; the reading is simdjson's and the
// writing our own, since every request is read, compared and answered, and the library takes ten
// times as long for each.
#include "server/resources/json_text.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <vector>

#include <simdjson.h>
#include <nlohmann/json.hpp>

#include "mishap/json_string.h"
#include "mishap/utf8.h"

namespace mishap::server {
namespace {

using Members = JsonValue::object_t;

void append_number(std::string& out, auto number) {
  char digits[24];
  out.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
}

// All but what holds others.
void append_scalar(std::string& out, const JsonValue& value) {
  switch (value.type()) {
    case JsonValue::value_t::string:
      return append_json_string(out, value.get_ref<const std::string&>());
    case JsonValue::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case JsonValue::value_t::number_integer:
      return append_number(out, value.get<std::int64_t>());
    case JsonValue::value_t::number_unsigned:
      return append_number(out, value.get<std::uint64_t>());
    default:
      out += value.dump();  // fractions, whose shortest form is the library's business, and null
  }
}

struct AsTheyCome {
  template <typename Visit>
  static void each(const Members& members, Visit visit) {
    for (const auto& member : members) visit(member);
  }
};

struct ByName {
  template <typename Visit>
  static void each(const Members& members, Visit visit) {
    std::vector<const Members::value_type*> sorted;
    sorted.reserve(members.size());
    for (const auto& member : members) sorted.push_back(&member);
    std::ranges::sort(sorted, {},
                      [](const auto* member) -> const std::string& { return member->first; });
    for (const auto* member : sorted) visit(*member);
  }
};

template <typename Order>
void append(std::string& out, const JsonValue& value) {
  if (value.is_object()) {
    char before = '{';
    Order::each(value.get_ref<const Members&>(), [&](const auto& member) {
      out += std::exchange(before, ',');
      append_json_string(out, member.first);
      out += ':';
      append<Order>(out, member.second);
    });
    out += before == '{' ? "{}" : "}";
  } else if (value.is_array()) {
    char before = '[';
    for (const JsonValue& item : value) {
      out += std::exchange(before, ',');
      append<Order>(out, item);
    }
    out += before == '[' ? "[]" : "]";
  } else {
    append_scalar(out, value);
  }
}

// In a JSON text only strings can hold what is not UTF-8.
std::string made_utf8(std::string text) {
  if (is_utf8(text)) return text;
  std::string made;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_sequence_length(rest);
    made += length == 0 ? std::string_view("\xEF\xBF\xBD") : rest.substr(0, length);
    rest.remove_prefix(length == 0 ? 1 : length);
  }
  return made;
}

namespace dom = simdjson::dom;

JsonValue value_of(const dom::element& element);

// A name is looked for among the few before it, or where they are many in a set.
class MemberList {
 public:
  explicit MemberList(std::size_t count) { members_.reserve(count); }

  void put(std::string_view name, JsonValue value) {
    if (is_known(name)) {
      members_[std::string(name)] = std::move(value);
    } else {
      members_.push_back({std::string(name), std::move(value)});
    }
  }
  JsonValue take() { return JsonValue(std::move(members_)); }

 private:
  bool is_known(std::string_view name) {
    constexpr std::size_t kFew = 16;
    if (members_.size() < kFew) {
      return std::ranges::any_of(members_, [&](const auto& one) { return one.first == name; });
    }
    if (names_.empty()) {
      for (const auto& member : members_) names_.insert(member.first);
    }
    return !names_.emplace(name).second;
  }

  Members members_;
  std::unordered_set<std::string> names_;
};

JsonValue object_of(const dom::object& object) {
  MemberList members(object.size());
  for (const auto& field : object) members.put(field.key, value_of(field.value));
  return members.take();
}

JsonValue array_of(const dom::array& array) {
  JsonValue::array_t items;
  items.reserve(array.size());
  for (const dom::element item : array) items.push_back(value_of(item));
  return JsonValue(std::move(items));
}

JsonValue value_of(const dom::element& element) {
  switch (element.type()) {
    case dom::element_type::OBJECT:
      return object_of(element.get_object().value_unsafe());
    case dom::element_type::ARRAY:
      return array_of(element.get_array().value_unsafe());
    case dom::element_type::STRING:
      return JsonValue(std::string(element.get_string().value_unsafe()));
    case dom::element_type::INT64: {
      const std::int64_t number = element.get_int64().value_unsafe();
      // As nlohmann's own parser has it: what is not negative is unsigned.
      return number < 0 ? JsonValue(number) : JsonValue(static_cast<std::uint64_t>(number));
    }
    case dom::element_type::UINT64:
      return JsonValue(element.get_uint64().value_unsafe());
    case dom::element_type::DOUBLE:
      return JsonValue(element.get_double().value_unsafe());
    case dom::element_type::BOOL:
      return JsonValue(element.get_bool().value_unsafe());
    case dom::element_type::NULL_VALUE:
      break;
  }
  return JsonValue(nullptr);
}

}  // namespace

std::string to_text(const JsonValue& value) {
  std::string text;
  append<AsTheyCome>(text, value);
  return made_utf8(std::move(text));
}

std::string text_with_id(std::string_view id_field, std::string_view id, const JsonValue& value) {
  std::string text = "{";
  append_json_string(text, id_field);
  text += ':';
  append_json_string(text, id);
  for (const auto& [name, member] : value.get_ref<const Members&>()) {
    if (name == id_field) continue;
    text += ',';
    append_json_string(text, name);
    text += ':';
    append<AsTheyCome>(text, member);
  }
  text += '}';
  return made_utf8(std::move(text));
}

void append_sorted_text(std::string& out, const JsonValue& value) {
  append<ByName>(out, value);
}

std::optional<JsonValue> parse_json(std::string_view text) {
  // It keeps the memory of the longest text that it has read, so it is not kept for long ones.
  constexpr std::size_t kKept = 64 * 1024;
  thread_local dom::parser kept;
  dom::parser own;
  const auto parsed = (text.size() <= kKept ? kept : own).parse(text.data(), text.size());
  if (parsed.error() == simdjson::SUCCESS) return value_of(parsed.value_unsafe());
  // Numbers beyond 64 bits and deep nesting are JSON all the same. nlohmann takes a NUL for the
  // end, which would hide whatever a client sends behind it.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  JsonValue value = JsonValue::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

}  // namespace mishap::server
