#pragma once

#include "server/faults/rule.h"

namespace mishap::server {

// Whether `later` can still change anything in an exchange in which `earlier`, a rule at an earlier
// point, applies. Tried out on the plan of an ordinary exchange, so no fault has to be asked by
// name.
bool leaves_room_for(const CompiledRule& earlier, const CompiledRule& later);

// Whether an exchange in which it applies goes on for a while behind its request. Tried out in the
// same way.
bool keeps_in_flight(const CompiledRule& rule);

}  // namespace mishap::server
