#include "mishap/run.h"

#include <algorithm>

namespace mishap::client_tests {
namespace {

bool has(const scenarios::Resource& resource, scenarios::Verb verb) {
  return std::ranges::find(resource.verbs, verb) != resource.verbs.end();
}

// What is created can be found again without knowing its id.
bool offers_lookup(const scenarios::Api& api) {
  return api.any_path || std::ranges::any_of(api.resources, [](const auto& resource) {
           return has(resource, scenarios::Verb::Create) && has(resource, scenarios::Verb::List);
         });
}

// A create can be sent again under its key.
bool offers_keys(const scenarios::Api& api) {
  // What an upstream does with keys is known only where its resources are described.
  const bool takes_all = api.any_path && !api.upstream;
  return takes_all || std::ranges::any_of(api.resources, [](const auto& resource) {
           return has(resource, scenarios::Verb::Create) && resource.idempotency.enabled;
         });
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
  facts.rate = std::max(rule.when.rate, rule.when.rate_at_end.value_or(0));
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
  facts.runs_after = scenario.then ? scenario.then->times : 0;
  for (const auto& rule : scenario.rules) facts.rules.push_back(rule_facts(rule));
  for (const auto& api : scenario.apis) {
    facts.apis.push_back(api.name);
    facts.offers_lookup |= offers_lookup(api);
    facts.offers_keys |= offers_keys(api);
  }
  return facts;
}

}  // namespace mishap::client_tests
