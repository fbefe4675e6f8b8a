#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "client-tests/launch/log_files.h"
#include "client-tests/launch/process_watch.h"
#include "client-tests/launch/signal_post.h"
#include "mishap/client.h"
#include "mishap/clock.h"
#include "mishap/error.h"
#include "mishap/line_pattern.h"
#include "mishap/parameters.h"
#include "mishap/recording.h"

// Starts a client that is our child, in one or several copies, follows it and ends it. Whatever way
// a run goes, nothing of the client's process tree is left when run_clients returns.
namespace mishap::client_tests {

struct LaunchSpec {
  int copy = 0;
  int life = 1;                        // of the copy, where a scenario has it started again
  int run = 1;                         // of the client, where it is run again
  std::vector<std::string> command;    // program and arguments; no shell in between
  std::vector<NameValue> environment;  // added to ours, or instead of ours
  std::vector<std::string> unset;      // names that the client does not get, see proxy_variables()
  std::string working_folder;          // empty: ours
  std::string outcomes_file;           // made empty, then followed; empty: none is offered
  std::vector<Port> server_ports;      // of the run, on loopback
  std::string canary;                  // MISHAP_TOKEN, looked for in the output; empty: nothing
  std::vector<NameValue> sensitive;    // texts by name, looked for as well
  std::vector<LogPattern> logs;        // files whose new contents are output too
  ProcessRole role = ProcessRole::Command;
  std::optional<scenarios::LinePattern> ready_line;  // looked for in its output
};

struct LaunchResult {
  ProcessFacts process;
  std::vector<Captured> output;  // stdout, stderr, log files
  std::vector<OutcomeLine> outcomes;
  std::vector<std::string> bad_outcome_lines;
  std::vector<std::string> notes;
  std::optional<Error> not_started;  // why, where process.stop is NotStarted
};

// What a service has beside its process. Texts are whole: no templates are left in them.
struct ServiceSpec {
  std::optional<scenarios::Ready> ready;
  Duration ready_within = scenarios::kReadyWithin;
  std::optional<scenarios::Drive> drive;
  scenarios::StopOrder stop;
};

// A client and what is run around it, with the client's environment.
struct LifeSpec {
  LaunchSpec client;
  scenarios::CommandLine before;  // must end with exit code 0, or the client is not started
  scenarios::CommandLine after;   // always run
  scenarios::CommandLine again;   // the command of later runs; empty: the same
  std::string state;              // folder of what it keeps
  std::optional<ServiceSpec> service;
};

struct LifeResult {
  LaunchResult client;                // the last one started, with the output and the notes of all
  std::vector<LaunchResult> earlier;  // that the scenario had ended and started again, in order
  std::optional<DriveFacts> drive;
  std::string trouble;  // not empty: the client could not be brought to act, and why
};

// How far a run with all its copies has come. Instants are since the run began.
struct LifeProgress {
  bool acting = false;  // every command is started, every service ready (or at its end)
  Duration acting_since{};
  bool resting = false;  // nothing is left but services that nothing drives
  Duration resting_since{};
};

// Stop: services that rest have had their say. What does not rest goes on.
enum class Order { GoOn, Kill, Interrupt, Stop };

// Lives through one run with every copy: `before`, the client, where it is a service until it is
// ready, then its drive, then resting until the order to stop; `after`. All services begin to be
// driven at once, when the last is ready. Where one copy cannot be brought to act the others are
// interrupted. Otherwise like run_clients.
//
// `signals`: what the scenario itself does to the client. SIGKILL is repeated until nothing of it
// is left; after any signal its Stop is Scripted, unless the driver had to end it all the same.
// Where a restart was asked for the client is started again with the same environment but an
// outcome file of its own; what drives a service goes on meanwhile, and is not told.
std::vector<LifeResult> live_through(const std::vector<LifeSpec>& specs, ProcessWatch& watch,
                                     const server::Clock& clock, Duration run_began,
                                     const std::function<Order(const LifeProgress&)>& keep_going,
                                     SignalPost* signals = nullptr);

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

// What is run around a client, in its environment. Neither its outcome file nor its logs are the
// helper's.
LaunchSpec helper_of(const LaunchSpec& client, const scenarios::CommandLine& command);

// The client's own secrets, as they are masked in what it says.
std::vector<std::string> secrets_of_client(const LaunchSpec& spec);

// Variables that would send the client's requests elsewhere.
std::vector<std::string> proxy_variables();

}  // namespace mishap::client_tests
