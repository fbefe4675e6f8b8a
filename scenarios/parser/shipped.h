#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mishap/scenario.h"

namespace mishap::scenarios {

// The shipped scenario of this name: "core/healthy", or "healthy" where only one pack has it. Null
// where there is none. Lives as long as the program.
const Shipped* shipped_scenario(std::string_view word);

// "core/healthy" -> "shipped:core/healthy.yaml"
std::string shipped_path(std::string_view name);

std::vector<std::string> shipped_packs();

// All words that name a shipped scenario, for "did you mean".
std::vector<std::string> scenario_words();

}  // namespace mishap::scenarios
