#pragma once

#include <vector>

#include <mishap/history.h>
#include <mishap/verdict.h>

// The picture of a finding: the life of the operations it cites, in order of time.
namespace mishap::client_tests {

// Requests with what was done to them, our ends, the client's departures, late effects, and what
// the client said. Long ones lose their middle, and say so.
std::vector<TimelineLine> timeline_of(const Finding& finding, const Recording& recording,
                                      const History& history);

}  // namespace mishap::client_tests
