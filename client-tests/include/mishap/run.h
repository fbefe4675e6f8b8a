#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/recording.h"
#include "mishap/scenario.h"
#include "mishap/server.h"

// Runs a client under scenarios and records what happened. Nothing is judged here: the one question
// that decides whether to go on (is the healthy control healthy?) is asked of a function.
namespace mishap::client_tests {

// The waits of the built-in client of a calibration, which this process is started as.
inline constexpr Duration kCalibrationWait = std::chrono::milliseconds(250);
inline constexpr std::size_t kCalibrationWaits = 3;

struct TestOptions {
  scenarios::Client client;   // how it is run, where a scenario does not say otherwise
  std::string client_folder;  // where it runs; empty: here
  std::uint64_t seed = 0;
  int jobs = 8;
  std::optional<Duration> kill_after;                 // --kill-after, over every scenario's own
  Duration first_request = std::chrono::seconds(15);  // patience for the control's first request
  std::vector<std::string> calibrator;  // command of the built-in client; empty: no calibration
  std::string folder;                   // for state and scratch folders; exists
  std::string version;

  // Whether a control can be built upon; asked once per control, on the driver's thread.
  std::function<bool(const Recording& control)> healthy;

  // Why a recording settles nothing though another run may; empty: it does, or never will. Asked on
  // the driver's thread when all scenarios have ended. Such a scenario is run again, alone, up to
  // `reruns` times. `control` and `comparison` may be null.
  std::function<std::string(const Recording& recording, const Recording* control,
                            const Recording* comparison)>
      undecided;
  int reruns = 2;

  // From worker threads, one call at a time. A scenario that is run again begins and ends again.
  std::function<void(const Recording&)> on_control;
  std::function<void(const std::string& scenario)> on_begin;
  std::function<void(const Recording&)> on_end;

  // Set from anywhere (a signal): every client is ended and what was recorded is returned.
  const std::atomic<bool>* interrupted = nullptr;
};

// Fails only where nothing could be recorded: no such client, a port or a folder not to be had.
// Scenarios whose `on` the control never called are not run (Recording::not_run says so).
tl::expected<Suite, Error> run_suite(const std::vector<scenarios::Scenario>& scenarios,
                                     server::Server& server, const TestOptions& options);

// What a check must know of a scenario, apart from what happened.
ScenarioFacts facts_of(const scenarios::Scenario& scenario);

}  // namespace mishap::client_tests
