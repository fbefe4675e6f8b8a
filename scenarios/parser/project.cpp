#include "mishap/project.h"

#include <algorithm>
#include <filesystem>

#include "mishap/nearest_word.h"
#include "scenarios/parser/project_reader.h"
#include "scenarios/parser/source_file.h"
#include "scenarios/parser/version.h"
#include "scenarios/parser/yaml_reader.h"

namespace mishap::scenarios {
namespace {

namespace fs = std::filesystem;

LoadedProject load_source(const Source& source, const std::string& folder) {
  Problems problems;
  LoadedProject loaded;
  const auto root = read_yaml(source, problems);
  if (root && !root->is_map()) {
    problems.error(root->span, "mishap.yaml is a map of keys, beginning with mishap: 1");
  } else if (root && root->find("scenario") != nullptr) {
    problems.error(root->find("scenario")->span,
                   "this is a scenario; the file of a project has no key \"scenario\"");
  } else if (root && check_version(*root, problems)) {
    auto project = read_project(*root, source->name, folder, problems);
    if (!problems.any_errors()) loaded.project = std::move(project);
  }
  loaded.diagnostics = problems.sorted(source->name);
  return loaded;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

LoadedProject load_project_text(const std::string& name, const std::string& text,
                                const std::string& folder) {
  return load_source(make_source(name, text), folder);
}

LoadedProject load_project(const std::string& path) {
  const auto source = read_source(path);
  if (!source) return {std::nullopt, {{Severity::Error, source.error(), {}}}};
  return load_source(*source, fs::path(path).parent_path().string());
}

std::string find_project() {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (failed) return {};
  fs::path up;
  std::string found;
  for (fs::path folder = here;; folder = folder.parent_path(), up /= "..") {
    if (found.empty() && is_there(folder / kProjectFile)) found = (up / kProjectFile).string();
    if (!found.empty() && up.empty()) return found;
    if (is_there(folder / ".git")) return found;
    if (folder == folder.parent_path()) return {};
  }
}

bool is_project_file(const std::string& path) {
  return fs::path(path).filename() == kProjectFile;
}

Diagnostics unknown_params(const Project& project, const std::vector<std::string>& known) {
  Diagnostics found;
  for (const Node& map : project.defaults.params) {
    for (const auto& member : map.members) {
      const auto& name = member.first;
      if (std::ranges::find(known, name.text) != known.end()) continue;
      found.push_back({Severity::Warning,
                       unknown_word("parameter", name.text, known) +
                           (known.empty() ? "; no scenario of this run has params" : ""),
                       name.span});
    }
  }
  return found;
}

}  // namespace mishap::scenarios
