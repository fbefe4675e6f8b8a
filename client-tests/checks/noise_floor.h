#pragma once

#include <optional>

#include "client-tests/checks/check.h"

// How far apart clients are that all wait equally long, on this machine and with so many of them.
namespace mishap::client_tests {

// q90 - q10, in seconds, of the waits of the built-in client that always waits equally long
// (Recording::calibration), the median of that over its waits in order.
//
// Where there is no such run (a client that is not our child, a run of an older version): of the
// time that the copies took from an answer to their next call, where they had nothing to wait for.
// What is different there is scheduling. Nothing where fewer than eight copies made such calls. A
// client that paces its calls seems noisier than it is, and is then not judged, never judged
// wrongly.
std::optional<double> noise_of_copies(const Case& c);

}  // namespace mishap::client_tests
