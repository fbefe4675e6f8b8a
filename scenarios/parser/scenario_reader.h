#pragma once

#include <string>

#include "mishap/scenario.h"
#include "scenarios/parser/api_source.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// Where a scenario comes from.
struct Origin {
  std::string folder;  // its relative paths begin here
  bool shipped = false;
};

// The scenario of a file whose parameters have been put in. With errors in `problems` the result is
// not whole.
Scenario read_scenario(const Node& root, const Origin& origin, const Confines& confines,
                       const LoadOptions& options, Problems& problems);

// Adds the api that was named on the command line, a shipped name or a path; `said_by` is the
// option that named it, empty where it was an argument.
void add_named_api(const std::string& path_or_name, const Confines& confines,
                   const std::string& said_by, Scenario& scenario, Problems& problems);

// What the command line adds to any scenario: quick faults (before the file's own) and promises.
void apply_options(const LoadOptions& options, Scenario& scenario, Problems& problems);

// What can be judged only when the whole is there: names of apis and phases.
void check_references(const Scenario& scenario, Problems& problems);

}  // namespace mishap::scenarios
