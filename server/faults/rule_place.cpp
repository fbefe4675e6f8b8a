#include "server/faults/rule_place.h"

#include <algorithm>
#include <string>

namespace mishap::server {
namespace {

using scenarios::Api;
using scenarios::CallClass;
using scenarios::Count;
using scenarios::FaultRule;
using scenarios::Scenario;

void error(Diagnostics& diagnostics, const SourceSpan& span, std::string message) {
  diagnostics.push_back({Severity::Error, std::move(message), span});
}

std::string quoted(std::string_view word) {
  return "\"" + std::string(word) + "\"";
}

bool identity_is_in_head(const FaultRule& rule, const Scenario& scenario) {
  return std::all_of(scenario.apis.begin(), scenario.apis.end(), [&](const Api& api) {
    return (!rule.on.api.empty() && api.name != rule.on.api) ||
           api.operation_from.starts_with("header ");
  });
}

struct Counter {
  std::string_view name;
  const std::optional<Count>& count;
};

// No request has come before a connection is accepted: nothing can be counted or matched by it.
void check_before_requests(const FaultRule& rule, Point point, Diagnostics& diagnostics) {
  const std::string where(scenarios::to_string(point));
  const scenarios::When& when = rule.when;
  for (const Counter& counter :
       {Counter{"op", when.op}, Counter{"attempt", when.attempt}, Counter{"request", when.request},
        Counter{"request_on_connection", when.request_on_connection}}) {
    if (!counter.count) continue;
    error(diagnostics, counter.count->span,
          quoted(counter.name) + " is not known at " + where +
              ": no request has come yet; use \"connection:\"");
  }
  const scenarios::Matcher& on = rule.on;
  if (on.method != "*" || on.path != "*" || on.call_class != CallClass::Any ||
      !on.headers.empty() || !on.query.empty() || !on.body.empty()) {
    error(diagnostics, on.span,
          "at " + where + " no request has come yet: \"on\" can only be any, or name an api");
  }
}

// The listener does it, to all who come in some time: there is no single one to draw for.
void check_at_connect(const CompiledRule& compiled, Diagnostics& diagnostics) {
  const scenarios::When& when = compiled.rule.when;
  check_before_requests(compiled.rule, Point::Connect, diagnostics);
  const auto wrong = [&](std::string message) {
    error(diagnostics, when.span, std::move(message));
  };
  if (when.rate < 1.0 || when.rate_at_end) {
    wrong("\"rate\" says nothing at connect: a listener does it to all who come");
  }
  const bool is_timed = when.during || !when.during_phase.empty();
  if (compiled.fault->listen_for == nullptr) {
    if (is_timed || when.connection) {
      wrong("fault " + quoted(compiled.fault->name) +
            " holds from the run's beginning to its end: only \"copy\" can be said");
    }
    return;
  }
  if (is_timed && when.connection) {
    wrong("at connect \"during\" and \"connection\" exclude each other");
  }
  if (is_timed && compiled.fault->listen_for(compiled.params)) {
    wrong("how long it holds is said twice: by \"during\" and by \"for\"");
  }
}

void check_at_head(const FaultRule& rule, Point point, const Scenario& scenario,
                   Diagnostics& diagnostics) {
  const std::string where(scenarios::to_string(point));
  if (!rule.on.body.empty()) {
    error(diagnostics, rule.on.span,
          "the body is not read yet at " + where + ": \"on\" cannot look into it there");
  }
  if (identity_is_in_head(rule, scenario)) return;
  for (const Counter& counter :
       {Counter{"op", rule.when.op}, Counter{"attempt", rule.when.attempt}}) {
    if (!counter.count) continue;
    error(diagnostics, counter.count->span,
          quoted(counter.name) + " is not known at " + where +
              ": the body is not read yet; use \"request:\"");
  }
}

void check_at_body(const FaultRule& rule, Diagnostics& diagnostics) {
  if (rule.on.method != "GET" && rule.on.method != "HEAD") return;
  error(diagnostics, rule.on.span,
        "a " + rule.on.method + " has no body: nothing can go wrong at request_body");
}

}  // namespace

void check_place(const CompiledRule& compiled, const Scenario& scenario, Diagnostics& diagnostics) {
  if (compiled.point == Point::Connect) return check_at_connect(compiled, diagnostics);
  if (compiled.point == Point::RequestBody) check_at_body(compiled.rule, diagnostics);
  switch (moment_of(compiled.point)) {
    case Moment::Accept:
      return check_before_requests(compiled.rule, compiled.point, diagnostics);
    case Moment::Head:
      return check_at_head(compiled.rule, compiled.point, scenario, diagnostics);
    case Moment::Request:
    case Moment::Apply:
      return;
  }
}

}  // namespace mishap::server
