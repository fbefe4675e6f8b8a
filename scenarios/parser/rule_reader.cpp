#include "scenarios/parser/rule_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "mishap/nearest_word.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/matcher_reader.h"

namespace mishap::scenarios {
namespace {

std::optional<Point> read_point(const Node& node, Problems& problems) {
  const auto* text = scalar_text(node, "at", problems);
  if (text == nullptr) return std::nullopt;
  const auto point = point_named(*text);
  if (!point) problems.error(node.span, unknown_word("point", *text, point_names()));
  return point;
}

void read_during(const Node& node, When& when, Problems& problems) {
  const auto* text = scalar_text(node, "during", problems);
  if (text == nullptr) return;
  const std::size_t dots = text->find("..");
  if (dots == std::string::npos) {
    when.during_phase = *text;
    return;
  }
  const auto first = parse_duration(std::string_view(*text).substr(0, dots));
  const auto last = parse_duration(std::string_view(*text).substr(dots + 2));
  if (!first || !last) {
    problems.error(node.span, first ? last.error() : first.error());
  } else if (*last <= *first) {
    problems.error(node.span, fmt::format("the span {} is empty: it runs backwards", *text));
  } else {
    when.during = {*first, *last};
  }
}

// 30%, or 0%..80%
void read_rate(const Node& node, When& when, Problems& problems) {
  const auto* text = scalar_text(node, "rate", problems);
  if (text == nullptr) return;
  const std::size_t dots = text->find("..");
  const auto first = parse_percent(std::string_view(*text).substr(0, dots));
  if (!first) return problems.error(node.span, first.error());
  when.rate = *first;
  if (dots == std::string::npos) return;
  const auto last = parse_percent(std::string_view(*text).substr(dots + 2));
  if (!last) return problems.error(node.span, last.error());
  when.rate_at_end = *last;
  if (when.during || !when.during_phase.empty()) return;
  problems.error(node.span, "a rate that changes needs \"during\": the span over which it does");
}

void read_count(const MapView& map, std::string_view key, CountRules rules,
                std::optional<Count>& out, Problems& problems) {
  if (const Node* node = map.find(key)) out = count_of(*node, rules, problems);
}

When read_when(const Node& node, Problems& problems) {
  When when;
  when.span = node.span;
  const MapView map(node, when_keys(), problems);
  read_count(map, "op", {}, when.op, problems);
  read_count(map, "attempt", {}, when.attempt, problems);
  read_count(map, "request", {}, when.request, problems);
  read_count(map, "connection", {}, when.connection, problems);
  read_count(map, "request_on_connection", {}, when.request_on_connection, problems);
  read_count(map, "copy", {0, true}, when.copy, problems);
  if (const Node* during = map.find("during")) read_during(*during, when, problems);
  if (const Node* rate = map.find("rate")) read_rate(*rate, when, problems);
  return when;
}

// {kind: latency, for: 2s, at: response_body}
void read_fault_map(const Node& node, FaultRule& rule, Problems& problems) {
  const Node* kind = node.find("kind");
  if (kind == nullptr) {
    problems.error(node.span, "the key \"kind\" is missing here: the name of the fault");
  } else if (const auto* name = scalar_text(*kind, "kind", problems)) {
    rule.fault = *name;
    rule.fault_span = kind->span;
  }
  if (const Node* at = node.find("at")) {
    if (rule.at) {
      problems.error(at->span, "\"at\" is given twice: beside the fault and within it");
    } else {
      rule.at = read_point(*at, problems);
    }
  }
  rule.parameters = node;
}

void read_fault(const Node& node, FaultRule& rule, Problems& problems) {
  if (node.is_map()) {
    read_fault_map(node, rule, problems);
  } else if (const auto* name = scalar_text(node, "fault", problems)) {
    rule.fault = *name;
    rule.fault_span = node.span;
    rule.parameters.span = node.span;
  }
}

void read_action(const Node& node, const MapView& map, FaultRule& rule, Problems& problems) {
  const Node& action = *map.find("do");
  if (map.has("fault")) {
    problems.error(action.span, "a rule has \"fault\" or \"do\", not both");
  }
  if (!map.has("at")) problems.error(node.span, "\"do\" needs \"at\": the point where it is done");
  if (const auto* name = scalar_text(action, "do", problems)) {
    rule.fault = *name;
    rule.fault_span = action.span;
    rule.as_action = true;
    rule.parameters = node;
  }
}

// In the `fault` form the parameters stand with the fault; beside it they are a usual mistake.
void report_other_keys(const Node& node, Problems& problems) {
  const auto names = key_names(rule_keys());
  Node strange = node;
  std::erase_if(strange.members, [&](const auto& member) {
    return std::find(names.begin(), names.end(), member.first.text) != names.end();
  });
  for (const auto& [key, value] : strange.members) {
    if (is_boolean_word(key) || key.text == "<<" || nearest_word(key.text, names)) {
      Node one = node;
      one.members = {{key, value}};
      const MapView reports_it(one, rule_keys(), problems);
    } else {
      problems.error(
          key.span,
          fmt::format("unknown key \"{0}\"; a parameter of the fault stands with it: fault: "
                      "{{kind: ..., {0}: ...}}",
                      key.text.substr(0, 60)));
    }
  }
}

void refuse_boolean_key(const Node& node, Problems& problems) {
  for (const auto& member : node.members) {
    if (!is_boolean_word(member.first)) continue;
    Node one = node;
    one.members = {member};
    const MapView reports_it(one, rule_keys(), problems);
  }
}

std::string count_text(const Count& count) {
  if (count.every != 0) return fmt::format("every {}", count.every);
  if (count.last == count.first) return fmt::format("{}", count.first);
  if (count.last == std::numeric_limits<std::uint64_t>::max()) {
    return fmt::format("{}..", count.first);
  }
  return fmt::format("{}..{}", count.first, count.last);
}

void append_count(std::string& out, std::string_view what, const std::optional<Count>& count) {
  if (count) out += fmt::format(", {} {}", what, count_text(*count));
}

std::string content_name(const FaultRule& rule) {
  std::string out = rule.fault;
  if (rule.at) out += fmt::format(" at {}", to_string(*rule.at));
  out += fmt::format(" on {}", rule.on.text);
  append_count(out, "op", rule.when.op);
  append_count(out, "attempt", rule.when.attempt);
  append_count(out, "request", rule.when.request);
  append_count(out, "connection", rule.when.connection);
  append_count(out, "request on connection", rule.when.request_on_connection);
  append_count(out, "copy", rule.when.copy);
  if (!rule.when.during_phase.empty()) out += fmt::format(", during {}", rule.when.during_phase);
  if (rule.when.during) {
    out += fmt::format(", during {}..{}", format_duration(rule.when.during->first),
                       format_duration(rule.when.during->second));
  }
  return out;
}

}  // namespace

namespace {

constexpr std::string_view kNeedsAFault = "a rule needs \"fault\", or \"at\" and \"do\"";

FaultRule read_parts(const Node& node, Problems& problems) {
  FaultRule rule;
  rule.span = node.span;
  rule.fault_span = node.span;
  rule.on = any_request(node.span);
  // Unknown keys are reported below: in the `do` form they are the action's parameters.
  const MapView map(node, rule_keys(), problems, OtherKeys::Allowed);
  // A dash with nothing behind it, or a comment, is an empty map to the view.
  if (node.is_null()) problems.error(node.span, std::string(kNeedsAFault));
  if (!node.is_map()) return rule;
  map.text("name", rule.name);
  if (const Node* on = map.find("on")) rule.on = read_matcher(*on, problems);
  if (const Node* when = map.find("when")) rule.when = read_when(*when, problems);
  if (const Node* at = map.find("at")) rule.at = read_point(*at, problems);
  if (map.has("do")) {
    read_action(node, map, rule, problems);
    refuse_boolean_key(node, problems);
    return rule;
  }
  report_other_keys(node, problems);
  if (const Node* fault = map.find("fault")) {
    read_fault(*fault, rule, problems);
  } else {
    problems.error(node.span, std::string(kNeedsAFault));
  }
  return rule;
}

}  // namespace

FaultRule read_rule(const Node& node, Problems& problems) {
  const std::size_t errors_before = problems.errors();
  FaultRule rule = read_parts(node, problems);
  if (problems.errors() == errors_before && rule.fault.empty()) {
    problems.error(rule.fault_span,
                   "the name of a fault is not empty; `mishap list faults` has them");
  }
  if (problems.errors() != errors_before) rule.fault.clear();
  return rule;
}

std::vector<FaultRule> read_rules(const Node& list, Problems& problems) {
  std::vector<FaultRule> rules;
  if (list.is_null()) return rules;
  if (!list.is_list()) {
    problems.error(list.span, "\"faults\" is a list: each rule begins with a dash");
    return rules;
  }
  for (const Node& item : list.items) rules.push_back(read_rule(item, problems));
  return rules;
}

void name_rules(std::vector<FaultRule>& rules, Problems& problems) {
  std::set<std::string> taken;
  for (const FaultRule& rule : rules) {
    if (rule.name.empty()) continue;
    if (!taken.insert(rule.name).second) {
      problems.error(rule.span, fmt::format("another rule is named \"{}\" too", rule.name));
    }
  }
  std::map<std::string, int> used;
  for (FaultRule& rule : rules) {
    if (!rule.name.empty()) continue;
    const std::string base = content_name(rule);
    // Rules with equal content that differ in parameters only.
    for (int n = ++used[base]; rule.name.empty() || !taken.insert(rule.name).second; ++n) {
      rule.name = n == 1 ? base : fmt::format("{} #{}", base, n);
    }
  }
}

}  // namespace mishap::scenarios
