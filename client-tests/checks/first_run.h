#pragma once

#include <optional>

#include "client-tests/checks/check.h"

namespace mishap::client_tests {

// When the client was run again, after its first run had ended; nothing: it was not.
std::optional<Duration> second_run_began(const Recording& recording);

// What was recorded until then, as if there had been no other run: most rules are about one run and
// its faults. Its output stays whole, since a secret is one whenever it is printed. Nothing where
// there was no other.
std::optional<Recording> first_run(const Recording& recording);

// For a rule that all runs count for: the same with everything that was recorded.
Case of_all_runs(const Case& c);

// Why there is nothing to judge in a second run; nothing where it came and ended by itself.
std::optional<Finding> no_second_run(const Case& c);

}  // namespace mishap::client_tests
