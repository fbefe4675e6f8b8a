#include "scenarios/parser/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "mishap/nearest_word.h"
#include "mishap/profiles.h"
#include "scenarios/parser/api_reader.h"
#include "scenarios/parser/client_reader.h"
#include "scenarios/parser/expect_reader.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/promise_reader.h"
#include "scenarios/parser/quick_fault.h"
#include "scenarios/parser/rule_reader.h"
#include "scenarios/parser/source_file.h"
#include "scenarios/parser/tls_reader.h"

namespace mishap::scenarios {
namespace {

// Each copy is a process and each api a listener.
constexpr std::int64_t kMostCopies = 1000;
constexpr std::size_t kMostApis = 16;

// What stands behind MISHAP_URL_.
std::string variable_suffix(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return std::isalnum(c) != 0 ? static_cast<char>(std::toupper(c)) : '_';
  });
  return name;
}

void read_texts(const MapView& map, Scenario& scenario, Problems& problems) {
  map.name("scenario", scenario.name);
  map.text("summary", scenario.summary);
  map.text("stands_for", scenario.stands_for);
  map.text("consequence", scenario.consequence);
  map.text("remedy", scenario.remedy);
  map.name("compare_with", scenario.compare_with);
  const Node* tags = map.find("tags");
  if (tags == nullptr) return;
  if (tags->is_list()) {
    for (const Node& tag : tags->items) {
      if (check_name(tag, "tag", problems)) scenario.tags.push_back(tag.text);
    }
  } else if (!tags->is_null()) {
    problems.error(tags->span, "\"tags\" is a list: [create, retry]");
  }
}

void add_api(const Node& value, const std::string& name, const std::string& folder,
             ApiFinder& finder, Scenario& scenario, Problems& problems) {
  auto found = finder.find(value, folder);
  if (!found) return;
  if (!name.empty()) found->name = name;
  scenario.apis.push_back(read_api(*found, problems));
}

void read_apis(const Node& node, const std::string& folder, ApiFinder& finder, Scenario& scenario,
               Problems& problems) {
  if (!node.is_map() || node.members.empty()) {
    problems.error(node.span, "\"apis\" is a map: {pay: booking, crm: ./crm.yaml}");
    return;
  }
  if (node.members.size() > kMostApis) {
    problems.error(node.span, fmt::format("a scenario has at most {} apis", kMostApis));
    return;
  }
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : node.members) {
    if (!check_name(name, "api", problems)) continue;
    const auto [first, is_new] = variables.try_emplace(variable_suffix(name.text), name.text);
    if (!is_new) {
      problems.error(name.span, fmt::format("\"{}\" and \"{}\" would share MISHAP_URL_{}",
                                            first->second, name.text, first->first));
    }
    add_api(value, name.text, folder, finder, scenario, problems);
  }
}

Node word_from(std::string_view source_name, const std::string& text) {
  Node node;
  node.kind = Node::Kind::Scalar;
  node.text = text;
  node.span = {make_source(std::string(source_name), text), 1, 1,
               static_cast<int>(std::max<std::size_t>(1, text.size()))};
  return node;
}

// mishap.yaml gives the vendor where the scenario names none, or is a shipped one.
void read_vendor(const MapView& map, std::string folder, const Confines& confines,
                 const LoadOptions& options, Scenario& scenario, Problems& problems) {
  const Node* api = map.find("api");
  const Node* apis = map.find("apis");
  const ProjectDefaults& project = options.project;
  if (options.api.empty() && project.has_api() &&
      (scenario.shipped || (api == nullptr && apis == nullptr))) {
    api = project.api.is_null() ? nullptr : &project.api;
    apis = project.apis.is_null() ? nullptr : &project.apis;
    folder = project.folder;
  }
  if (api != nullptr && apis != nullptr) {
    problems.error(apis->span, "a scenario has \"api\" or \"apis\", not both");
    return;
  }
  ApiFinder finder(problems, confines);
  if (!options.api.empty() && apis != nullptr) {
    problems.error(apis->span, "this scenario has several apis; --api replaces a single one");
  } else if (!options.api.empty()) {
    add_named_api(options.api, confines, "--api", scenario, problems);
  } else if (apis != nullptr) {
    read_apis(*apis, folder, finder, scenario, problems);
  } else if (api != nullptr) {
    add_api(*api, "", folder, finder, scenario, problems);
  } else {
    problems.error(map.node().span,
                   "the key \"api\" is missing here: the vendor, as in api: booking");
  }
}

Phase read_phase(const Node& node, Problems& problems) {
  Phase phase;
  const MapView map(node, phase_keys(), problems);
  map.require_keys();
  map.name("phase", phase.name);
  std::optional<Duration> length;
  map.duration("for", length);
  if (length == Duration::zero()) problems.error(map.find("for")->span, "a phase has a length");
  phase.length = length.value_or(Duration::zero());
  return phase;
}

void read_phases(const Node& node, Scenario& scenario, Problems& problems) {
  if (!node.is_list()) {
    problems.error(node.span, "a timeline is a list of phases: [{phase: well, for: 5s}]");
    return;
  }
  for (const Node& item : node.items) {
    Phase phase = read_phase(item, problems);
    const auto same = [&](const Phase& other) { return other.name == phase.name; };
    if (!phase.name.empty() &&
        std::any_of(scenario.timeline.begin(), scenario.timeline.end(), same)) {
      problems.error(item.span, fmt::format("there is a phase \"{}\" before", phase.name));
    }
    scenario.timeline.push_back(std::move(phase));
  }
}

void read_timeline(const Node& node, Scenario& scenario, Problems& problems) {
  if (node.is_null()) return;
  if (!node.is_map()) return read_phases(node, scenario, problems);
  const MapView map(node, timeline_keys(), problems);
  map.require_keys();
  if (const Node* phases = map.find("phases")) read_phases(*phases, scenario, problems);
  map.yes_no("repeat", scenario.timeline_repeats);
}

std::optional<std::int64_t> whole_number(const Node& node, std::int64_t most, std::string_view what,
                                         Problems& problems) {
  const auto value = parse_integer(node.text);
  if (!value) {
    problems.error(node.span, value.error());
    return std::nullopt;
  }
  if (*value < 1 || *value > most) {
    problems.error(node.span, fmt::format("\"{}\" is between 1 and {}", what, most));
    return std::nullopt;
  }
  return *value;
}

void read_copies(const Node& node, ClientSettings& client, Problems& problems) {
  std::optional<std::int64_t> count;
  if (node.is_map()) {
    const MapView map(node, copies_keys(), problems);
    map.require_keys();
    map.number("count", kMostCopies, count);
    std::string share;
    map.word("share", share);
    client.share_state = share == "state";
  } else if (scalar_text(node, "copies", problems) != nullptr) {
    count = whole_number(node, kMostCopies, "copies", problems);
  }
  if (count) client.copies = static_cast<int>(*count);
}

void read_client(const Node& node, Scenario& scenario, Problems& problems) {
  const std::size_t errors_before = problems.errors();
  read_client_plan(node, scenario.client, problems, CopiesKey::Allowed);
  // What could not be read is not missing.
  if (problems.errors() == errors_before) check_whole_client(scenario.client, problems);
  if (const Node* copies = node.find("copies")) read_copies(*copies, scenario.client, problems);
}

void check_api_name(const Matcher& on, const std::vector<std::string>& names, Problems& problems) {
  if (on.api.empty() || names.empty()) return;
  if (std::find(names.begin(), names.end(), on.api) != names.end()) return;
  problems.error(on.span, unknown_word("api", on.api, names));
}

}  // namespace

Scenario read_scenario(const Node& root, const Origin& origin, const Confines& confines,
                       const LoadOptions& options, Problems& problems) {
  Scenario scenario;
  scenario.shipped = origin.shipped;
  const MapView map(root, scenario_keys(), problems);
  if (!root.is_map()) return scenario;
  if (!map.has("scenario")) {
    problems.error(root.span, "the key \"scenario\" is missing here: the scenario's name");
  }
  read_texts(map, scenario, problems);
  const std::size_t errors_before = problems.errors();
  read_vendor(map, origin.folder, confines, options, scenario, problems);
  // Half a vendor would make sound names below it look unknown.
  if (problems.errors() != errors_before) scenario.apis.clear();
  if (const Node* faults = map.find("faults")) scenario.rules = read_rules(*faults, problems);
  if (const Node* timeline = map.find("timeline")) read_timeline(*timeline, scenario, problems);
  if (const Node* client = map.find("client")) read_client(*client, scenario, problems);
  if (const Node* then = map.find("then")) scenario.then = read_then(*then, problems);
  if (const Node* promise = map.find("promise"))
    scenario.promise = read_promise(*promise, problems);
  if (const Node* expect = map.find("expect")) read_expect(*expect, scenario, problems);
  return scenario;
}

void add_named_api(const std::string& path_or_name, const Confines& confines,
                   const std::string& said_by, Scenario& scenario, Problems& problems) {
  Node word = word_from(said_by, path_or_name);
  if (said_by.empty()) word.span = {};
  ApiFinder finder(problems, confines);
  add_api(word, "", confines.value_or(""), finder, scenario, problems);
}

void apply_options(const LoadOptions& options, Scenario& scenario, Problems& problems) {
  std::vector<FaultRule> quick;
  for (const std::string& text : options.faults) {
    if (auto rule = read_quick_fault(text, problems)) quick.push_back(std::move(*rule));
  }
  scenario.rules.insert(scenario.rules.begin(), std::make_move_iterator(quick.begin()),
                        std::make_move_iterator(quick.end()));
  add_intercepted(options.intercept, scenario, problems);
  check_tls_of_apis(scenario, problems);
  const Promise& project = options.project.promise;
  scenario.promise = scenario.shipped ? laid_over(std::move(scenario.promise), project)
                                      : laid_over(project, scenario.promise);
  scenario.promise =
      laid_over(std::move(scenario.promise), promise_from(options.promise, problems));
}

void check_references(const Scenario& scenario, Problems& problems) {
  std::vector<std::string> apis;
  for (const Api& api : scenario.apis) apis.push_back(api.name);
  std::vector<std::string> phases;
  for (const Phase& phase : scenario.timeline) phases.push_back(phase.name);
  for (const ExpectedCall& call : scenario.counts.calls) {
    check_api_name(call.on, apis, problems);
    if (call.after) check_api_name(*call.after, apis, problems);
  }
  for (const FaultRule& rule : scenario.rules) {
    check_api_name(rule.on, apis, problems);
    const std::string& phase = rule.when.during_phase;
    if (phase.empty() || std::find(phases.begin(), phases.end(), phase) != phases.end()) continue;
    std::string message = unknown_word("phase", phase, phases);
    if (phases.empty()) message += "; this scenario has no timeline (a span is written 10s..40s)";
    problems.error(rule.when.span, std::move(message));
  }
}

}  // namespace mishap::scenarios
