#include "scenarios/parser/expect_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "mishap/nearest_word.h"
#include "scenarios/parser/map_view.h"

namespace mishap::scenarios {
namespace {

std::optional<Level> level_named(std::string_view text) {
  if (text == "required") return Level::Required;
  if (text == "normal") return Level::Normal;
  if (text == "advisory") return Level::Advisory;
  return std::nullopt;
}

void report_off_without_reason(const Node& node, Problems& problems) {
  problems.error(node.span, "switching a check off needs a reason: {off: \"why\"}");
}

void read_level(const Node& node, Expectation& expectation, Problems& problems) {
  const auto* text = scalar_text(node, "level", problems);
  if (text == nullptr) return;
  if (*text == "off" || is_boolean_word(node)) {
    report_off_without_reason(node, problems);
  } else if (const auto level = level_named(*text)) {
    expectation.level = *level;
  } else {
    problems.error(node.span, unknown_word("level", *text, {"required", "normal", "advisory"}));
  }
}

void read_off(const Node& off, Expectation& expectation, Problems& problems) {
  expectation.level = Level::Off;
  const auto* reason = scalar_text(off, "off", problems);
  if (reason == nullptr) return;
  if (reason->empty() || is_boolean_word(off)) {
    report_off_without_reason(off, problems);
  } else {
    expectation.reason = *reason;
  }
}

Expectation read_check(const Node& key, const Node& value, Problems& problems) {
  Expectation expectation;
  expectation.check = key.text;
  expectation.span = key.span;
  expectation.parameters.span = value.span;
  if (!value.is_map()) {
    read_level(value, expectation, problems);
    return expectation;
  }
  const Node* off = value.find("off");
  const Node* level = value.find("level");
  if (off != nullptr && value.members.size() > 1) {
    problems.error(off->span, "a check that is off has nothing but its reason");
  }
  if (off != nullptr) {
    read_off(*off, expectation, problems);
    return expectation;
  }
  if (level != nullptr) read_level(*level, expectation, problems);
  expectation.parameters = value;
  std::erase_if(expectation.parameters.members,
                [](const auto& member) { return member.first.text == "level"; });
  return expectation;
}

constexpr CountRules kPlainCount{0, false};

bool is_map_of_counts(const Node& node, std::string_view key, Problems& problems) {
  if (node.is_map()) return true;
  if (!node.is_null()) {
    problems.error(node.span, fmt::format("\"{}\" is a map of counts", key));
  }
  return false;
}

std::vector<std::string> resource_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Api& api : scenario.apis) {
    for (const Resource& resource : api.resources) names.push_back(resource.name);
  }
  return names;
}

void read_effects(const Node& node, Scenario& scenario, Problems& problems) {
  if (!is_map_of_counts(node, "effects", problems)) return;
  const auto names = resource_names(scenario);
  const bool any_path = std::any_of(scenario.apis.begin(), scenario.apis.end(),
                                    [](const Api& api) { return api.any_path; });
  for (const auto& [key, value] : node.members) {
    const auto count = count_of(value, kPlainCount, problems);
    // Where every path is a collection, a collection is named by its path.
    const bool known = std::find(names.begin(), names.end(), key.text) != names.end() ||
                       (any_path && key.text.starts_with('/'));
    if (!known && !scenario.apis.empty()) {
      problems.error(key.span, unknown_word("resource", key.text, names));
    } else if (count) {
      scenario.counts.effects[key.text] = *count;
    }
  }
}

void read_seen(const Node& node, Scenario& scenario, Problems& problems) {
  if (!is_map_of_counts(node, "seen", problems)) return;
  for (const auto& [key, value] : node.members) {
    const auto count = count_of(value, kPlainCount, problems);
    const auto status = parse_status(key.text);
    if (!status) {
      problems.error(key.span, status.error());
    } else if (count) {
      scenario.counts.seen[*status] = *count;
    }
  }
}

}  // namespace

void read_expect(const Node& node, Scenario& scenario, Problems& problems) {
  const MapView map(node, expect_keys(), problems, OtherKeys::Allowed);
  if (!node.is_map()) return;
  scenario.counts.span = node.span;
  map.word("outcome", scenario.counts.outcome);
  if (const Node* attempts = map.find("attempts")) {
    scenario.counts.attempts = count_of(*attempts, kPlainCount, problems);
  }
  if (const Node* effects = map.find("effects")) read_effects(*effects, scenario, problems);
  if (const Node* seen = map.find("seen")) read_seen(*seen, scenario, problems);
  const auto own = key_names(expect_keys());
  for (const auto& [key, value] : node.members) {
    if (std::find(own.begin(), own.end(), key.text) != own.end()) continue;
    scenario.expectations.push_back(read_check(key, value, problems));
  }
}

}  // namespace mishap::scenarios
