#include "cli/requested_scenario.h"

#include <algorithm>

#include "cli/load.h"
#include "mishap/confined.h"

namespace mishap::cli {
namespace {

using server::control::Problem;
using server::control::RunRequest;

scenarios::LoadOptions options_of(const RunRequest& request) {
  scenarios::LoadOptions options;
  options.set = request.set;
  options.promise = request.promise;
  options.faults = request.faults;
  options.api = request.api;
  return options;
}

scenarios::Loaded load(const RunRequest& request, const std::string& allow_files) {
  auto options = options_of(request);
  if (!request.yaml.empty()) {
    return scenarios::load_confined_text("yaml", request.yaml, allow_files, options);
  }
  if (!request.scenario.empty()) {
    return scenarios::load_confined_scenario(request.scenario, allow_files, options);
  }
  options.api.clear();
  return scenarios::load_confined_api(request.api.empty() ? "any" : request.api, allow_files,
                                      options);
}

void expect(scenarios::Scenario& scenario, const std::string& check, scenarios::Level level,
            const std::string& reason) {
  auto& all = scenario.expectations;
  auto found = std::ranges::find(all, check, &scenarios::Expectation::check);
  if (found == all.end()) {
    all.emplace_back();
    found = std::prev(all.end());
    found->check = check;
  }
  found->level = level;
  found->reason = reason;
}

void apply(const RunRequest& request, scenarios::Scenario& scenario) {
  for (const auto& check : request.require) {
    expect(scenario, check, scenarios::Level::Required, "");
  }
  for (const auto& check : request.ignore) {
    expect(scenario, check, scenarios::Level::Off, "the caller ignores it");
  }
  if (!request.name.empty()) scenario.name = request.name;
  if (request.copies > 0) scenario.client.copies = request.copies;
}

// A path that is refused is no mistake in a scenario.
std::optional<Problem> refused_file(const RunRequest& request, const std::string& allow_files) {
  const auto is_file = [](const std::string& word) {
    return word.starts_with('/') || word.starts_with('.') || word.ends_with(".yaml") ||
           word.ends_with(".yml");
  };
  if (!allow_files.empty() || (!is_file(request.scenario) && !is_file(request.api))) return {};
  return server::control::problem(
             403, "this server opens no files",
             "name a shipped scenario, send the scenario as \"yaml\", or start the server with "
             "--allow-files FOLDER")
      .value();
}

}  // namespace

tl::expected<scenarios::Scenario, Problem> requested_scenario(const RunRequest& request,
                                                              const std::string& allow_files) {
  if (auto refused = refused_file(request, allow_files)) return tl::unexpected(*refused);
  auto loaded = load(request, allow_files);
  if (loaded.scenario) apply(request, *loaded.scenario);
  if (loaded.partial) apply(request, *loaded.partial);
  const auto diagnostics = all_diagnostics(loaded);
  if (!loaded.scenario || has_errors(diagnostics)) {
    return tl::unexpected(server::control::problem_of(diagnostics));
  }
  return std::move(*loaded.scenario);
}

}  // namespace mishap::cli
