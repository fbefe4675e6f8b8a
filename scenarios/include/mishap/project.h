#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/client.h"
#include "mishap/error.h"
#include "mishap/known.h"
#include "mishap/parameters.h"
#include "mishap/scenario.h"

// mishap.yaml: what a project would else have to say on every command line. The command line wins
// over a scenario, a scenario over this file, this file over what is shipped.
namespace mishap::scenarios {

inline constexpr std::string_view kProjectFile = "mishap.yaml";

struct ProjectClient {
  std::string name;  // as under `clients`; empty: the one behind `client`
  Client plan;
  Promise promise;  // of this client, over the project's
  SourceSpan span;
};

struct Project {
  std::string path;    // as it was found or named
  std::string folder;  // of the file, as the current folder sees it: its paths begin there, and
                       // its clients run there
  ProjectDefaults defaults;
  std::vector<ProjectClient> clients;
  std::vector<std::string> scenarios;  // targets, from the current folder; empty: nothing is said
  std::optional<int> jobs;
  std::vector<KnownFinding> known;
};

struct LoadedProject {
  std::optional<Project> project;  // absent where there are errors
  Diagnostics diagnostics;
};

// Never throws; bounded as load_scenario() is.
LoadedProject load_project(const std::string& path);
LoadedProject load_project_text(const std::string& name, const std::string& text,
                                const std::string& folder);

// The mishap.yaml of the current folder or, within a git repository, of the nearest folder above up
// to its root; "../mishap.yaml", empty: there is none. A folder above that belongs to no
// repository is somebody else's and is not looked into.
std::string find_project();

// Whether a path is meant as a project's file rather than as a scenario.
bool is_project_file(const std::string& path);

// A `params` of the file that none of `known` is called like: warnings with the nearest word.
Diagnostics unknown_params(const Project& project, const std::vector<std::string>& known);

// The JSON Schema (draft 2020-12) of mishap.yaml, from the loader's own tables.
std::string project_json_schema();

}  // namespace mishap::scenarios
