#pragma once

#include <string>

#include "mishap/server.h"
#include "server/control/judge.h"

namespace mishap::cli {

struct ControlRunSettings {
  server::RunOptions run;   // address, advertise, ports
  std::string allow_files;  // folder whose files may be named; empty: none
};

// Reads scenarios, plays and judges them for the control API. `server` is borrowed and must outlive
// it and its runs.
class ControlRuns final : public server::control::RunMaker {
 public:
  ControlRuns(server::Server& server, ControlRunSettings settings)
      : server_(server), settings_(std::move(settings)) {}

  tl::expected<std::unique_ptr<server::control::JudgedRun>, server::control::Problem> begin(
      const server::control::RunRequest& request) override;

 private:
  server::Server& server_;
  const ControlRunSettings settings_;
};

}  // namespace mishap::cli
