#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/recording.h"
#include "mishap/scenario.h"
#include "mishap/server.h"

// Begins and ends one run of a scenario -> Recording, whoever the client is: a child of the driver,
// a program that somebody else starts, a test that talks to the control API.
namespace mishap::client_tests {

struct RunSettings {
  server::RunOptions server;         // an empty token is replaced by a new one
  std::string version;               // of mishap
  std::vector<std::string> command;  // the client's, as it may be stored; empty: not ours to start
  bool child = true;                 // the client will be our child, so process facts come
};

// A run that is under way. Destroying it ends it. All members may be called from any thread, but
// end() only once and after the last of the others.
class RecordedRun {
 public:
  RecordedRun(std::unique_ptr<server::Run> run, const server::Clock& clock, std::string token,
              Recording begun);

  server::Run& live() const { return *run_; }
  const std::string& token() const { return token_; }
  Duration now() const;  // run time

  // Waits for effects that are still to come (bounded), closes the ports and gives what was
  // recorded: journal, length and notes. Outcomes and process facts are the caller's to add.
  Recording end();

 private:
  std::unique_ptr<server::Run> run_;
  const server::Clock* clock_;
  std::string token_;
  Recording recording_;
};

// Opens the ports of one run. `server` is borrowed and must outlive it.
tl::expected<RecordedRun, Error> begin_recorded_run(const scenarios::Scenario& scenario,
                                                    server::Server& server,
                                                    const RunSettings& settings);

}  // namespace mishap::client_tests
