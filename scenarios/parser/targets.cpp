#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mishap/known.h"
#include "mishap/nearest_word.h"
#include "mishap/project.h"
#include "mishap/scenario.h"
#include "scenarios/parser/api_source.h"
#include "scenarios/parser/shipped.h"
#include "scenarios/parser/source_file.h"
#include "scenarios/parser/targets.h"

namespace mishap::scenarios {
namespace {

using Names = std::vector<std::string>;

Names pack_members(std::string_view pack) {
  Names members;
  for (const Shipped& scenario : shipped_scenarios()) {
    if (std::string_view(scenario.name).substr(0, scenario.name.find('/')) == pack) {
      members.push_back(scenario.name);
    }
  }
  return members;
}

bool has_top_level_key(std::string_view text, std::string_view key) {
  const std::string begins = std::string(key) + ":";
  if (text.starts_with(begins)) return true;
  return text.find("\n" + begins) != std::string_view::npos;
}

// A folder may hold the apis of its scenarios as well, and what is known of its client; they are no
// scenarios.
tl::expected<Names, Error> folder_members(const std::string& folder) {
  Names members;
  std::error_code failed;
  std::filesystem::directory_iterator entries(folder, failed);
  for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
    const auto& path = entries->path();
    const bool is_yaml = path.extension() == ".yaml" || path.extension() == ".yml";
    const bool is_other = path.filename() == kKnownFile || is_project_file(path.string()) ||
                          is_api_file(path.string());
    if (is_yaml && !is_other) members.push_back(path.string());
  }
  if (failed) {
    return tl::unexpected(
        Error{ErrorCode::NotFound,
              fmt::format("cannot read the folder \"{}\": {}", folder, failed.message()),
              {},
              {}});
  }
  if (members.empty()) {
    return tl::unexpected(Error{ErrorCode::NotFound,
                                fmt::format("there is no scenario (*.yaml) in \"{}\"", folder),
                                {},
                                {}});
  }
  std::sort(members.begin(), members.end());
  return members;
}

Names all_words() {
  Names words = shipped_packs();
  for (std::string& word : scenario_words()) words.push_back(std::move(word));
  return words;
}

tl::expected<Names, Error> resolve_one(const std::string& name) {
  // Shipped names first: a folder that happens to be called "core" is meant only as "./core".
  if (Names members = pack_members(name); !members.empty()) return members;
  if (const Shipped* shipped = shipped_scenario(name)) return Names{shipped->name};
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) return folder_members(name);
  if (std::filesystem::exists(name, ignored)) return Names{name};
  std::string message = looks_like_file(name) ? fmt::format("there is no file \"{}\"", name)
                                              : unknown_word("scenario or pack", name, all_words());
  return tl::unexpected(
      Error{ErrorCode::NotFound, std::move(message), {}, "mishap list scenarios"});
}

}  // namespace

bool is_api_file(const std::string& path) {
  const auto source = read_source(path);
  if (!source) return false;
  const std::string_view text = (*source)->text;
  if (has_top_level_key(text, "scenario") || has_top_level_key(text, "faults")) return false;
  return has_top_level_key(text, "resources") || has_top_level_key(text, "routes") ||
         has_top_level_key(text, "any_path") || has_top_level_key(text, "from") ||
         has_top_level_key(text, "upstream");
}

tl::expected<Names, Error> resolve_targets(const Names& names) {
  Names targets;
  for (const std::string& name : names) {
    auto found = resolve_one(name);
    if (!found) return tl::unexpected(found.error());
    for (std::string& target : *found) {
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
        targets.push_back(std::move(target));
      }
    }
  }
  return targets;
}

}  // namespace mishap::scenarios
