#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "client-tests/launch/launcher.h"
#include "mishap/recording.h"
#include "mishap/run.h"
#include "mishap/scenario.h"
#include "mishap/server.h"

namespace mishap::client_tests {

// When the driver stops waiting for a client. A promise is about one operation, so a run may be as
// long as its operations are many; it is cut short only where a bound is known to be broken.
struct Patience {
  std::optional<Duration> kill_after;     // set: this and nothing else
  Duration owed{};                        // an attempt that waited longer broke its bound
  Duration operation{};                   // so did an operation, or a silence, that was longer
  Duration whole{};                       // and no run takes longer than this
  Duration slow_start{};                  // a worker's silence before its first request, at most
  std::optional<Duration> first_request;  // control: the first request must have come by then
  std::optional<Duration> quiet;          // control: ended when nothing happened for so long
};

// `control`: what the client does on a good day.
Patience patience_for(const scenarios::Scenario& scenario, const Recording& control,
                      const TestOptions& options);
Patience control_patience(const scenarios::Scenario& scenario, const TestOptions& options);

// Plays one scenario once: begins the run, starts all copies, waits for them, ends the run.
tl::expected<Recording, Error> play(const scenarios::Scenario& scenario, server::Server& server,
                                    ProcessWatch& watch, const Patience& patience,
                                    const TestOptions& options, const std::string& name);

}  // namespace mishap::client_tests
