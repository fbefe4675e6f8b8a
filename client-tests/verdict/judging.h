#pragma once

#include <vector>

#include <mishap/verdict.h>

#include "client-tests/checks/check.h"

namespace mishap::client_tests {

using Checks = std::vector<const CheckDescriptor*>;

// judge() with a catalogue of one's own, in the order in which findings are listed.
SuiteVerdict judge_with(const Suite& suite, const Checks& checks);
MergedRuns merge_runs_with(std::vector<Suite> suites, const Checks& checks);

// Fills `judged` and `not_observed` from the cases.
void tell_who_judged(SuiteVerdict& made, const Checks& checks);

}  // namespace mishap::client_tests
