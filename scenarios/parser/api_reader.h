#pragma once

#include "mishap/scenario.h"
#include "scenarios/parser/api_source.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// The api of a whole, merged map.
Api read_api(const ApiSource& source, Problems& problems);

}  // namespace mishap::scenarios
