#pragma once

#include <string>
#include <vector>

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// What stands behind `promise`: the name of a profile, or a map; single values of the map win over
// its `profile`.
Promise read_promise(const Node& node, Problems& problems);

// The same from --promise NAME=VALUE, whatever their order.
Promise promise_from(const std::vector<NameValue>& given, Problems& problems);

}  // namespace mishap::scenarios
