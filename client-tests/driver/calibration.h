#pragma once

#include <optional>
#include <string>

#include "client-tests/launch/process_watch.h"
#include "mishap/run.h"
#include "mishap/server.h"

namespace mishap::client_tests {

// From so many copies on something is said of how far apart they are.
inline constexpr int kCalibratedCopies = 8;

// Runs the built-in client that waits equally long, in as many copies as a scenario has, and tells
// how long they were seen to wait. Nothing where there is no such client, or where not all of its
// copies made all their calls. `name` is that of its scratch folder.
std::optional<Calibration> calibrate(int copies, server::Server& server, ProcessWatch& watch,
                                     const TestOptions& options, const std::string& name);

}  // namespace mishap::client_tests
