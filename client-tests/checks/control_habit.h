#pragma once

#include "client-tests/checks/check.h"

// What the client does anyway, when all is well.
namespace mishap::client_tests {

// Requests that only their content names cannot be told apart: after a failure the next equal call
// of the client's user is counted as an attempt of the one before. How many such calls may be
// hidden in the operation: as many as the healthy control made and are not seen here as operations
// of their own; 0 where the operation has a name or no control is there.
std::uint64_t hidden_calls(const Case& c, const Operation& operation);

// The healthy control made the same request at least as often as this run did: nothing here need be
// a retry.
bool repeats_by_habit(const Case& c, const Operation& operation);

// Whether the client ever writes outcome lines, here or in the control.
bool writes_outcomes(const Case& c);

// It wrote a line about an operation of this method and path (ids in the path aside), here or in
// the control.
bool writes_outcomes_for(const Case& c, const Operation& operation);

// It sends a second attempt of an operation anywhere: here, in the comparison run.
bool ever_retries(const Case& c);

}  // namespace mishap::client_tests
