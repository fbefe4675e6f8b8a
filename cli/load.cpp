#include "cli/load.h"

#include <algorithm>
#include <iostream>

#include "mishap/server.h"
#include "mishap/verdict.h"

namespace mishap::cli {
namespace {

// Takes what was loaded if it is without error; says on stderr what is wrong.
bool take(scenarios::Loaded loaded, std::vector<scenarios::Scenario>& into) {
  const auto diagnostics = all_diagnostics(loaded);
  for (const auto& diagnostic : diagnostics) std::cerr << render(diagnostic);
  if (!loaded.scenario || has_errors(diagnostics)) return false;
  into.push_back(std::move(*loaded.scenario));
  return true;
}

bool has(const std::vector<scenarios::Scenario>& scenarios, const std::string& name) {
  return std::ranges::find(scenarios, name, &scenarios::Scenario::name) != scenarios.end();
}

// A comparison lies in the same pack, or in the same folder as the file that asks for it.
std::string comparison_target(const scenarios::Scenario& scenario) {
  if (scenario.shipped) return scenario.pack + "/" + scenario.compare_with;
  const auto slash = scenario.path.rfind('/');
  const auto folder = slash == std::string::npos ? "./" : scenario.path.substr(0, slash + 1);
  return folder + scenario.compare_with + ".yaml";
}

bool add_companions(Selection& selection, const scenarios::LoadOptions& options) {
  const auto asked = selection.scenarios.size();
  for (std::size_t i = 0; i < asked; ++i) {
    const auto name = selection.scenarios[i].compare_with;
    if (name.empty() || has(selection.scenarios, name)) continue;
    const auto target = comparison_target(selection.scenarios[i]);
    if (!take(scenarios::load_scenario(target, options), selection.scenarios)) return false;
    selection.companions.push_back(name);
  }
  return true;
}

}  // namespace

Diagnostics all_diagnostics(const scenarios::Loaded& loaded) {
  auto diagnostics = loaded.diagnostics;
  if (!loaded.scenario) return diagnostics;
  for (const auto& more : {server::check_scenario(*loaded.scenario),
                           client_tests::check_expectations(*loaded.scenario)}) {
    diagnostics.insert(diagnostics.end(), more.begin(), more.end());
  }
  std::ranges::stable_sort(diagnostics, [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.span.line, a.span.column) < std::pair(b.span.line, b.span.column);
  });
  return diagnostics;
}

std::optional<Selection> load_selection(const std::vector<std::string>& targets,
                                        const scenarios::LoadOptions& options) {
  const auto names = scenarios::resolve_targets(targets);
  if (!names) {
    std::cerr << render(names.error());
    return {};
  }
  Selection selection;
  bool fine = true;
  for (const auto& name : *names) {
    fine &= take(scenarios::load_scenario(name, options), selection.scenarios);
  }
  if (!fine || !add_companions(selection, options)) return {};
  return selection;
}

std::optional<scenarios::Scenario> load_one(const std::string& target,
                                            const scenarios::LoadOptions& options) {
  const auto& apis = scenarios::shipped_apis();
  const bool is_api = std::ranges::find(apis, target, &scenarios::Shipped::name) != apis.end();
  std::vector<scenarios::Scenario> scenarios;
  auto loaded =
      is_api ? scenarios::load_api(target, options) : scenarios::load_scenario(target, options);
  if (!take(std::move(loaded), scenarios)) return {};
  return std::move(scenarios.front());
}

}  // namespace mishap::cli
