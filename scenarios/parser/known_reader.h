#pragma once

#include <vector>

#include "mishap/known.h"
#include "mishap/node.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// The list behind `known:`, in mishap.yaml as well as in a file of its own. An entry with an error
// is left out.
std::vector<KnownFinding> read_known(const Node& list, Problems& problems);

}  // namespace mishap::scenarios
