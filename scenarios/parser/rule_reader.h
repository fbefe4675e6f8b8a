#pragma once

#include <vector>

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// One entry of `faults`. Names of faults and of phases are kept, not judged. `fault` is empty where
// the rule has errors (which are reported).
FaultRule read_rule(const Node& node, Problems& problems);

// The whole list.
std::vector<FaultRule> read_rules(const Node& list, Problems& problems);

// Gives every rule that has no name one made from its content, each once (random draws hang on the
// name, so it must not depend on the rule's position), and reports names given twice.
void name_rules(std::vector<FaultRule>& rules, Problems& problems);

}  // namespace mishap::scenarios
