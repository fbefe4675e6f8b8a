#pragma once

#include <cstddef>
#include <string_view>

namespace mishap {

// Length in bytes of the well-formed UTF-8 sequence at the front of a text that is not empty
// (RFC 3629 section 4); 0: there is none.
std::size_t utf8_sequence_length(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace mishap
