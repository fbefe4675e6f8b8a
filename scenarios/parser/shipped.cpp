#include "scenarios/parser/shipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mishap::scenarios {

// Defined in files that CMake makes from library/ and apis/ (cmake/embed.cmake).
std::vector<std::pair<std::string_view, std::string_view>> embedded_scenarios();
std::vector<std::pair<std::string_view, std::string_view>> embedded_apis();

namespace {

using Embedded = std::vector<std::pair<std::string_view, std::string_view>>;

std::vector<Shipped> named(const Embedded& files) {
  constexpr std::string_view kSuffix = ".yaml";
  std::vector<Shipped> all;
  for (const auto& [file, text] : files) {
    all.push_back({std::string(file.substr(0, file.size() - kSuffix.size())), std::string(text)});
  }
  std::sort(all.begin(), all.end(),
            [](const Shipped& a, const Shipped& b) { return a.name < b.name; });
  return all;
}

std::string_view bare(std::string_view name) {
  return name.substr(name.find('/') + 1);
}

}  // namespace

const std::vector<Shipped>& shipped_scenarios() {
  static const std::vector<Shipped> all = named(embedded_scenarios());
  return all;
}

const std::vector<Shipped>& shipped_apis() {
  static const std::vector<Shipped> all = named(embedded_apis());
  return all;
}

const Shipped* shipped_scenario(std::string_view word) {
  const Shipped* by_bare_name = nullptr;
  bool several = false;
  for (const Shipped& scenario : shipped_scenarios()) {
    if (scenario.name == word) return &scenario;
    if (bare(scenario.name) != word) continue;
    several = by_bare_name != nullptr;
    by_bare_name = &scenario;
  }
  return several ? nullptr : by_bare_name;
}

std::string shipped_path(std::string_view name) {
  return fmt::format("shipped:{}.yaml", name);
}

std::vector<std::string> shipped_packs() {
  std::vector<std::string> packs;
  for (const Shipped& scenario : shipped_scenarios()) {
    std::string pack = scenario.name.substr(0, scenario.name.find('/'));
    if (packs.empty() || packs.back() != pack) packs.push_back(std::move(pack));
  }
  return packs;
}

std::vector<std::string> scenario_words() {
  std::vector<std::string> words;
  for (const Shipped& scenario : shipped_scenarios()) {
    words.emplace_back(bare(scenario.name));
    words.push_back(scenario.name);
  }
  return words;
}

}  // namespace mishap::scenarios
