#pragma once

#include <optional>

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// true, false, or a map; nothing where no TLS is spoken or something was wrong and reported.
std::optional<Tls> read_tls(const Node& node, Problems& problems);

}  // namespace mishap::scenarios
