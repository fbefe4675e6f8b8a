#include "scenarios/parser/known_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/parser/map_view.h"

namespace mishap::scenarios {
namespace {

constexpr std::size_t kMostEntries = 1000;
constexpr std::size_t kLongestGlob = 200;
constexpr std::size_t kLongestReason = 500;

// A glob over names: what no name can hold would never match.
bool is_glob(const std::string& text) {
  return !text.empty() && text.size() <= kLongestGlob && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_.*?/").find(c) != std::string_view::npos;
  });
}

void read_glob(const MapView& map, std::string_view key, std::string& out, Problems& problems) {
  map.text(key, out);
  const Node* node = map.find(key);
  if (node == nullptr || !node->is_scalar() || is_glob(out)) return;
  problems.error(node->span, fmt::format("\"{}\" is a name, in which * stands for any characters "
                                         "and ? for one",
                                         key));
}

void read_reason(const MapView& map, std::string& out, Problems& problems) {
  map.text("reason", out);
  const Node* node = map.find("reason");
  if (node == nullptr || !node->is_scalar()) return;
  if (out.empty()) {
    problems.error(node->span, "a known finding needs a reason: whoever reads it next asks why");
  } else if (out.size() > kLongestReason) {
    problems.error(node->span, fmt::format("a reason has at most {} bytes, not {}", kLongestReason,
                                           out.size()));
  }
}

void read_until(const MapView& map, std::string& out, Problems& problems) {
  map.text("until", out);
  const Node* node = map.find("until");
  if (node == nullptr || !node->is_scalar() || is_day(out)) return;
  problems.error(node->span, "\"until\" is the last day on which it holds: 2027-01-31");
}

KnownFinding read_one(const Node& node, Problems& problems) {
  const MapView map(node, known_keys(), problems);
  map.require_keys();
  KnownFinding known;
  known.span = node.span;
  read_glob(map, "scenario", known.scenario, problems);
  read_glob(map, "check", known.check, problems);
  read_reason(map, known.reason, problems);
  read_until(map, known.until, problems);
  return known;
}

// The later one would never be met.
void warn_of_twins(const std::vector<KnownFinding>& known, Problems& problems) {
  std::vector<std::pair<std::string, std::string>> seen;
  for (const auto& one : known) {
    const std::pair key(one.scenario, one.check);
    if (std::ranges::find(seen, key) != seen.end()) {
      problems.warning(
          one.span, fmt::format("{} in {} is known already, further up", one.check, one.scenario));
    }
    seen.push_back(key);
  }
}

}  // namespace

std::vector<KnownFinding> read_known(const Node& list, Problems& problems) {
  std::vector<KnownFinding> known;
  if (list.is_null()) return known;
  if (!list.is_list()) {
    problems.error(list.span, "\"known\" is a list: [{scenario:, check:, reason:, until:}]");
    return known;
  }
  if (list.items.size() > kMostEntries) {
    problems.error(list.items[kMostEntries].span,
                   fmt::format("more than {} known findings: use globs", kMostEntries));
    return known;
  }
  for (const Node& item : list.items) {
    const auto before = problems.errors();
    auto one = read_one(item, problems);
    if (problems.errors() == before) known.push_back(std::move(one));
  }
  warn_of_twins(known, problems);
  return known;
}

}  // namespace mishap::scenarios
