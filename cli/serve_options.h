#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/run_folder.h"
#include "mishap/server.h"

namespace mishap::cli {

// What the words of `serve` mean, checked before anything starts.
struct ServeSettings {
  std::vector<std::string> targets;
  server::RunOptions run;
  bool judge = false;
  bool with_healthy = false;
  std::optional<Duration> until_quiet;
  std::optional<Duration> for_time;
  bool until_eof = false;
  std::vector<ReportTarget> reports;
  std::optional<Port> control;  // set: the control API is wanted
  std::string token;            // of the control API; empty: none is asked for
  bool token_is_new = false;    // nobody knows it yet
  std::string allow_files;      // a folder, or empty
};

// What is wrong goes to stderr.
std::optional<ServeSettings> read_serve(const ServeArguments& arguments);

}  // namespace mishap::cli
