#pragma once

#include <vector>

#include <mishap/verdict.h>

#include "client-tests/checks/check.h"

namespace mishap::client_tests {

using Checks = std::vector<const CheckDescriptor*>;

// judge() with a catalogue of one's own, in the order in which findings are listed.
SuiteVerdict judge_with(const Suite& suite, const Checks& checks);

}  // namespace mishap::client_tests
