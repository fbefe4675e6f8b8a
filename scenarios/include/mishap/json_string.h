#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mishap {

// Appends a text that is UTF-8 as a JSON string, in quotes (RFC 8259 section 7).
void append_json_string(std::string& out, std::string_view text);

// The same into memory that has room for json_string_room(text.size()) bytes; gives the end of what
// was written. For who writes so many that the string's own bookkeeping counts.
char* write_json_string(char* to, std::string_view text);
constexpr std::size_t json_string_room(std::size_t bytes) {
  return 6 * bytes + 2 + 8;  // each byte as \u00xx, the quotes, and eight at once
}

}  // namespace mishap
