#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/parameters.h"
#include "mishap/server.h"
#include "server/control/problem.h"

// What the control API needs of those who read scenarios and judge runs. They stand to the right of
// this room, so they are put in by whoever starts it (cli).
namespace mishap::server::control {

// What a caller wants played; each text as it came.
struct RunRequest {
  std::string scenario;  // a shipped scenario, or a file where files are allowed
  std::string yaml;      // or the scenario itself; neither: the healthy api with `faults`
  std::string api;       // in place of the scenario's own; by default `any`
  std::string name;      // what reports call the run; empty: the scenario's name
  std::vector<NameValue> set;
  std::vector<NameValue> promise;
  std::vector<std::string> faults;
  std::vector<std::string> require;  // checks that must judge
  std::vector<std::string> ignore;   // checks that are switched off
  std::optional<std::uint64_t> seed;
  int copies = 0;  // 0: as the scenario says
};

struct RunFacts {
  std::string name;
  std::string token;  // what the mock accepts where it asks for a credential
  std::uint64_t seed = 0;
  std::vector<LaneAddress> addresses;
  std::vector<LaneAddress> proxies;  // of Run::proxies()
  std::string ca;                    // of Run::ca()
};

struct OutcomesTaken {
  std::size_t taken = 0;
  std::vector<std::string> refused;  // "line 3: outcome must be ...", bounded
};

struct RunEnd {
  std::optional<int> exit_code;  // of the client; implies `done`
  bool done = false;             // the client has finished: its silence means something
};

struct Judged {
  std::string verdict;   // "pass", "fail", "inconclusive"
  std::string headline;  // a few words
  std::string text;      // for an assertion's message
  std::string report;    // as report.json
};

// One run, live and then ended. All members may be called from any thread, end() only once.
class JudgedRun {
 public:
  virtual ~JudgedRun() = default;
  virtual const RunFacts& facts() const = 0;
  virtual std::uint64_t requests() const = 0;
  virtual Duration last_activity() const = 0;  // on the server's clock
  virtual OutcomesTaken take_outcomes(std::string_view lines, int copy) = 0;
  virtual std::size_t outcomes() const = 0;

  // `control`: an ended healthy run of the same client, or null.
  virtual tl::expected<Judged, Problem> end(const RunEnd& how, const JudgedRun* control) = 0;
  virtual void abandon() = 0;  // closes the ports; nothing is judged
};

class RunMaker {
 public:
  virtual ~RunMaker() = default;
  virtual tl::expected<std::unique_ptr<JudgedRun>, Problem> begin(const RunRequest& request) = 0;
};

}  // namespace mishap::server::control
