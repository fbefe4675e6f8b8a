#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace mishap::server {

using JsonValue = nlohmann::ordered_json;

// JSON text of a value, without blanks; bytes that are not UTF-8 become U+FFFD.
std::string to_text(const JsonValue& value);

// An object as text: the id first, then the members of `value` but for one of that name.
std::string text_with_id(std::string_view id_field, std::string_view id, const JsonValue& value);

// The same with the names of every map in the order of their bytes, so that values that mean the
// same give the same text. For comparing: what is not UTF-8 stays as it is.
void append_sorted_text(std::string& out, const JsonValue& value);

// Of names that occur twice the last value counts. Nothing: it is not JSON (RFC 8259). How deep it
// may be nested is the caller's to say before.
std::optional<JsonValue> parse_json(std::string_view text);

}  // namespace mishap::server
