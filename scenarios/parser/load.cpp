#include <fmt/format.h>

#include <filesystem>

#include "mishap/confined.h"
#include "mishap/nearest_word.h"
#include "mishap/scenario.h"
#include "scenarios/parser/api_source.h"
#include "scenarios/parser/rule_reader.h"
#include "scenarios/parser/scenario_reader.h"
#include "scenarios/parser/shipped.h"
#include "scenarios/parser/source_file.h"
#include "scenarios/parser/substitution.h"
#include "scenarios/parser/version.h"
#include "scenarios/parser/yaml_reader.h"

namespace mishap::scenarios {
namespace {

Loaded failed(const SourceSpan& span, std::string message) {
  return {std::nullopt, {{Severity::Error, std::move(message), span}}, std::nullopt};
}

Scenario without_broken_parts(Scenario scenario) {
  std::erase_if(scenario.rules, [](const FaultRule& rule) { return rule.fault.empty(); });
  if (!scenario.apis.empty()) return scenario;
  Api takes_every_call;
  takes_every_call.name = "any";
  takes_every_call.any_path = true;
  scenario.apis.push_back(std::move(takes_every_call));
  for (FaultRule& rule : scenario.rules) rule.on.api.clear();
  return scenario;
}

// What every scenario goes through at the end, wherever it came from.
Loaded finish(Scenario scenario, const LoadOptions& options, const std::string& source_name,
              Problems& problems) {
  apply_options(options, scenario, problems);
  name_rules(scenario.rules, problems);
  check_references(scenario, problems);
  Loaded loaded{std::nullopt, problems.sorted(source_name), std::nullopt};
  if (problems.any_errors()) {
    loaded.partial = without_broken_parts(std::move(scenario));
  } else {
    loaded.scenario = std::move(scenario);
  }
  return loaded;
}

// A file that is written is none of a stranger's business.
void refuse_ca_out(const Scenario& scenario, Problems& problems) {
  for (const Api& api : scenario.apis) {
    if (!api.tls || api.tls->ca_out.empty()) continue;
    problems.error(api.tls->span, "\"ca_out\" may not be written here; leave it out");
  }
}

Loaded load_source(const Source& source, const std::string& folder, const Confines& confines,
                   const LoadOptions& options, bool shipped = false) {
  Problems problems;
  const auto give_up = [&] {
    return Loaded{std::nullopt, problems.sorted(source->name), std::nullopt};
  };
  auto root = read_yaml(source, problems);
  if (!root) return give_up();
  if (!root->is_map()) {
    problems.error(root->span, "a scenario is a map of keys, beginning with mishap: 1");
    return give_up();
  }
  if (!check_version(*root, problems)) return give_up();
  const ParamNodes params = read_param_nodes(*root, options, problems);
  if (!substitute(*root, params, problems)) return give_up();
  Scenario scenario = read_scenario(*root, {folder, shipped}, confines, options, problems);
  if (confines) refuse_ca_out(scenario, problems);
  for (const auto& param : params) scenario.param_names.push_back(param.first);
  scenario.path = source->name;
  return finish(std::move(scenario), options, source->name, problems);
}

Loaded load_shipped(const Shipped& shipped, const Confines& confines, const LoadOptions& options) {
  const Source source = make_source(shipped_path(shipped.name), shipped.text);
  Loaded loaded = load_source(source, "", confines, options, /*shipped=*/true);
  if (loaded.scenario) {
    loaded.scenario->pack = shipped.name.substr(0, shipped.name.find('/'));
  }
  return loaded;
}

Loaded load_named_api(const std::string& path_or_name, const Confines& confines,
                      const LoadOptions& options) {
  Problems problems;
  if (!options.set.empty() && !options.pass_over_unknown_set) {
    problems.error({}, fmt::format("unknown parameter \"{}\"; an api has no params",
                                   options.set.front().name));
  }
  Scenario scenario;
  add_named_api(path_or_name, confines, "", scenario, problems);
  if (confines) refuse_ca_out(scenario, problems);
  if (!scenario.apis.empty()) scenario.name = scenario.apis.front().name;
  scenario.path = path_or_name;
  return finish(std::move(scenario), options, path_or_name, problems);
}

}  // namespace

Loaded load_scenario_text(const std::string& name, const std::string& text,
                          const std::string& folder, const LoadOptions& options) {
  return load_source(make_source(name, text), folder, {}, options);
}

Loaded load_scenario(const std::string& path_or_name, const LoadOptions& options) {
  if (const Shipped* shipped = shipped_scenario(path_or_name)) {
    return load_shipped(*shipped, {}, options);
  }
  std::error_code ignored;
  if (!looks_like_file(path_or_name) && !std::filesystem::exists(path_or_name, ignored)) {
    return failed({}, unknown_word("scenario", path_or_name, scenario_words()));
  }
  const auto source = read_source(path_or_name);
  if (!source) return failed({}, source.error());
  const auto folder = std::filesystem::path(path_or_name).parent_path().string();
  return load_source(*source, folder, {}, options);
}

Loaded load_api(const std::string& path_or_name, const LoadOptions& options) {
  return load_named_api(path_or_name, {}, options);
}

Loaded load_confined_text(const std::string& name, const std::string& text,
                          const std::string& folder, const LoadOptions& options) {
  return load_source(make_source(name, text), folder, folder, options);
}

Loaded load_confined_scenario(const std::string& path_or_name, const std::string& folder,
                              const LoadOptions& options) {
  if (const Shipped* shipped = shipped_scenario(path_or_name)) {
    return load_shipped(*shipped, folder, options);
  }
  if (!looks_like_file(path_or_name)) {
    return failed({}, unknown_word("scenario", path_or_name, scenario_words()));
  }
  const auto path = (std::filesystem::path(folder) / path_or_name).lexically_normal();
  const bool is_one_name = path_or_name.find('\0') == std::string::npos;
  if (!is_one_name || !lies_within(folder, path)) {
    return failed({}, fmt::format("the file \"{}\" may not be opened here", path_or_name));
  }
  const auto source = read_source(path.string());
  if (!source) return failed({}, source.error());
  return load_source(*source, path.parent_path().string(), folder, options);
}

Loaded load_confined_api(const std::string& path_or_name, const std::string& folder,
                         const LoadOptions& options) {
  return load_named_api(path_or_name, folder, options);
}

}  // namespace mishap::scenarios
