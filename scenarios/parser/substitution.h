#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// What the `$name`s of a file stand for.
using ParamNodes = std::vector<std::pair<std::string, Node>>;

// The defaults of `params`, replaced by what --set gave.
ParamNodes read_param_nodes(const Node& root, const LoadOptions& options, Problems& problems);

// Puts the nodes in the place of `$name` scalars everywhere but in `params` itself. A scalar that
// begins with "$$" loses one dollar sign; `$name` within a longer text is text. Bounded by the
// limits of one file; false (and reported) where they are passed.
bool substitute(Node& root, const ParamNodes& params, Problems& problems);

}  // namespace mishap::scenarios
