#pragma once

#include "client-tests/checks/check.h"

// Whether a fault would have gone on, from the counters that its rule was written with.
namespace mishap::client_tests {

// The rule that met this attempt, or another on the same calls, would meet the operation's next
// attempt too. False where no rule met it.
bool would_fail_again(const Recording& recording, const Attempt& attempt);

}  // namespace mishap::client_tests
