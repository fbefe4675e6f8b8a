#pragma once

#include <string>
#include <vector>

#include "client-tests/launch/launcher.h"

// The client is run again when it has ended and left something undone, as an operator does who
// finds the job red in the morning: with the same state folder, and the vendor is well by then.
namespace mishap::client_tests {

// Why that is not to be; empty: there is something to do. A client that is done need not be run
// again, and one that had to be killed would prove nothing.
std::string why_not_again(const std::vector<LifeResult>& ended);

// The copies for the run after those that have ended. They go on counting lives, and have an
// outcome file of their own; `before` was run.
std::vector<LifeSpec> next_run(std::vector<LifeSpec> first, const std::vector<LifeResult>& ended,
                               int run);

}  // namespace mishap::client_tests
