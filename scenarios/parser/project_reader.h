#pragma once

#include <string>

#include "mishap/project.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// The project of a whole file. With errors in `problems` the result is not whole.
Project read_project(const Node& root, const std::string& path, const std::string& folder,
                     Problems& problems);

}  // namespace mishap::scenarios
