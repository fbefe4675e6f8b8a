#include "mishap/run.h"

namespace mishap::client_tests {
namespace {

bool offers(const scenarios::Api& api, scenarios::Verb verb) {
  for (const auto& resource : api.resources) {
    for (const auto has : resource.verbs) {
      if (has == verb) return true;
    }
  }
  return false;
}

bool offers_keys(const scenarios::Api& api) {
  if (api.any_path) return true;
  for (const auto& resource : api.resources) {
    if (resource.idempotency.enabled) return true;
  }
  return false;
}

std::string point_of(const scenarios::FaultRule& rule) {
  return rule.at ? std::string(scenarios::to_string(*rule.at)) : std::string();
}

RuleFacts rule_facts(const scenarios::FaultRule& rule) {
  RuleFacts facts;
  facts.name = rule.name;
  facts.fault = rule.fault;
  facts.point = point_of(rule);
  facts.on = rule.on.text;
  facts.ambiguous = server::may_be_ambiguous(rule);
  facts.op = rule.when.op;
  facts.attempt = rule.when.attempt;
  facts.request = rule.when.request;
  facts.rate = rule.when.rate;
  return facts;
}

}  // namespace

ScenarioFacts facts_of(const scenarios::Scenario& scenario) {
  ScenarioFacts facts;
  facts.name = scenario.name;
  facts.pack = scenario.pack;
  facts.summary = scenario.summary;
  facts.stands_for = scenario.stands_for;
  facts.consequence = scenario.consequence;
  facts.remedy = scenario.remedy;
  facts.tags = scenario.tags;
  facts.promise = scenario.promise;
  facts.expectations = scenario.expectations;
  facts.counts = scenario.counts;
  facts.compare_with = scenario.compare_with;
  facts.copies = scenario.client.copies;
  for (const auto& rule : scenario.rules) facts.rules.push_back(rule_facts(rule));
  for (const auto& api : scenario.apis) {
    facts.apis.push_back(api.name);
    facts.offers_lookup |= api.any_path || offers(api, scenarios::Verb::List);
    facts.offers_keys |= offers_keys(api);
  }
  return facts;
}

}  // namespace mishap::client_tests
