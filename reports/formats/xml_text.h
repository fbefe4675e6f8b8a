#pragma once

#include <string>
#include <string_view>

namespace mishap::reports {

// printable(), then with the five characters of XML escaped.
std::string xml_text(std::string_view text);

}  // namespace mishap::reports
