#pragma once

#include <string>
#include <string_view>

namespace mishap::client_tests {

// A text as a YAML scalar that is read as that text: in double quotes, escaped, on one line.
std::string yaml_text(std::string_view text);

// The same, without quotes where it is plain to everybody (letters, digits, "/", "-", "_", "."; no
// number, no word of YAML's own).
std::string yaml_word(std::string_view text);

}  // namespace mishap::client_tests
