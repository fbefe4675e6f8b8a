#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "client-tests/launch/process_watch.h"
#include "mishap/clock.h"
#include "mishap/error.h"
#include "mishap/parameters.h"
#include "mishap/recording.h"

// Starts a client that is our child, in one or several copies, follows it and ends it. Whatever way
// a run goes, nothing of the client's process tree is left when run_clients returns.
namespace mishap::client_tests {

struct LaunchSpec {
  int copy = 0;
  std::vector<std::string> command;    // program and arguments; no shell in between
  std::vector<NameValue> environment;  // added to ours, or instead of ours
  std::vector<std::string> unset;      // names that the client does not get, see proxy_variables()
  std::string working_folder;          // empty: ours
  std::string outcomes_file;           // made empty, then followed; empty: none is offered
  std::vector<Port> server_ports;      // of the run, on loopback
  std::string canary;                  // MISHAP_TOKEN, looked for in the output; empty: nothing
};

struct LaunchResult {
  ProcessFacts process;
  std::vector<Captured> output;  // stdout, stderr
  std::vector<OutcomeLine> outcomes;
  std::vector<std::string> bad_outcome_lines;
  std::vector<std::string> notes;
  std::optional<Error> not_started;  // why, where process.stop is NotStarted
};

enum class Order { GoOn, Kill, Interrupt };

// Starts all copies at once and blocks until each has ended and nothing is left of it. Calls
// `keep_going` at least every 50 ms on the calling thread; Kill and Interrupt end the whole tree of
// every copy that still runs (SIGTERM, after 500 ms SIGKILL) and the copy's Stop says so. A copy
// that ended by itself is given 100 ms for its helpers to follow; what is there after that is
// counted in left_behind and ended. Where one copy cannot be started, the others are interrupted.
//
// Instants in the results are `clock.now() - run_began`. Results stand in the order of the specs.
// May be called from several threads with one watch.
std::vector<LaunchResult> run_clients(const std::vector<LaunchSpec>& specs, ProcessWatch& watch,
                                      const server::Clock& clock, Duration run_began,
                                      const std::function<Order()>& keep_going);

// Whether the program of the command is there and can be run, without starting it; gives its path.
// NotFound "no such client: /no/such".
tl::expected<std::string, Error> find_client(const LaunchSpec& spec);

// The command with the client's own secrets masked, as it may be stored and shown.
std::vector<std::string> masked_command(const LaunchSpec& spec);

// Variables that would send the client's requests elsewhere.
std::vector<std::string> proxy_variables();

}  // namespace mishap::client_tests
