#pragma once

#include <string>

#include "client-tests/checks/check.h"

// When an operation was over for the client that wanted it.
namespace mishap::client_tests {

struct OperationEnd {
  enum class How {
    Told,        // its last outcome line
    Answered,    // a complete answer of success
    MovedOn,     // the lane went on to something else: it was over by then at the latest
    Ended,       // the client ended by itself
    DriveEnded,  // what drove the service had its answer: it was over by then at the latest
    FellSilent,  // nothing came of the service for a quiet window; `at` is the last that did
    StillOpen,   // it was not over at `at`, as far as can be seen
  };
  How how = How::StillOpen;
  Duration at{};
};

OperationEnd end_of(const Case& c, const Operation& operation);

// The first sign of anything else in the lane after the operation's last attempt; lookups for the
// operation itself belong to it.
std::optional<Duration> moved_on_at(const Case& c, const Operation& operation);

// The last instant at which the operation was surely under way.
Duration last_activity_of(const Operation& operation);

}  // namespace mishap::client_tests
