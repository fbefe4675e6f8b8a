#pragma once

#include <vector>

#include <mishap/history.h>

namespace mishap::client_tests {

// The operations of a recording by number, each with its attempts, lookups and effects as the
// journal has them, nothing judged. Items of batches go to `history.items`, what belongs to no
// operation to `history.unmatched`.
std::vector<Operation> gather_operations(const Recording& recording, History& history);

}  // namespace mishap::client_tests
