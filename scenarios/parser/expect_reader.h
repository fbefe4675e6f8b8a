#pragma once

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// `expect`: a user's own counts into `scenario.counts`, every other key, with its place, into
// `scenario.expectations` (the room with the checks judges the names).
void read_expect(const Node& node, Scenario& scenario, Problems& problems);

}  // namespace mishap::scenarios
