#pragma once

#include <string>
#include <string_view>

namespace mishap {

// Text from a stranger as it may be shown to a person or a parser: what a terminal would obey
// (control bytes, C1 controls, direction overrides) and what is not UTF-8 stands as \xNN or
// \u{NNNN}; everything else as it is. Newlines and tabs are escaped too, so a line stays a line.
// After `most` bytes the rest is cut, with "…".
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace mishap
