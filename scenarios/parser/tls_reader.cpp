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

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), is_name_char);
}

std::vector<std::string> read_names(const Node& node, std::string_view key, Problems& problems) {
  std::vector<std::string> names;
  if (!node.is_list() && !node.is_null()) {
    problems.error(node.span, fmt::format("\"{}\" is a list: [api.vendor.com]", key));
    return names;
  }
  for (const Node& item : node.items) {
    const auto* name = scalar_text(item, key, problems);
    if (name == nullptr) continue;
    if (is_name(*name)) {
      names.push_back(*name);
    } else {
      problems.error(item.span, fmt::format("\"{}\" is no name of a host and no address", *name));
    }
  }
  return names;
}

// A certificate may be for *.vendor.com; whom a client asks for is one host.
bool is_one_host(std::string_view name) {
  return is_name(name) && name.find('*') == std::string_view::npos;
}

std::string small(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::optional<Tls> read_word(const Node& node, Problems& problems) {
  if (node.text == "true") return Tls{{}, {}, node.span};
  if (node.text != "false") {
    problems.error(node.span, "\"tls\" is true, false, or a map: {names: [api.vendor.com]}");
  }
  return std::nullopt;
}

std::string names_of(const Scenario& scenario) {
  std::string names;
  for (const Api& api : scenario.apis) names += (names.empty() ? "" : ", ") + api.name;
  return names;
}

}  // namespace

std::optional<Tls> read_tls(const Node& node, Problems& problems) {
  if (node.is_scalar()) return read_word(node, problems);
  const std::size_t errors_before = problems.errors();
  Tls tls;
  tls.span = node.span;
  const MapView map(node, tls_keys(), problems);
  if (const Node* names = map.find("names")) tls.names = read_names(*names, "names", problems);
  if (const Node* out = map.find("ca_out")) {
    if (scalar_text(*out, "ca_out", problems) != nullptr) tls.ca_out = path_beside(*out);
  }
  if (problems.errors() != errors_before) return std::nullopt;
  return tls;
}

std::vector<std::string> read_intercepted(const Node& node, Problems& problems) {
  std::vector<std::string> hosts = read_names(node, "intercept", problems);
  for (std::string& host : hosts) {
    if (!is_one_host(host)) {
      problems.error(node.span, "\"intercept\" names hosts one by one, without \"*\"");
    }
    host = small(host);
  }
  return hosts;
}

void add_intercepted(const std::vector<std::string>& words, Scenario& scenario,
                     Problems& problems) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool is_named = equals != std::string::npos;
    const std::string host = small(is_named ? word.substr(equals + 1) : word);
    const auto api = std::find_if(scenario.apis.begin(), scenario.apis.end(), [&](const Api& one) {
      return !is_named || one.name == word.substr(0, equals);
    });
    if (!is_one_host(host)) {
      problems.error({},
                     fmt::format("--intercept: \"{}\" is no name of a host and no address", host));
    } else if (api == scenario.apis.end()) {
      problems.error(
          {}, fmt::format("--intercept {}: no such api; there is {}", word, names_of(scenario)));
    } else {
      api->intercept.push_back(host);
    }
  }
}

}  // namespace mishap::scenarios
