#pragma once

#include <ctime>
#include <string>

#include <tl/expected.hpp>

#include "cli/commands.h"
#include "mishap/clock.h"
#include "mishap/error.h"

namespace mishap::cli {

inline constexpr std::string_view kRunsFolder = "mishap-runs";

std::tm utc_now(const server::Clock& clock);

// A folder of this run alone, named by its time and first target, or --out.
tl::expected<std::string, Error> make_run_folder(const TestArguments& arguments,
                                                 const std::tm& now);

}  // namespace mishap::cli
