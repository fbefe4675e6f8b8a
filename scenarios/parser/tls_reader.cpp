#include "scenarios/parser/tls_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "scenarios/parser/map_view.h"
#include "scenarios/parser/source_file.h"

namespace mishap::scenarios {
namespace {

constexpr std::size_t kLongestName = 253;  // RFC 1035 section 2.3.4

// Names, a wildcard, addresses of both kinds.
bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_' ||
         c == '*' || c == ':';
}

void read_name(const Node& node, Tls& tls, Problems& problems) {
  const auto* name = scalar_text(node, "names", problems);
  if (name == nullptr) return;
  const bool is_well = !name->empty() && name->size() <= kLongestName &&
                       std::all_of(name->begin(), name->end(), is_name_char);
  if (is_well) return tls.names.push_back(*name);
  problems.error(node.span, fmt::format("\"{}\" is no name of a host and no address", *name));
}

void read_names(const Node& node, Tls& tls, Problems& problems) {
  if (!node.is_list() && !node.is_null()) {
    problems.error(node.span, "\"names\" is a list: [api.vendor.com]");
    return;
  }
  for (const Node& item : node.items) read_name(item, tls, problems);
}

std::optional<Tls> read_word(const Node& node, Problems& problems) {
  if (node.text == "true") return Tls{{}, {}, node.span};
  if (node.text != "false") {
    problems.error(node.span, "\"tls\" is true, false, or a map: {names: [api.vendor.com]}");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Tls> read_tls(const Node& node, Problems& problems) {
  if (node.is_scalar()) return read_word(node, problems);
  const std::size_t errors_before = problems.errors();
  Tls tls;
  tls.span = node.span;
  const MapView map(node, tls_keys(), problems);
  if (const Node* names = map.find("names")) read_names(*names, tls, problems);
  if (const Node* out = map.find("ca_out")) {
    if (scalar_text(*out, "ca_out", problems) != nullptr) tls.ca_out = path_beside(*out);
  }
  if (problems.errors() != errors_before) return std::nullopt;
  return tls;
}

}  // namespace mishap::scenarios
