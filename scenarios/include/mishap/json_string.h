#pragma once

#include <string>
#include <string_view>

namespace mishap {

// Appends a text that is UTF-8 as a JSON string, in quotes (RFC 8259 section 7).
void append_json_string(std::string& out, std::string_view text);

}  // namespace mishap
