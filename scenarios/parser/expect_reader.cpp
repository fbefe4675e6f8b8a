#include "scenarios/parser/expect_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "mishap/nearest_word.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/matcher_reader.h"

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

// Where there are several apis, "pay bookings" means those of one.
std::vector<std::string> resource_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Api& api : scenario.apis) {
    for (const Resource& resource : api.resources) {
      names.push_back(resource.name);
      if (scenario.apis.size() > 1) names.push_back(api.name + " " + resource.name);
    }
  }
  return names;
}

// Where every path is a collection, a collection is named by its path.
bool is_path_of_any(const Scenario& scenario, std::string_view name) {
  const std::size_t blank = name.find(' ');
  const std::string_view path = blank == name.npos ? name : name.substr(blank + 1);
  return path.starts_with('/') &&
         std::any_of(scenario.apis.begin(), scenario.apis.end(), [&](const Api& api) {
           return api.any_path && (blank == name.npos || api.name == name.substr(0, blank));
         });
}

void read_effects(const Node& node, Scenario& scenario, Problems& problems) {
  if (!is_map_of_counts(node, "effects", problems)) return;
  const auto names = resource_names(scenario);
  for (const auto& [key, value] : node.members) {
    const auto count = count_of(value, kPlainCount, problems);
    const bool known = std::find(names.begin(), names.end(), key.text) != names.end() ||
                       is_path_of_any(scenario, key.text);
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

// Of what was recorded: bodies are not.
Matcher read_recorded_matcher(const Node& node, Problems& problems) {
  Matcher matcher = read_matcher(node, problems);
  if (!matcher.body.empty()) {
    problems.error(
        node.span,
        "bodies are not recorded, so a call that is expected cannot be told by \"body\"");
  }
  return matcher;
}

ExpectedCall read_call(const Node& node, Problems& problems) {
  ExpectedCall call;
  call.span = node.span;
  call.on = any_request(node.span);
  const MapView map(node, expected_call_keys(), problems);
  map.require_keys();
  if (const Node* on = map.find("on")) call.on = read_recorded_matcher(*on, problems);
  if (const Node* after = map.find("after")) call.after = read_recorded_matcher(*after, problems);
  if (const Node* count = map.find("count")) {
    call.count = count_of(*count, kPlainCount, problems).value_or(call.count);
  }
  return call;
}

void read_calls(const Node& node, Scenario& scenario, Problems& problems) {
  if (!node.is_list() && !node.is_null()) {
    problems.error(node.span, "\"calls\" is a list: [{on: POST /v1/confirm, count: 1}]");
    return;
  }
  for (const Node& item : node.items) scenario.counts.calls.push_back(read_call(item, problems));
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
  if (const Node* calls = map.find("calls")) read_calls(*calls, scenario, problems);
  const auto own = key_names(expect_keys());
  for (const auto& [key, value] : node.members) {
    if (std::find(own.begin(), own.end(), key.text) != own.end()) continue;
    scenario.expectations.push_back(read_check(key, value, problems));
  }
}

}  // namespace mishap::scenarios
