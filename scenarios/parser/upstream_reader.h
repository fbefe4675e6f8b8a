#pragma once

#include <optional>

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// `upstream: URL`, or a map with `url`, `ca` and `timeout`. What is wrong is reported; then there
// is none.
std::optional<Upstream> read_upstream(const Node& node, Problems& problems);

}  // namespace mishap::scenarios
