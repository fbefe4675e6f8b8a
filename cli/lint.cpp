#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cli/commands.h"
#include "cli/load.h"
#include "cli/project.h"
#include "scenarios/parser/targets.h"

namespace mishap::cli {
namespace {

namespace fs = std::filesystem;

// What is looked at: the names, and the mishap.yaml of a folder with what lies in it.
struct Files {
  std::vector<std::string> projects;
  std::vector<std::string> scenarios;
};

std::string project_in(const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return {};
  const auto path = fs::path(folder) / scenarios::kProjectFile;
  return fs::exists(path, ignored) ? path.lexically_normal().string() : std::string();
}

Files sorted(const LintArguments& arguments) {
  Files files;
  for (const auto& name : arguments.files) {
    const bool named = name == arguments.project.file || scenarios::is_project_file(name);
    if (named) {
      files.projects.push_back(name);
      continue;
    }
    const auto inside = project_in(name);
    if (!inside.empty()) files.projects.push_back(inside);
    // A folder may hold its mishap.yaml and no scenario beside it.
    if (inside.empty() || scenarios::resolve_targets({name})) files.scenarios.push_back(name);
  }
  return files;
}

class Tally {
 public:
  void say(const Diagnostics& diagnostics) {
    ++files_;
    for (const auto& diagnostic : diagnostics) {
      std::cout << render(diagnostic);
      ++(diagnostic.severity == Severity::Error ? errors_ : warnings_);
    }
  }
  int conclude() const {
    std::cout << errors_ << (errors_ == 1 ? " error, " : " errors, ") << warnings_
              << (warnings_ == 1 ? " warning" : " warnings") << " in " << files_
              << (files_ == 1 ? " file\n" : " files\n");
    return errors_ == 0 ? kExitPass : kExitUsage;
  }

 private:
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::size_t files_ = 0;
};

// Names of params are known once the scenarios of the project are.
Diagnostics param_warnings(const scenarios::Project& project) {
  std::vector<std::string> known;
  auto targets = project.scenarios;
  for (const auto& shipped : scenarios::shipped_scenarios()) targets.push_back(shipped.name);
  if (const auto names = scenarios::resolve_targets(targets)) {
    for (const auto& name : *names) {
      const auto loaded = scenarios::load_scenario(name, {});
      const auto& scenario = loaded.scenario ? loaded.scenario : loaded.partial;
      if (scenario)
        known.insert(known.end(), scenario->param_names.begin(), scenario->param_names.end());
    }
  }
  return scenarios::unknown_params(project, known);
}

void lint_project(const std::string& path, Tally& tally) {
  auto loaded = scenarios::load_project(path);
  if (loaded.project) {
    for (auto& warning : param_warnings(*loaded.project)) {
      loaded.diagnostics.push_back(std::move(warning));
    }
  }
  tally.say(loaded.diagnostics);
}

std::string project_path(const ProjectOptions& options) {
  if (options.none) return {};
  return options.file.empty() ? scenarios::find_project() : options.file;
}

// The project in force: with nothing named it is what is looked at, with what it names; where it
// cannot be read that is told beside whatever was named.
bool use_project(LintArguments& arguments) {
  const auto path = project_path(arguments.project);
  OpenedProject opened;
  if (!path.empty()) opened.project = scenarios::load_project(path).project;
  const bool nothing_named = arguments.files.empty();
  if (nothing_named && path.empty()) {
    std::cerr
        << "mishap lint: name a file, a folder or a shipped scenario; there is no mishap.yaml "
           "here\n";
    return false;
  }
  if (nothing_named && opened.project) arguments.files = opened.project->scenarios;
  const bool named = std::ranges::find(arguments.files, path) != arguments.files.end();
  if (!named && (nothing_named || (!path.empty() && !opened.project))) {
    arguments.files.insert(arguments.files.begin(), path);
  }
  arguments.project.file = path;
  give_defaults(opened, nullptr, arguments.load);
  return true;
}

}  // namespace

int run_lint(const LintArguments& given) {
  auto arguments = given;
  if (!use_project(arguments)) return kExitUsage;
  const auto files = sorted(arguments);
  const auto names = scenarios::resolve_targets(files.scenarios);
  if (!names) {
    std::cerr << render(names.error());
    return kExitUsage;
  }
  Tally tally;
  for (const auto& project : files.projects) lint_project(project, tally);
  for (const auto& name : *names) {
    tally.say(file_diagnostics(name, arguments.load));
  }
  return tally.conclude();
}

}  // namespace mishap::cli
