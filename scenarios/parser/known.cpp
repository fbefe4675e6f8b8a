#include "mishap/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <tuple>

#include "scenarios/parser/known_reader.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/source_file.h"
#include "scenarios/parser/version.h"
#include "scenarios/parser/yaml_reader.h"

namespace mishap::scenarios {
namespace {

constexpr std::string_view kHead =
    "# Findings that are known and do not fail a run until their day is over. `mishap test\n"
    "# --write-known` adds to this list and sorts it: say why in `reason`, other comments are "
    "lost.\n";

LoadedKnown load_source(const Source& source) {
  Problems problems;
  LoadedKnown loaded;
  const auto root = read_yaml(source, problems);
  if (root && !root->is_map() && !root->is_null()) {
    problems.error(root->span, "a file of known findings is a map: known: [...]");
  } else if (root && (root->find("mishap") == nullptr || check_version(*root, problems))) {
    const MapView map(*root, known_file_keys(), problems);
    if (const Node* list = map.find("known")) loaded.known = read_known(*list, problems);
  }
  loaded.diagnostics = problems.sorted(source->name);
  return loaded;
}

// As a YAML text in double quotes, on one line.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// A name that is plain to YAML as well stays as people write it.
std::string word(const std::string& text) {
  const bool plain = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
                     text.find_first_of("*?") == std::string::npos && text != "true" &&
                     text != "false" && text != "null";
  return plain ? text : quoted(text);
}

std::optional<int> number(std::string_view digits) {
  int value = 0;
  const auto* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || digits.front() == '-') return std::nullopt;
  return value;
}

std::optional<std::chrono::year_month_day> day_of(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number(text.substr(0, 4));
  const auto month = number(text.substr(5, 2));
  const auto day = number(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day made{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!made.ok()) return std::nullopt;
  return made;
}

}  // namespace

LoadedKnown load_known(const std::string& path) {
  const auto source = read_source(path);
  if (!source) return {{}, {{Severity::Error, source.error(), {}}}};
  return load_source(*source);
}

LoadedKnown load_known_text(const std::string& name, const std::string& text) {
  return load_source(make_source(name, text));
}

std::string known_file_text(std::vector<KnownFinding> known) {
  std::ranges::stable_sort(known, {}, [](const KnownFinding& one) {
    return std::tie(one.scenario, one.check, one.until, one.reason);
  });
  std::string text =
      fmt::format("{}mishap: {}\nknown:{}\n", kHead, kLanguageVersion, known.empty() ? " []" : "");
  for (const auto& one : known) {
    text += fmt::format("  - scenario: {}\n    check: {}\n    reason: {}\n    until: {}\n",
                        word(one.scenario), word(one.check), quoted(one.reason), one.until);
  }
  return text;
}

// Greedy with one point of return: linear in practice, never worse than the product of the lengths.
bool matches_glob(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

bool means_scenario(const KnownFinding& known, std::string_view pack, std::string_view name) {
  if (known.scenario.find('/') == std::string::npos) return matches_glob(known.scenario, name);
  return matches_glob(known.scenario, fmt::format("{}/{}", pack, name));
}

bool is_day(std::string_view text) {
  return day_of(text).has_value();
}

std::string day_after(std::string_view day, int days) {
  const auto later = std::chrono::year_month_day(std::chrono::sys_days(day_of(day).value()) +
                                                 std::chrono::days(days));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(later.year()),
                     static_cast<unsigned>(later.month()), static_cast<unsigned>(later.day()));
}

}  // namespace mishap::scenarios
