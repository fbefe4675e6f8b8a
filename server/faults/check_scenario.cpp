#include <algorithm>
#include <map>
#include <numeric>

#include "mishap/nearest_word.h"
#include "mishap/server.h"
#include "server/faults/composition.h"
#include "server/faults/overlap.h"
#include "server/faults/rule.h"

// What the faults of a scenario mean, and what of it can never happen.
namespace mishap::server {
namespace {

using scenarios::Api;
using scenarios::CallClass;
using scenarios::Count;
using scenarios::FaultRule;
using scenarios::Matcher;
using scenarios::Scenario;
using scenarios::Verb;

void warn(Diagnostics& diagnostics, const SourceSpan& span, std::string message) {
  diagnostics.push_back({Severity::Warning, std::move(message), span});
}

// A call that some api answers, as far as its method and path go.
struct Call {
  std::string method;
  std::string path;
  CallClass call_class = CallClass::Any;  // Any: it depends
};

std::string text_of(const Call& call) {
  return call.method + " " + call.path;
}

CallClass class_of(std::string_view method, const Api& api) {
  if (method == "GET" || method == "HEAD" || method == "OPTIONS") return CallClass::Safe;
  return method == "*" || (method == "POST" && !api.safe_posts.empty()) ? CallClass::Any
                                                                        : CallClass::Unsafe;
}

std::string_view method_of(Verb verb) {
  switch (verb) {
    case Verb::Create:
      return "POST";
    case Verb::Read:
    case Verb::List:
      return "GET";
    case Verb::Replace:
      return "PUT";
    case Verb::Patch:
      return "PATCH";
    case Verb::Delete:
      return "DELETE";
  }
  return "";
}

std::vector<Call> calls_of(const Api& api) {
  std::vector<Call> calls;
  const auto add = [&](std::string_view method, const std::string& path) {
    calls.push_back({std::string(method), path, class_of(method, api)});
  };
  for (const scenarios::Resource& resource : api.resources) {
    for (const Verb verb : resource.verbs) {
      const bool whole = verb == Verb::Create || verb == Verb::List;
      add(method_of(verb), whole ? resource.path : resource.path + "/:id");
    }
    if (resource.batch) add("POST", resource.batch->path);
  }
  for (const scenarios::Route& route : api.routes) add(route.on.method, route.on.path);
  return calls;
}

bool methods_may_meet(std::string_view wanted, std::string_view served) {
  if (wanted == "*" || served == "*" || wanted == served) return true;
  // A HEAD is answered where a GET is, OPTIONS wherever there is anything.
  return (wanted == "HEAD" && served == "GET") || wanted == "OPTIONS";
}

bool classes_may_meet(CallClass wanted, CallClass served) {
  return wanted == CallClass::Any || served == CallClass::Any || wanted == served;
}

bool may_meet(const Matcher& on, const Call& call) {
  return methods_may_meet(on.method, call.method) && paths_may_meet(on.path, call.path);
}

std::string words_of(const Matcher& on) {
  if (!on.text.empty()) return on.text;
  return on.method + " " + on.path;
}

void check_route(const Matcher& on, const Scenario& scenario, Diagnostics& diagnostics) {
  std::vector<std::string> routes;
  bool is_known = false;  // an api of another name is the loader's to report
  for (const Api& api : scenario.apis) {
    if (!on.api.empty() && api.name != on.api) continue;
    is_known = true;
    if (api.any_path || api.upstream) return;
    for (const Call& call : calls_of(api)) {
      if (!classes_may_meet(on.call_class, call.call_class)) continue;
      if (may_meet(on, call)) return;
      routes.push_back(text_of(call));
    }
  }
  const bool is_any = on.method == "*" && on.path == "*" && on.call_class == CallClass::Any;
  if (is_any || !is_known) return;
  std::string message = "no call of the api matches \"" + words_of(on) + "\"";
  if (const auto near = nearest_word(on.method + " " + on.path, routes)) {
    message += "; did you mean \"" + *near + "\"?";
  }
  diagnostics.push_back({Severity::Error, std::move(message), on.span});
}

void check_expected_calls(const Scenario& scenario, Diagnostics& diagnostics) {
  for (const scenarios::ExpectedCall& call : scenario.counts.calls) {
    check_route(call.on, scenario, diagnostics);
    if (call.after) check_route(*call.after, scenario, diagnostics);
  }
}

// Nobody should find out afterwards that a test wrote into a system of somebody else's.
void warn_of_the_outside(const Scenario& scenario, Diagnostics& diagnostics) {
  for (const Api& api : scenario.apis) {
    if (!api.upstream || api.upstream->is_this_machine()) continue;
    warn(diagnostics, api.upstream->span,
         "requests leave this machine: those for api \"" + api.name + "\" go on to " +
             api.upstream->url() + ", credentials included");
  }
}

std::uint64_t first_of(const Count& count) {
  return count.every != 0 ? count.every : count.first;
}

void check_counts(const FaultRule& rule, const Scenario& scenario, Diagnostics& diagnostics) {
  const auto& when = rule.when;
  const auto most = scenario.promise.max_attempts;
  if (when.attempt && most && first_of(*when.attempt) > static_cast<std::uint64_t>(*most)) {
    warn(diagnostics, when.attempt->span,
         "attempt " + std::to_string(first_of(*when.attempt)) +
             " never comes: the promise is at most " + std::to_string(*most) +
             (*most == 1 ? " attempt" : " attempts"));
  }
  const auto copies = static_cast<std::uint64_t>(std::max(scenario.client.copies, 1));
  if (when.copy && first_of(*when.copy) >= copies) {
    warn(diagnostics, when.copy->span,
         "copy " + std::to_string(first_of(*when.copy)) + " never comes: there " +
             (copies == 1 ? "is 1 copy" : "are " + std::to_string(copies) + " copies") +
             ", counted from 0");
  }
  if (when.rate <= 0.0 && when.rate_at_end.value_or(0) <= 0.0) {
    warn(diagnostics, when.span, "this rule can never apply: its rate is 0%");
  }
}

std::string place_of(const FaultRule& rule) {
  return rule.span.line > 0 ? " (line " + std::to_string(rule.span.line) + ")" : "";
}

std::string hidden_by(const CompiledRule& first, const CompiledRule& second) {
  const std::string who = "\"" + first.rule.name + "\"" + place_of(first.rule);
  const std::string point(scenarios::to_string(first.point));
  if (first.point == second.point) {
    return "this rule can never apply: " + who + " comes first at " + point +
           " and matches whatever this one does";
  }
  return "this rule can never apply: " + who + " leaves nothing for it to change, at " + point;
}

// At one point the first in the file wins; else the earlier point in the life of a request.
bool comes_first(const CompiledRule& a, std::size_t place_a, const CompiledRule& b,
                 std::size_t place_b) {
  return a.point == b.point ? place_a < place_b : a.point < b.point;
}

// Though its `when` holds: a model lets others pass, and a listener is well again after a time.
bool is_not_always_in_force(const CompiledRule& rule) {
  const auto listen_for = rule.fault->listen_for;
  return !rule.fault->model.empty() || (listen_for != nullptr && listen_for(rule.params));
}

// Of two rules by their places in the file: whether the first leaves the second nothing to do.
bool hides(const std::vector<CompiledRule>& rules, std::size_t first, std::size_t second) {
  const CompiledRule& one = rules[first];
  const CompiledRule& other = rules[second];
  if (first == second || is_not_always_in_force(one)) return false;
  if (!comes_first(one, first, other, second)) return false;
  if (!covers(one.rule.on, other.rule.on) || !holds_whenever(one.rule, other.rule)) return false;
  return one.point == other.point || !leaves_room_for(one, other);
}

// In the order in which they act, since one that is hidden itself hides nothing.
void check_hidden(const std::vector<CompiledRule>& rules, Diagnostics& diagnostics) {
  std::vector<std::size_t> order(rules.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rules[i].point; });
  std::map<std::size_t, std::size_t> hidden;  // by which
  for (const std::size_t second : order) {
    const auto first = std::ranges::find_if(order, [&](std::size_t candidate) {
      return !hidden.contains(candidate) && hides(rules, candidate, second);
    });
    if (first != order.end()) hidden[second] = *first;
  }
  for (const auto& [second, first] : hidden) {
    warn(diagnostics, rules[second].rule.span, hidden_by(rules[first], rules[second]));
  }
}

bool may_share_a_request(const Matcher& a, const Matcher& b) {
  const bool same_api = a.api.empty() || b.api.empty() || a.api == b.api;
  return same_api && classes_may_meet(a.call_class, b.call_class) &&
         (methods_may_meet(a.method, b.method) || methods_may_meet(b.method, a.method)) &&
         paths_may_meet(a.path, b.path);
}

// An upstream takes its own time.
bool may_go_upstream(const Matcher& on, const Scenario& scenario) {
  return std::ranges::any_of(scenario.apis, [&](const Api& api) {
    return api.upstream && (on.api.empty() || on.api == api.name);
  });
}

Company company_of(const CompiledRule& rule, const std::vector<CompiledRule>& rules,
                   const Scenario& scenario) {
  Company company{0, may_go_upstream(rule.rule.on, scenario)};
  for (int copy = 0; copy < std::max(scenario.client.copies, 1); ++copy) {
    const auto& wanted = rule.rule.when.copy;
    if (!wanted || wanted->contains(static_cast<std::uint64_t>(copy))) ++company.copies;
  }
  for (const CompiledRule& other : rules) {
    if (&other == &rule || !may_share_a_request(other.rule.on, rule.rule.on)) continue;
    company.keeps_in_flight = company.keeps_in_flight || keeps_in_flight(other);
  }
  return company;
}

void check_idle(const std::vector<CompiledRule>& rules, const Scenario& scenario,
                Diagnostics& diagnostics) {
  for (const CompiledRule& rule : rules) {
    if (rule.fault->idle == nullptr) continue;
    const auto why = rule.fault->idle(rule.params, company_of(rule, rules, scenario));
    if (why) warn(diagnostics, rule.rule.fault_span, *why);
  }
}

// A listener that turns clients away is not asked again when it is well.
void check_then(const std::vector<CompiledRule>& rules, const Scenario& scenario,
                Diagnostics& diagnostics) {
  if (!scenario.then) return;
  for (const CompiledRule& rule : rules) {
    if (rule.point != Point::Connect) continue;
    diagnostics.push_back({Severity::Error,
                           "a scenario with \"then\" has no rule at connect: such a one cannot be "
                           "taken away for the second run",
                           rule.rule.span});
  }
}

}  // namespace

Diagnostics check_scenario(const Scenario& scenario) {
  Diagnostics diagnostics;
  const std::vector<CompiledRule> rules = compile_rules(scenario, diagnostics);
  for (const FaultRule& rule : scenario.rules) {
    check_route(rule.on, scenario, diagnostics);
    check_counts(rule, scenario, diagnostics);
  }
  check_expected_calls(scenario, diagnostics);
  check_hidden(rules, diagnostics);
  check_idle(rules, scenario, diagnostics);
  check_then(rules, scenario, diagnostics);
  warn_of_the_outside(scenario, diagnostics);
  return diagnostics;
}

}  // namespace mishap::server
