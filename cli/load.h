#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/scenario.h"

namespace mishap::cli {

// All that is wrong with a scenario: the loader's part, the server's, the judge's.
Diagnostics all_diagnostics(const scenarios::Loaded& loaded);

// The same for a scenario's file or name, or for a list of known findings (mishap-known*.yaml).
Diagnostics file_diagnostics(const std::string& name, const scenarios::LoadOptions& options);

// Loads what the command line names; what is wrong goes to stderr, all of it. Nothing where there
// was an error. A scenario that one of them is compared with is added, and named in `companions`.
struct Selection {
  std::vector<scenarios::Scenario> scenarios;
  std::vector<std::string> companions;
};
// `narrow` may leave some out before that, and says itself why where it gives false.
using Narrow = std::function<bool(std::vector<scenarios::Scenario>& scenarios)>;
std::optional<Selection> load_selection(const std::vector<std::string>& targets,
                                        const scenarios::LoadOptions& options,
                                        const Narrow& narrow = {});

// The vendor of mishap.yaml as a target of `serve`, without a fault.
inline constexpr std::string_view kProjectVendor = "mishap.yaml";

// The same for `serve`, where a target may be an api as well: a vendor on a good day.
std::optional<std::vector<scenarios::Scenario>> load_targets(
    const std::vector<std::string>& targets, const scenarios::LoadOptions& options);

// The faults of --fault alone, over the api of --api or `any`: where no scenario is named.
inline constexpr std::string_view kQuickFaults = "quick-faults";
std::optional<Selection> load_quick_faults(const scenarios::LoadOptions& options);

}  // namespace mishap::cli
