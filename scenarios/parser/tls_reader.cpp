#include "scenarios/parser/tls_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "mishap/printable.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/source_file.h"

namespace mishap::scenarios {
namespace {

// Gives each text of the list to `take`, which says what is wrong with it, or nothing.
using Take = std::function<std::optional<std::string>(const Node& item)>;
void read_names(const Node& node, std::string_view key, Problems& problems, const Take& take) {
  if (!node.is_list() && !node.is_null()) {
    problems.error(node.span, fmt::format("\"{}\" is a list: [api.vendor.com]", key));
  }
  for (const Node& item : node.items) {
    if (scalar_text(item, key, problems) == nullptr) continue;
    if (auto wrong = take(item)) problems.error(item.span, std::move(*wrong));
  }
}

void add(std::vector<NamedHost>& hosts, NamedHost host) {
  const auto same = [text = host.text()](const NamedHost& one) { return one.text() == text; };
  if (std::ranges::none_of(hosts, same)) hosts.push_back(std::move(host));
}

std::optional<Tls> read_word(const Node& node, Problems& problems) {
  if (node.text == "true") return Tls{{}, {}, {}, node.span};
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

std::string read_ca_out(const Node& node, Problems& problems) {
  const auto* text = scalar_text(node, "ca_out", problems);
  if (text == nullptr) return {};
  if (text->empty())
    problems.error(node.span, "\"ca_out\" names no file: name one, or leave it out");
  return path_beside(node);
}

// "t.yaml:4:30", for a message about another place.
std::string place(const SourceSpan& span) {
  if (!span.source) return "the command line";
  return fmt::format("{}:{}:{}", span.source->name, span.line, span.column);
}

bool is_same_place(const SourceSpan& a, const SourceSpan& b) {
  return a.source == b.source && a.line == b.line && a.column == b.column;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(a, ignored), ignored) ==
         std::filesystem::weakly_canonical(std::filesystem::absolute(b, ignored), ignored);
}

// The first that is asked is the only one that is ever reached.
void check_hosts(const Api& first, const Api& second, Problems& problems) {
  for (const NamedHost& host : second.intercept) {
    for (const NamedHost& other : first.intercept) {
      if (host.text() != other.text()) continue;
      const std::string_view option = host.span.source ? "" : "--intercept: ";
      problems.error(
          host.span,
          fmt::format("{}\"{}\" intercepts {}, and so does \"{}\" ({}): one host leads to "
                      "one api; take it from one of them, or give each its own port",
                      option, second.name, host.text(), first.name, place(other.span)));
    }
  }
}

// What two apis took `from` one file is written there once.
void check_ca_out(const Api& first, const Api& second, Problems& problems) {
  if (!first.tls || !second.tls || first.tls->ca_out.empty() || second.tls->ca_out.empty()) return;
  const SourceSpan& here = second.tls->ca_out_span;
  const SourceSpan& there = first.tls->ca_out_span;
  if (is_same_place(here, there) || !is_same_file(first.tls->ca_out, second.tls->ca_out)) return;
  problems.error(here,
                 fmt::format("\"{}\" writes the authority to this file as well ({}): all apis "
                             "have one authority, so one \"ca_out\" is enough",
                             first.name, place(there)));
}

}  // namespace

std::optional<Tls> read_tls(const Node& node, Problems& problems) {
  if (node.is_scalar()) return read_word(node, problems);
  const std::size_t errors_before = problems.errors();
  Tls tls;
  tls.span = node.span;
  const MapView map(node, tls_keys(), problems);
  if (const Node* names = map.find("names")) {
    read_names(*names, "names", problems, [&](const Node& item) {
      tls.names.push_back(item.text);
      return why_no_certificate_name(item.text);
    });
  }
  if (const Node* out = map.find("ca_out")) {
    tls.ca_out = read_ca_out(*out, problems);
    tls.ca_out_span = out->span;
  }
  if (problems.errors() != errors_before) return std::nullopt;
  return tls;
}

std::vector<NamedHost> read_intercepted(const Node& node, Problems& problems) {
  std::vector<NamedHost> hosts;
  read_names(node, "intercept", problems, [&](const Node& item) -> std::optional<std::string> {
    auto host = read_named_host(item.text);
    if (!host) return std::move(host.error());
    host->span = item.span;
    add(hosts, std::move(*host));
    return std::nullopt;
  });
  return hosts;
}

void add_intercepted(const std::vector<std::string>& words, Scenario& scenario,
                     Problems& problems) {
  if (scenario.apis.empty()) return;  // what is wrong with them is said already
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool is_named = equals != std::string::npos;
    auto host = read_named_host(is_named ? std::string_view(word).substr(equals + 1) : word);
    const auto api = std::find_if(scenario.apis.begin(), scenario.apis.end(), [&](const Api& one) {
      return !is_named || one.name == word.substr(0, equals);
    });
    if (!host) {
      problems.error({}, "--intercept: " + host.error());
    } else if (api == scenario.apis.end()) {
      problems.error({}, fmt::format("--intercept {}: no such api; there is {}", printable(word),
                                     names_of(scenario)));
    } else {
      add(api->intercept, std::move(*host));
    }
  }
}

void check_tls_of_apis(const Scenario& scenario, Problems& problems) {
  for (std::size_t second = 1; second < scenario.apis.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      check_hosts(scenario.apis[first], scenario.apis[second], problems);
      check_ca_out(scenario.apis[first], scenario.apis[second], problems);
    }
  }
}

}  // namespace mishap::scenarios
