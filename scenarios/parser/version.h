#pragma once

#include "mishap/node.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

constexpr int kLanguageVersion = 1;

// `mishap: 1` at the top. False where the rest must not be read: a newer version's words would all
// be reported as unknown.
bool check_version(const Node& root, Problems& problems);

}  // namespace mishap::scenarios
