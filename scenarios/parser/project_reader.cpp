#include "scenarios/parser/project_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mishap/profiles.h"
#include "scenarios/parser/api_reader.h"
#include "scenarios/parser/api_source.h"
#include "scenarios/parser/client_reader.h"
#include "scenarios/parser/known_reader.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/promise_reader.h"
#include "scenarios/parser/shipped.h"

namespace mishap::scenarios {
namespace {

constexpr std::size_t kMostClients = 100;
constexpr std::size_t kMostTargets = 1000;
constexpr std::size_t kMostParams = 1000;
constexpr std::int64_t kMostJobs = 64;

// Reads the vendor now, so that a mistake in it is found where it stands and once.
void try_api(const Node& value, const std::string& folder, Problems& problems) {
  ApiFinder finder(problems, {});
  if (const auto found = finder.find(value, folder)) read_api(*found, problems);
}

void read_vendor(const MapView& map, ProjectDefaults& defaults, Problems& problems) {
  const Node* api = map.find("api");
  const Node* apis = map.find("apis");
  if (api != nullptr && apis != nullptr) {
    problems.error(apis->span, "a project has \"api\" or \"apis\", not both");
  } else if (api != nullptr) {
    try_api(*api, defaults.folder, problems);
    defaults.api = *api;
  } else if (apis != nullptr && (!apis->is_map() || apis->members.empty())) {
    problems.error(apis->span, "\"apis\" is a map: {pay: booking, crm: ./crm.yaml}");
  } else if (apis != nullptr) {
    for (const auto& [name, value] : apis->members) {
      if (check_name(name, "api", problems)) try_api(value, defaults.folder, problems);
    }
    defaults.apis = *apis;
  }
}

void read_params(const Node& node, ProjectDefaults& defaults, Problems& problems) {
  if (node.is_null()) return;
  if (!node.is_map()) {
    problems.error(node.span, "\"params\" is a map: {create: POST /orders}");
  } else if (node.members.size() > kMostParams) {
    problems.error(node.span, fmt::format("there are at most {} params", kMostParams));
  } else {
    defaults.params.push_back(node);
  }
}

// The keys of a scenario's client, and `promise`.
ProjectClient read_client(const Node& node, std::string name, Problems& problems) {
  ProjectClient client;
  client.name = std::move(name);
  client.span = node.span;
  const MapView map(node, project_client_keys(), problems);
  if (!node.is_map()) return client;
  if (const Node* promise = map.find("promise")) client.promise = read_promise(*promise, problems);
  Node plan = node;
  const auto own = key_names(client_keys());
  std::erase_if(plan.members, [&](const auto& member) {
    return member.first.text == "copies" || std::ranges::find(own, member.first.text) == own.end();
  });
  const auto errors_before = problems.errors();
  read_client_plan(plan, client.plan, problems);
  if (problems.errors() == errors_before) check_whole_client(client.plan, problems);
  return client;
}

void read_clients(const MapView& map, Project& project, Problems& problems) {
  const Node* one = map.find("client");
  const Node* several = map.find("clients");
  if (one != nullptr && several != nullptr) {
    problems.error(several->span, "a project has \"client\" or \"clients\", not both");
  } else if (one != nullptr) {
    project.clients.push_back(read_client(*one, "", problems));
  } else if (several == nullptr) {
    return;
  } else if (!several->is_map() || several->members.empty()) {
    problems.error(several->span, "\"clients\" is a map: {sync: {command: python3 sync.py}}");
  } else if (several->members.size() > kMostClients) {
    problems.error(several->span, fmt::format("a project has at most {} clients", kMostClients));
  } else {
    for (const auto& [name, value] : several->members) {
      if (!check_name(name, "client", problems)) continue;
      project.clients.push_back(read_client(value, name.text, problems));
    }
  }
}

bool is_shipped_target(const std::string& name) {
  const auto packs = shipped_packs();
  return shipped_scenario(name) != nullptr || std::ranges::find(packs, name) != packs.end();
}

// A shipped name stays as it is ("core", "core/healthy"), all else is a path from the file's
// folder.
std::optional<std::string> target_of(const Node& node, const std::string& folder,
                                     Problems& problems) {
  const auto shipped = resolve_targets({node.text});
  if (!looks_like_file(node.text) && shipped && is_shipped_target(node.text)) return node.text;
  const auto path = (std::filesystem::path(folder) / node.text).lexically_normal().string();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return path;
  problems.error(node.span, looks_like_file(node.text) || shipped
                                ? fmt::format("there is no file or folder \"{}\"", path)
                                : shipped.error().message);
  return std::nullopt;
}

void read_targets(const MapView& map, Project& project, Problems& problems) {
  std::vector<std::string> names;
  map.texts("scenarios", names);
  const Node* list = map.find("scenarios");
  if (list == nullptr || !list->is_list()) return;
  if (list->items.size() > kMostTargets) {
    problems.error(list->span, fmt::format("there are at most {} scenarios here", kMostTargets));
    return;
  }
  for (const Node& item : list->items) {
    if (!item.is_scalar()) continue;
    if (auto target = target_of(item, project.folder, problems)) {
      project.scenarios.push_back(std::move(*target));
    }
  }
}

void read_jobs(const MapView& map, Project& project) {
  std::optional<std::int64_t> jobs;
  map.number("jobs", kMostJobs, jobs);
  if (jobs) project.jobs = static_cast<int>(*jobs);
}

}  // namespace

Project read_project(const Node& root, const std::string& path, const std::string& folder,
                     Problems& problems) {
  Project project;
  project.path = path;
  project.folder = folder;
  project.defaults.folder = folder;
  const MapView map(root, project_keys(), problems);
  if (!root.is_map()) return project;
  read_vendor(map, project.defaults, problems);
  if (const Node* params = map.find("params")) read_params(*params, project.defaults, problems);
  if (const Node* promise = map.find("promise")) {
    project.defaults.promise = read_promise(*promise, problems);
  }
  read_clients(map, project, problems);
  read_targets(map, project, problems);
  read_jobs(map, project);
  if (const Node* known = map.find("known")) project.known = read_known(*known, problems);
  return project;
}

}  // namespace mishap::scenarios
