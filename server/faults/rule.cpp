#include "server/faults/rule.h"

#include <algorithm>
#include <array>

#include "mishap/nearest_word.h"
#include "mishap/server.h"
#include "server/faults/overlap.h"
#include "server/faults/rule_place.h"

namespace mishap::server {
namespace {

using scenarios::Api;
using scenarios::CallClass;
using scenarios::FaultRule;
using scenarios::Matcher;
using scenarios::Scenario;

// Words of the language whose faults come with a later version.
constexpr std::array<std::string_view, 3> kLaterActions = {"replace", "corrupt", "hold"};

void error(Diagnostics& diagnostics, const SourceSpan& span, std::string message) {
  diagnostics.push_back({Severity::Error, std::move(message), span});
}

std::string join(const std::vector<std::string>& words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) out += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    out += words[i];
  }
  return out;
}

std::string quoted(std::string_view word) {
  return "\"" + std::string(word) + "\"";
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (const FaultDescriptor* fault : fault_descriptors()) names.emplace_back(fault->name);
  return names;
}

std::vector<std::string> action_names() {
  std::vector<std::string> names;
  for (const FaultDescriptor* fault : fault_descriptors()) {
    if (!fault->action.empty()) names.emplace_back(fault->action);
  }
  return names;
}

std::string unknown_action(const std::string& word) {
  if (std::find(kLaterActions.begin(), kLaterActions.end(), word) != kLaterActions.end()) {
    return "action " + quoted(word) + " is not in this version; there is " +
           join(action_names(), "and");
  }
  if (find_fault(word) != nullptr) {
    return quoted(word) + " is a named fault, not an action: write \"fault: " + word + "\"";
  }
  return unknown_word("action", word, action_names());
}

std::string unknown_fault(const std::string& word) {
  if (const FaultDescriptor* fault = find_action(word)) {
    return quoted(word) + " is an action: write \"fault: " + std::string(fault->name) +
           "\", or \"at:\" with \"do: " + word + "\"";
  }
  return unknown_word("fault", word, fault_names());
}

const FaultDescriptor* resolve(const FaultRule& rule, Diagnostics& diagnostics) {
  const FaultDescriptor* fault = rule.as_action ? find_action(rule.fault) : find_fault(rule.fault);
  if (fault == nullptr) {
    error(diagnostics, rule.fault_span,
          rule.as_action ? unknown_action(rule.fault) : unknown_fault(rule.fault));
  }
  return fault;
}

SourceSpan span_of(const FaultRule& rule, std::string_view member) {
  const Node* node = rule.parameters.find(member);
  return node != nullptr ? node->span : rule.fault_span;
}

std::string wrong_point(const FaultRule& rule, const FaultDescriptor& fault, Point point) {
  std::vector<std::string> names;
  for (const Point one : fault.points) names.emplace_back(scenarios::to_string(one));
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return *scenarios::point_named(a) < *scenarios::point_named(b);
  });
  const std::string where(scenarios::to_string(point));
  const std::string subject = (rule.as_action ? "action " : "fault ") + quoted(rule.fault);
  const std::string places = join(names, "or");
  return subject + " makes no sense at " + where + "; it can be at " + places;
}

bool resolve_point(const FaultRule& rule, CompiledRule& compiled, Diagnostics& diagnostics) {
  const FaultDescriptor& fault = *compiled.fault;
  compiled.point = rule.at.value_or(fault.points.front());
  if (std::find(fault.points.begin(), fault.points.end(), compiled.point) != fault.points.end()) {
    return true;
  }
  error(diagnostics, span_of(rule, "at"), wrong_point(rule, fault, compiled.point));
  return false;
}

void read_parameters(const FaultRule& rule, CompiledRule& compiled, Diagnostics& diagnostics) {
  // In the `do` form the rule's own map holds them, beside the rule's other keys.
  static constexpr std::array<std::string_view, 5> kRuleKeys = {"name", "on", "when", "at", "do"};
  static constexpr std::array<std::string_view, 2> kFaultKeys = {"kind", "at"};
  const std::string owner = (rule.as_action ? "action " : "fault ") + quoted(rule.fault);
  const auto ignored = rule.as_action ? std::span<const std::string_view>(kRuleKeys)
                                      : std::span<const std::string_view>(kFaultKeys);
  Diagnostics own;
  compiled.params = read_params(rule.parameters, compiled.fault->params, owner, ignored, own);
  if (!has_errors(own) && compiled.fault->validate != nullptr) {
    compiled.fault->validate(compiled.params, compiled.point, rule.fault_span, own);
  }
  diagnostics.insert(diagnostics.end(), own.begin(), own.end());
}

void check_tls(const CompiledRule& compiled, const Scenario& scenario, Diagnostics& diagnostics) {
  if (!compiled.fault->needs_tls && compiled.point != Point::Handshake) return;
  const FaultRule& rule = compiled.rule;
  std::vector<std::string> plain;
  for (const Api& api : scenario.apis) {
    if (!rule.on.api.empty() && api.name != rule.on.api) continue;
    if (api.tls || !api.intercept.empty()) return;
    plain.push_back(quoted(api.name));
  }
  if (plain.empty()) return;
  error(diagnostics, rule.fault_span,
        "there is no TLS for " + quoted(rule.fault) + " to spoil: api " + join(plain, "and") +
            (plain.size() == 1 ? " speaks" : " speak") + " plain HTTP; add \"tls: true\" to it");
}

bool takes_posts_to(const Matcher& on, const std::string& path) {
  return (on.method == "*" || on.method == "POST") && on.call_class != CallClass::Safe &&
         paths_may_meet(on.path, path);
}

void check_batch(const CompiledRule& compiled, const Scenario& scenario, Diagnostics& diagnostics) {
  if (!compiled.fault->needs_batch || scenario.apis.empty()) return;
  const FaultRule& rule = compiled.rule;
  std::vector<std::string> batches;
  for (const Api& api : scenario.apis) {
    if (!rule.on.api.empty() && api.name != rule.on.api) continue;
    for (const scenarios::Resource& resource : api.resources) {
      if (!resource.batch || api.upstream) continue;
      if (takes_posts_to(rule.on, resource.batch->path)) return;
      batches.push_back(quoted("POST " + resource.batch->path));
    }
  }
  error(diagnostics, rule.fault_span,
        "there is no batch for " + quoted(rule.fault) + " to spoil: " +
            (batches.empty() ? "add \"batch: true\" to a resource of the api"
                             : "it can be on " + join(batches, "or")));
}

// A redirect to an origin that is not there would test a refused connection.
void check_origins(const CompiledRule& compiled, const Scenario& scenario,
                   Diagnostics& diagnostics) {
  if (scenario.apis.empty()) return;
  const auto is_api = [&](const std::string& name) {
    return std::ranges::any_of(scenario.apis, [&](const Api& api) { return api.name == name; });
  };
  for (const ParamSpec& spec : compiled.fault->params) {
    if (spec.type != ParamType::Fields || !compiled.params.has(spec.name)) continue;
    for (const NameValue& field : compiled.params.fields(spec.name)) {
      for (const std::string& name : origins_named_in(field.value)) {
        if (is_api(name)) continue;
        error(diagnostics, compiled.rule.fault_span,
              quoted(field.name) + " names {url_" + name + "}, and no api has that name");
      }
    }
  }
}

std::vector<Moment> moments_of(const FaultDescriptor& fault, Point point) {
  std::vector<Moment> moments = {moment_of(point)};
  for (const Moment moment : fault.also) {
    if (moment != moments.front()) moments.push_back(moment);
  }
  return moments;
}

std::optional<CompiledRule> compile(const FaultRule& rule, const Scenario& scenario,
                                    Diagnostics& diagnostics) {
  CompiledRule compiled{.rule = rule,
                        .fault = resolve(rule, diagnostics),
                        .params = {},
                        .point = Point::BeforeEffect,
                        .moments = {}};
  if (compiled.fault == nullptr || !resolve_point(rule, compiled, diagnostics)) return std::nullopt;
  Diagnostics own;
  read_parameters(rule, compiled, own);
  check_place(compiled, scenario, own);
  check_tls(compiled, scenario, own);
  check_batch(compiled, scenario, own);
  check_origins(compiled, scenario, own);
  diagnostics.insert(diagnostics.end(), own.begin(), own.end());
  if (has_errors(own)) return std::nullopt;
  compiled.moments = moments_of(*compiled.fault, compiled.point);
  return compiled;
}

bool is_about_reads(const scenarios::Matcher& on) {
  return on.call_class == CallClass::Safe || on.method == "GET" || on.method == "HEAD" ||
         on.method == "OPTIONS";
}

// Before the end of a handshake no request was sent. At connect neither, but a connection that only
// waits to be accepted takes one all the same, and it is served later.
bool comes_before_any_request(const CompiledRule& rule) {
  if (rule.point == Point::Handshake) return true;
  return rule.point == Point::Connect &&
         !std::holds_alternative<LimitConnections>(rule.fault->listen(rule.params));
}

}  // namespace

std::vector<CompiledRule> compile_rules(const Scenario& scenario, Diagnostics& diagnostics) {
  std::vector<CompiledRule> compiled;
  for (const FaultRule& rule : scenario.rules) {
    if (auto one = compile(rule, scenario, diagnostics)) compiled.push_back(std::move(*one));
  }
  return compiled;
}

bool is_harmless(const CompiledRule& rule) {
  return rule.fault->harmless != nullptr && rule.fault->harmless(rule.params, rule.point);
}

std::optional<Moment> asked_in(const CompiledRule& rule, Moment moment, const Steps& steps) {
  if (std::ranges::find(rule.moments, moment) != rule.moments.end()) return moment;
  const bool is_behind = rule.point > Point::AfterEffect;
  if (moment != Moment::Request || !is_behind || !is_answered_early(steps)) return std::nullopt;
  return Moment::Apply;
}

bool may_be_ambiguous(const CompiledRule& rule) {
  if (is_about_reads(rule.rule.on) || comes_before_any_request(rule)) return false;
  if (rule.fault->ambiguous != nullptr) return rule.fault->ambiguous(rule.params, rule.point);
  return !is_harmless(rule);
}

bool may_be_ambiguous(const FaultRule& rule) {
  Diagnostics ignored;
  const auto compiled = compile(rule, Scenario{}, ignored);
  return compiled && may_be_ambiguous(*compiled);
}

}  // namespace mishap::server
