#pragma once

#include <string>
#include <vector>

#include "mishap/recording.h"
#include "mishap/scenario.h"

namespace mishap::client_tests {

// The scenario of a healthy run against the same vendor: no rules, one copy.
scenarios::Scenario control_of(const scenarios::Scenario& scenario, const std::string& name);

// Whether two scenarios talk to the same vendor, so that one control serves both.
bool same_vendor(const scenarios::Scenario& a, const scenarios::Scenario& b);

// Why nothing can be judged after this control, as lines for people; empty where it can go on.
std::vector<std::string> why_nothing_came(const Recording& control, Duration patience);

// The same where the api is an upstream that failed.
std::vector<std::string> why_upstream_failed(const Recording& control);

// In what two controls that ran side by side differ from the first; empty: they do not.
std::string difference(const Recording& alone, const Recording& beside);

// Marks the rules whose call the control made; tells whether it made any of them (a scenario
// without rules always counts as called).
bool mark_called(const scenarios::Scenario& scenario, const Recording& control,
                 std::vector<RuleFacts>& rules);

}  // namespace mishap::client_tests
