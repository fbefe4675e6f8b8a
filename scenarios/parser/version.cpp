#include "scenarios/parser/version.h"

#include <fmt/format.h>

#include "scenarios/parser/map_view.h"

namespace mishap::scenarios {

bool check_version(const Node& root, Problems& problems) {
  const Node* node = root.find("mishap");
  if (node == nullptr) {
    problems.error(root.span,
                   fmt::format("the key \"mishap\" is missing: a file begins with mishap: {}",
                               kLanguageVersion));
    return true;
  }
  const auto* text = scalar_text(*node, "mishap", problems);
  if (text == nullptr) return true;
  const auto version = parse_integer(*text);
  if (version && *version > kLanguageVersion) {
    problems.error(node->span,
                   fmt::format("this file needs a newer mishap: it is written in version {} of the "
                               "language, and this one reads version {}",
                               *version, kLanguageVersion));
    return false;
  }
  if (!version || *version != kLanguageVersion) {
    problems.error(node->span,
                   fmt::format("\"mishap\" is the version of the language: {}", kLanguageVersion));
  }
  return true;
}

}  // namespace mishap::scenarios
