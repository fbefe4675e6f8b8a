#pragma once

#include <string>

namespace mishap::scenarios {

// Whether a file holds an api rather than a scenario, by the keys at its top.
bool is_api_file(const std::string& path);

}  // namespace mishap::scenarios
