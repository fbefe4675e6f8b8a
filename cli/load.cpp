#include "cli/load.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "mishap/nearest_word.h"
#include "mishap/server.h"
#include "mishap/verdict.h"
#include "scenarios/parser/targets.h"

namespace mishap::cli {
namespace {

// What was said already: a pack over one api would say the same of it in each of its scenarios.
using Said = std::set<std::string>;

// Takes what was loaded if it is without error; says on stderr what is wrong.
bool take(scenarios::Loaded loaded, std::vector<scenarios::Scenario>& into, Said& said) {
  const auto diagnostics = all_diagnostics(loaded);
  for (const auto& diagnostic : diagnostics) {
    if (auto text = render(diagnostic); said.insert(text).second) std::cerr << text;
  }
  if (!loaded.scenario || has_errors(diagnostics)) return false;
  into.push_back(std::move(*loaded.scenario));
  return true;
}

bool has(const std::vector<scenarios::Scenario>& scenarios, const std::string& name) {
  return std::ranges::find(scenarios, name, &scenarios::Scenario::name) != scenarios.end();
}

// A pack is aimed as a whole, so a name that one file lacks is passed over; one that none has is a
// mistake.
bool every_set_is_known(const Selection& selection, const scenarios::LoadOptions& options) {
  std::vector<std::string> known;
  for (const auto& scenario : selection.scenarios) {
    for (const auto& name : scenario.param_names) {
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    }
  }
  for (const auto& set : options.set) {
    if (std::ranges::find(known, set.name) != known.end()) continue;
    std::cerr << "--set: " << unknown_word("parameter", set.name, known) << "\n";
    return false;
  }
  return true;
}

// The vendor of mishap.yaml or of --api, without a scenario around it.
scenarios::Loaded load_vendor(const scenarios::LoadOptions& options) {
  auto each = options;
  each.pass_over_unknown_set = true;
  return scenarios::load_scenario_text("the project's api", "mishap: 1\nscenario: project\n", "",
                                       each);
}

// A comparison lies in the same pack, or in the same folder as the file that asks for it.
std::string comparison_target(const scenarios::Scenario& scenario) {
  if (scenario.shipped) return scenario.pack + "/" + scenario.compare_with;
  const auto slash = scenario.path.rfind('/');
  const auto folder = slash == std::string::npos ? "./" : scenario.path.substr(0, slash + 1);
  return folder + scenario.compare_with + ".yaml";
}

bool add_companions(Selection& selection, const scenarios::LoadOptions& options, Said& said) {
  const auto asked = selection.scenarios.size();
  for (std::size_t i = 0; i < asked; ++i) {
    const auto name = selection.scenarios[i].compare_with;
    if (name.empty() || has(selection.scenarios, name)) continue;
    const auto target = comparison_target(selection.scenarios[i]);
    if (!take(scenarios::load_scenario(target, options), selection.scenarios, said)) return false;
    selection.companions.push_back(name);
  }
  return true;
}

bool is_api(const std::string& target) {
  const auto& apis = scenarios::shipped_apis();
  return std::ranges::find(apis, target, &scenarios::Shipped::name) != apis.end();
}

std::vector<std::string> servable_names() {
  std::vector<std::string> names;
  for (const auto& api : scenarios::shipped_apis()) names.push_back(api.name);
  for (const auto& scenario : scenarios::shipped_scenarios()) names.push_back(scenario.name);
  return names;
}

}  // namespace

Diagnostics all_diagnostics(const scenarios::Loaded& loaded) {
  auto diagnostics = loaded.diagnostics;
  // What could be read in spite of errors is looked at too, so that an unknown fault shows beside a
  // bad duration; its warnings would be guesses.
  const auto* scenario = loaded.scenario  ? &*loaded.scenario
                         : loaded.partial ? &*loaded.partial
                                          : nullptr;
  if (scenario == nullptr) return diagnostics;
  for (const auto& found :
       {server::check_scenario(*scenario), client_tests::check_expectations(*scenario)}) {
    for (const auto& diagnostic : found) {
      if (loaded.scenario || diagnostic.severity == Severity::Error)
        diagnostics.push_back(diagnostic);
    }
  }
  std::ranges::stable_sort(diagnostics, [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.span.line, a.span.column) < std::pair(b.span.line, b.span.column);
  });
  return diagnostics;
}

Diagnostics file_diagnostics(const std::string& name, const scenarios::LoadOptions& options) {
  if (!std::filesystem::path(name).filename().string().starts_with("mishap-known")) {
    return all_diagnostics(scenarios::is_api_file(name) ? scenarios::load_api(name, {})
                                                        : scenarios::load_scenario(name, options));
  }
  auto loaded = scenarios::load_known(name);
  for (auto& said : client_tests::check_known(loaded.known, {})) {
    if (said.severity == Severity::Error) loaded.diagnostics.push_back(std::move(said));
  }
  return loaded.diagnostics;
}

std::optional<Selection> load_selection(const std::vector<std::string>& targets,
                                        const scenarios::LoadOptions& options,
                                        const Narrow& narrow) {
  const auto names = scenarios::resolve_targets(targets);
  if (!names) {
    std::cerr << render(names.error());
    return {};
  }
  auto each = options;
  each.pass_over_unknown_set = names->size() > 1;
  Selection selection;
  Said said;
  bool fine = true;
  for (const auto& name : *names) {
    fine &= take(scenarios::load_scenario(name, each), selection.scenarios, said);
  }
  if (!fine || !every_set_is_known(selection, options)) return {};
  if (narrow && !narrow(selection.scenarios)) return {};
  if (!add_companions(selection, each, said)) return {};
  return selection;
}

std::optional<Selection> load_quick_faults(const scenarios::LoadOptions& options) {
  const bool has_vendor = options.project.has_api() || !options.api.empty();
  auto loaded = has_vendor ? load_vendor(options) : scenarios::load_api("any", options);
  for (auto* scenario : {&loaded.scenario, &loaded.partial}) {
    if (*scenario) (*scenario)->name = kQuickFaults;
  }
  Selection selection;
  Said said;
  if (!take(std::move(loaded), selection.scenarios, said)) return {};
  return selection;
}

std::optional<std::vector<scenarios::Scenario>> load_targets(
    const std::vector<std::string>& targets, const scenarios::LoadOptions& options) {
  std::vector<scenarios::Scenario> scenarios;
  Said said;
  bool fine = true;
  for (const auto& target : targets) {
    if (target == kProjectVendor) {
      fine &= take(load_vendor(options), scenarios, said);
      continue;
    }
    if (is_api(target) || scenarios::is_api_file(target)) {
      fine &= take(scenarios::load_api(target, options), scenarios, said);
      continue;
    }
    const auto names = scenarios::resolve_targets({target});
    if (!names) {
      std::cerr << unknown_word("api, scenario or file", target, servable_names()) << "\n";
      return {};
    }
    auto each = options;
    each.pass_over_unknown_set = names->size() > 1;
    for (const auto& name : *names) {
      fine &= take(scenarios::load_scenario(name, each), scenarios, said);
    }
  }
  if (!fine) return {};
  return scenarios;
}

}  // namespace mishap::cli
