#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mishap/server.h"
#include "server/faults/fault_fixture.h"
#include "server/faults/rule.h"

// For the tests of rules: scenarios over a booking api, and all that is wrong with them.
namespace mishap::server {

inline scenarios::Api booking() {
  scenarios::Api api;
  api.name = "booking";
  scenarios::Resource bookings;
  bookings.name = "bookings";
  bookings.path = "/v1/bookings";
  bookings.verbs = {scenarios::Verb::Create, scenarios::Verb::Read, scenarios::Verb::List};
  api.resources.push_back(bookings);
  scenarios::Route ping;
  ping.on.method = "GET";
  ping.on.path = "/v1/ping";
  api.routes.push_back(ping);
  return api;
}

inline scenarios::FaultRule rule(std::string fault, Written members = {}) {
  scenarios::FaultRule made;
  made.name = fault;
  made.fault = std::move(fault);
  made.parameters = node_of(members);
  return made;
}

inline scenarios::FaultRule at(scenarios::FaultRule made, Point point) {
  made.at = point;
  return made;
}

inline scenarios::FaultRule action(Point point, std::string word, Written members = {}) {
  members.emplace_back("at", "x");
  members.emplace_back("do", word);
  scenarios::FaultRule made = at(rule(std::move(word), members), point);
  made.as_action = true;
  return made;
}

inline scenarios::FaultRule on(scenarios::FaultRule made, std::string method, std::string path) {
  made.on.method = std::move(method);
  made.on.path = std::move(path);
  made.on.text = made.on.method + " " + made.on.path;
  return made;
}

inline scenarios::Count exactly(std::uint64_t n) {
  return {n, n, 0, {}};
}

inline scenarios::FaultRule attempt(scenarios::FaultRule made, std::uint64_t n) {
  made.when.attempt = exactly(n);
  return made;
}

inline scenarios::Scenario scenario(std::vector<scenarios::FaultRule> rules) {
  scenarios::Scenario made;
  made.name = "s";
  made.apis = {booking()};
  made.rules = std::move(rules);
  return made;
}

inline std::string text_of(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& one : diagnostics) {
    out += (out.empty() ? "" : "\n");
    out += one.severity == Severity::Warning ? "warning: " : "";
    out += one.message;
  }
  return out;
}

inline std::string compile_errors(const scenarios::Scenario& made) {
  Diagnostics diagnostics;
  compile_rules(made, diagnostics);
  return text_of(diagnostics);
}

inline std::string checked(const scenarios::Scenario& made) {
  return text_of(check_scenario(made));
}

}  // namespace mishap::server
