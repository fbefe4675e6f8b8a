#pragma once

#include <string>
#include <vector>

namespace mishap::client_tests {

// The newest whole run in `folder` (they are named by their time) that was asked for `targets`;
// empty: there is none.
std::string last_run(const std::string& folder, const std::vector<std::string>& targets);

}  // namespace mishap::client_tests
