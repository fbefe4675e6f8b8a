#pragma once

#include <optional>
#include <string>

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// A rule in one line: "POST /v1/bookings response_lost attempt=1 by=close", "any status code=503".
// Keys of `when` count, `at` and `name` are the rule's, all others are the fault's parameters; a
// value with blanks stands in quotes. Places point into a source named "--fault".
std::optional<FaultRule> read_quick_fault(const std::string& text, Problems& problems);

}  // namespace mishap::scenarios
