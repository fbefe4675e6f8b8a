#pragma once

#include <vector>

#include <mishap/verdict.h>

// What is known of the fails of a client.
namespace mishap::client_tests {

// Tells each fail which entry of the list means it: one that still holds before one that is over.
// `day` is the suite's; a fail that was known until an earlier one says so.
void mark_known(std::vector<Finding>& findings, const ScenarioFacts& scenario,
                const std::vector<scenarios::KnownFinding>& known, const std::string& day);

// A fail that an entry accepts today.
bool is_accepted(const Finding& finding);

// The entries that no fail met although what they mean was run and could be judged. Doubt never
// counts as fixed; and where some scenarios were left out, an entry with a glob may mean those.
std::vector<scenarios::KnownFinding> find_stale(const std::vector<scenarios::KnownFinding>& known,
                                                const SuiteVerdict& suite, bool narrowed);

}  // namespace mishap::client_tests
