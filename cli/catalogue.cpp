#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/load.h"
#include "mishap/nearest_word.h"
#include "mishap/profiles.h"
#include "mishap/project.h"
#include "mishap/report.h"
#include "mishap/server.h"
#include "mishap/verdict.h"

// `list`, `explain` and `schema`: the catalogues, from the code's own tables.
namespace mishap::cli {
namespace {

struct Line {
  std::string name;
  std::string summary;
};

std::vector<Line> lines_of(const std::vector<CatalogueEntry>& entries) {
  std::vector<Line> lines;
  for (const auto& entry : entries) {
    lines.push_back({std::string(entry.name), std::string(entry.summary)});
  }
  return lines;
}

std::vector<Line> scenario_lines() {
  std::vector<Line> lines;
  for (const auto& shipped : scenarios::shipped_scenarios()) {
    const auto loaded = scenarios::load_scenario(shipped.name, {});
    lines.push_back({shipped.name, loaded.scenario ? loaded.scenario->summary : std::string()});
  }
  return lines;
}

std::vector<Line> api_lines() {
  std::vector<Line> lines;
  for (const auto& api : scenarios::shipped_apis()) {
    const auto loaded = scenarios::load_api(api.name, {});
    lines.push_back({api.name, loaded.scenario ? loaded.scenario->summary : std::string()});
  }
  return lines;
}

std::vector<Line> format_lines() {
  std::vector<Line> lines;
  for (const auto& format : reports::formats()) {
    lines.push_back({std::string(format.name), std::string(format.summary)});
  }
  return lines;
}

void print(const std::vector<Line>& lines) {
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.name.size());
  for (const auto& line : lines) {
    std::cout << fmt::format("{:<{}}  {}\n", line.name, width, line.summary);
  }
}

std::string limits_of(const ParamSpec& spec) {
  if (!spec.choices.empty()) return fmt::format(" ({})", spec.choices);
  if (!spec.range.empty()) return fmt::format(" ({})", spec.range);
  return {};
}

// "at: before_effect (default), accept" of a fault.
bool can_be_at(const CatalogueEntry& fault, std::string_view point) {
  for (const auto& [heading, text] : fault.details) {
    if (heading != "at") continue;
    for (std::size_t at = text.find(point); at != text.npos; at = text.find(point, at + 1)) {
      const auto end = at + point.size();
      const bool begins = at == 0 || text[at - 1] == ' ';
      if (begins && (end == text.size() || text[end] == ',' || text[end] == ' ')) return true;
    }
  }
  return false;
}

void explain(const CatalogueEntry& entry) {
  std::cout << fmt::format("{}   {}\n", entry.name, entry.summary);
  for (const auto& [heading, text] : entry.details) {
    if (!text.empty()) std::cout << fmt::format("  {:<10} {}\n", heading, text);
  }
  if (!entry.params.empty()) std::cout << "  parameters\n";
  for (const auto& spec : entry.params) {
    const auto standard = spec.required               ? std::string("required")
                          : spec.default_text.empty() ? std::string("-")
                                                      : "default " + std::string(spec.default_text);
    std::cout << fmt::format("    {:<20} {:<18} {}{}\n", spec.name, standard, spec.help,
                             limits_of(spec));
  }
  std::cout << fmt::format("  {:<10} {}\n", "since", entry.since);
}

bool explain_in(const std::vector<CatalogueEntry>& entries, const std::string& name) {
  const auto entry = std::ranges::find(entries, name, &CatalogueEntry::name);
  if (entry == entries.end()) return false;
  explain(*entry);
  return true;
}

bool explain_point(const std::string& name) {
  if (!explain_in(scenarios::point_catalogue(), name)) return false;
  std::string faults;
  for (const auto& fault : server::fault_catalogue()) {
    if (can_be_at(fault, name)) faults += (faults.empty() ? "" : ", ") + std::string(fault.name);
  }
  std::cout << fmt::format("  {:<10} {}\n", "faults", faults);
  return true;
}

bool explain_pack(const std::string& name) {
  std::vector<Line> lines;
  for (auto& line : scenario_lines()) {
    if (line.name.starts_with(name + "/")) lines.push_back(std::move(line));
  }
  if (lines.empty()) return false;
  std::cout << fmt::format("{}   a pack of {} scenarios: mishap test {} -- CLIENT\n", name,
                           lines.size(), name);
  print(lines);
  return true;
}

bool explain_scenario(const std::string& name) {
  for (const auto& shipped : scenarios::shipped_scenarios()) {
    if (shipped.name != name && !shipped.name.ends_with("/" + name)) continue;
    std::cout << shipped.text;
    return true;
  }
  for (const auto& shipped : scenarios::shipped_apis()) {
    if (shipped.name != name) continue;
    std::cout << shipped.text;
    return true;
  }
  return false;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& lines :
       {lines_of(client_tests::check_catalogue()), lines_of(server::fault_catalogue()),
        lines_of(scenarios::point_catalogue()), scenario_lines(), api_lines(),
        lines_of(scenarios::profile_catalogue())}) {
    for (const auto& line : lines) {
      names.push_back(line.name);
      if (const auto slash = line.name.find('/'); slash != std::string::npos) {
        names.push_back(line.name.substr(slash + 1));
      }
    }
  }
  return names;
}

}  // namespace

int run_list(const std::string& what) {
  if (what == "faults")
    print(lines_of(server::fault_catalogue()));
  else if (what == "checks")
    print(lines_of(client_tests::check_catalogue()));
  else if (what == "scenarios")
    print(scenario_lines());
  else if (what == "apis")
    print(api_lines());
  else if (what == "profiles")
    print(lines_of(scenarios::profile_catalogue()));
  else if (what == "points")
    print(lines_of(scenarios::point_catalogue()));
  else if (what == "formats")
    print(format_lines());
  else {
    std::cerr << unknown_word(
                     "catalogue", what,
                     {"faults", "points", "checks", "scenarios", "apis", "profiles", "formats"})
              << "\n";
    return kExitUsage;
  }
  return kExitPass;
}

int run_explain(const std::string& name) {
  if (explain_in(client_tests::check_catalogue(), name) ||
      explain_in(server::fault_catalogue(), name) ||
      explain_in(scenarios::profile_catalogue(), name) || explain_point(name) ||
      explain_pack(name) || explain_scenario(name)) {
    return kExitPass;
  }
  std::cerr << unknown_word("name", name, all_names()) << "\n";
  return kExitUsage;
}

int run_schema(const std::string& what) {
  if (what == "scenario") {
    std::cout << scenarios::json_schema(server::fault_catalogue(), client_tests::check_catalogue());
  } else if (what == "project") {
    std::cout << scenarios::project_json_schema();
  } else if (what == "report") {
    std::cout << reports::json_report_schema();
  } else {
    std::cerr << unknown_word("schema", what, {"scenario", "project", "report"}) << "\n";
    return kExitUsage;
  }
  return kExitPass;
}

}  // namespace mishap::cli
