#pragma once

#include <string>

#include <tl/expected.hpp>

#include "mishap/scenario.h"
#include "server/control/judge.h"

namespace mishap::cli {

// The scenario that a caller of the control API asks for, whole and without error. Files are read
// in `allow_files` only, and not at all where that is empty.
tl::expected<scenarios::Scenario, server::control::Problem> requested_scenario(
    const server::control::RunRequest& request, const std::string& allow_files);

}  // namespace mishap::cli
