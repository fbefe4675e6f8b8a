#pragma once

#include "mishap/scenario.h"
#include "server/faults/rule.h"

namespace mishap::server {

// What a rule may say where it acts: nothing can be counted, matched or drawn that is not known yet
// at its point.
void check_place(const CompiledRule& compiled, const scenarios::Scenario& scenario,
                 Diagnostics& diagnostics);

}  // namespace mishap::server
