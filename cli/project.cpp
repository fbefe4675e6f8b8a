#include "cli/project.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "mishap/nearest_word.h"
#include "mishap/printable.h"
#include "mishap/profiles.h"

namespace mishap::cli {
namespace {

using scenarios::Project;
using scenarios::ProjectClient;

std::vector<std::string> names_of(const Project& project) {
  std::vector<std::string> names;
  for (const auto& client : project.clients) names.push_back(client.name);
  return names;
}

bool complain(const std::string& text) {
  std::cerr << "mishap test: " << text << "\n";
  return false;
}

std::string comma_list(const std::vector<std::string>& words) {
  std::string list;
  for (const auto& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

// The client of mishap.yaml that is meant. A command on the command line is a client of its own,
// unless it is named as one of the file's.
struct Choice {
  const ProjectClient* client = nullptr;
  bool fine = true;
};

Choice choose(const OpenedProject& opened, const TestArguments& arguments) {
  const auto& name = arguments.client_name;
  if (!opened.project) {
    if (name.empty()) return {};
    return {nullptr, complain("--client " + name + ": there is no mishap.yaml that names clients")};
  }
  const auto& clients = opened.project->clients;
  if (!name.empty()) {
    const auto found = std::ranges::find(clients, name, &ProjectClient::name);
    if (found != clients.end()) return {&*found, true};
    if (clients.size() == 1 && clients.front().name.empty()) {
      return {nullptr, complain(opened.project->path + " has one client without a name; leave "
                                                       "--client out")};
    }
    return {nullptr,
            complain("--client: " + unknown_word("client", name, names_of(*opened.project)))};
  }
  if (!arguments.client.empty() || clients.empty()) return {};
  if (clients.size() == 1) return {&clients.front(), true};
  return {nullptr,
          complain(fmt::format("{} has several clients; choose one with --client: {}",
                               opened.project->path, comma_list(names_of(*opened.project))))};
}

std::string vendor_of(const Node& api) {
  return api.is_scalar() ? api.text : std::string("written in it");
}

}  // namespace

OpenedProject open_project(const ProjectOptions& options) {
  if (options.none) return {};
  const std::string path = options.file.empty() ? scenarios::find_project() : options.file;
  if (path.empty()) return {};
  auto loaded = scenarios::load_project(path);
  for (const auto& diagnostic : loaded.diagnostics) std::cerr << render(diagnostic);
  const bool fine = loaded.project && !has_errors(loaded.diagnostics);
  return {std::move(loaded.project), fine};
}

void give_defaults(const OpenedProject& opened, const ProjectClient* client,
                   scenarios::LoadOptions& load) {
  if (!opened.project) return;
  load.project = opened.project->defaults;
  if (client != nullptr) {
    load.project.promise = laid_over(std::move(load.project.promise), client->promise);
  }
}

bool apply_project(const OpenedProject& opened, TestArguments& arguments) {
  const auto choice = choose(opened, arguments);
  if (!choice.fine) return false;
  give_defaults(opened, choice.client, arguments.load);
  if (choice.client != nullptr) {
    arguments.plan = choice.client->plan;
    arguments.client_folder = opened.project->folder;
  }
  if (opened.project) {
    if (arguments.targets.empty()) arguments.targets = opened.project->scenarios;
    if (!arguments.jobs_given && opened.project->jobs) arguments.jobs = *opened.project->jobs;
  }
  if (arguments.targets.empty()) arguments.targets = {"core"};
  return true;
}

bool params_are_known(const OpenedProject& opened,
                      const std::vector<scenarios::Scenario>& scenarios) {
  if (!opened.project || opened.project->defaults.params.empty()) return true;
  std::vector<std::string> known;
  const auto learn = [&](const scenarios::Scenario& scenario) {
    for (const auto& name : scenario.param_names) {
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    }
  };
  for (const auto& scenario : scenarios) learn(scenario);
  for (const auto& shipped : scenarios::shipped_scenarios()) {
    const auto loaded = scenarios::load_scenario(shipped.name, {});
    if (loaded.scenario) learn(*loaded.scenario);
  }
  auto unknown = scenarios::unknown_params(*opened.project, known);
  for (auto& diagnostic : unknown) {
    diagnostic.severity = Severity::Error;
    std::cerr << render(diagnostic);
  }
  return unknown.empty();
}

std::string project_line(const OpenedProject& opened, const TestArguments& arguments) {
  if (!opened.project) return {};
  const auto& project = *opened.project;
  std::vector<std::string> parts;
  if (!arguments.client_name.empty()) parts.push_back("client " + arguments.client_name);
  if (!project.defaults.api.is_null() && arguments.load.api.empty()) {
    parts.push_back("api " + vendor_of(project.defaults.api));
  }
  if (!project.defaults.apis.is_null()) {
    parts.push_back(fmt::format("{} apis", project.defaults.apis.members.size()));
  }
  if (const auto promise = describe(arguments.load.project.promise); !promise.empty()) {
    parts.push_back("promise " + promise);
  }
  const auto said = comma_list(parts);
  return printable(fmt::format("project   {}{}{}", project.path, said.empty() ? "" : ": ", said)) +
         "\n";
}

}  // namespace mishap::cli
