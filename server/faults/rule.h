#pragma once

#include <optional>
#include <vector>

#include "mishap/scenario.h"
#include "server/faults/fault.h"

namespace mishap::server {

// A rule of the scenario with its meaning: the fault, its parameters, its point, and the moments in
// which it is called.
struct CompiledRule {
  scenarios::FaultRule rule;
  const FaultDescriptor* fault = nullptr;  // never null
  Params params;
  Point point = Point::BeforeEffect;
  std::vector<Moment> moments;  // of its point first
};

// Every rule that could be compiled, in the order of the file; what could not is a diagnostic.
std::vector<CompiledRule> compile_rules(const scenarios::Scenario& scenario,
                                        Diagnostics& diagnostics);

// Whether a client that meets this rule cannot know if its request took effect. False for a rule
// that is about reads only: where nothing can take effect, nothing is in doubt.
bool may_be_ambiguous(const CompiledRule& rule);

// FaultDescriptor::harmless of it.
bool is_harmless(const CompiledRule& rule);

// As which moment the rule is asked for its part in the steps of `moment`; nothing: it is not. An
// answer that a rule gave in the vendor's place is an answer to the rules behind it.
std::optional<Moment> asked_in(const CompiledRule& rule, Moment moment, const Steps& steps);

}  // namespace mishap::server
