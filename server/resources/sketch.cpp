#include "server/resources/sketch.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace mishap::server {
namespace {

constexpr std::size_t kMostMembers = 64;
constexpr std::size_t kLongestName = 64;

bool is_plain(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.' || c == '[' || c == ']';
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, plain) &&
         !std::ranges::all_of(name, is_digit);
}

std::string_view type_of(const JsonValue& value) {
  if (value.is_string()) return "string";
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  if (value.is_boolean()) return "boolean";
  if (value.is_null()) return "null";
  return value.is_array() ? "array" : "object";
}

// The object whose members are meant; null: there is none.
const JsonValue* object_in(const Content& content) {
  if (!content.value) return nullptr;
  const JsonValue& value = *content.value;
  if (value.is_object()) return &value;
  return value.is_array() && !value.empty() && value.front().is_object() ? &value.front() : nullptr;
}

}  // namespace

std::string_view body_kind(const Content& content) {
  switch (content.kind) {
    case Content::Kind::None:
      return "";
    case Content::Kind::Json:
      return "json";
    case Content::Kind::BadJson:
      return "bad json";
    case Content::Kind::Form:
      return "form";
    case Content::Kind::Multipart:
      return "multipart";
    case Content::Kind::Other:
      break;
  }
  return "other";
}

std::vector<MemberSketch> sketch_members(const Content& content) {
  std::vector<MemberSketch> members;
  const JsonValue* object = object_in(content);
  if (object == nullptr) return members;
  for (const auto& [name, value] : object->items()) {
    if (members.size() == kMostMembers) break;
    if (is_plain(name)) members.push_back({name, std::string(type_of(value))});
  }
  return members;
}

}  // namespace mishap::server
