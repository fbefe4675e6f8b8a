#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "mishap/project.h"

namespace mishap::cli {

// The mishap.yaml in force: the one that was named, else the one that is found. What is wrong goes
// to stderr, and `fine` is false then.
struct OpenedProject {
  std::optional<scenarios::Project> project;
  bool fine = true;
};
OpenedProject open_project(const ProjectOptions& options);

// Gives every scenario what mishap.yaml says of its vendor and of `client`'s promise.
void give_defaults(const OpenedProject& opened, const scenarios::ProjectClient* client,
                   scenarios::LoadOptions& load);

// Fills in what the command line of `test` leaves open; false where something is wrong (said on
// stderr).
bool apply_project(const OpenedProject& opened, TestArguments& arguments);

// Params of mishap.yaml that nothing knows, neither this run nor what is shipped; false and said on
// stderr.
bool params_are_known(const OpenedProject& opened,
                      const std::vector<scenarios::Scenario>& scenarios);

// "project   ../mishap.yaml: client sync, api booking, promise b2b: ..."; empty: none is in force.
std::string project_line(const OpenedProject& opened, const TestArguments& arguments);

}  // namespace mishap::cli
