#pragma once

#include <vector>

#include "client-tests/verdict/findings.h"

// Many rulings, one verdict (checks.md section 1): fail > known > inconclusive > pass; what is not
// applicable or not observed stays out.
namespace mishap::client_tests {

// Of the findings of one recording. `records_lost`: the journal is not whole.
Verdict merge_findings(const std::vector<Finding>& findings, bool records_lost);

// The finding that stands for the verdict: of the fails (the known ones) the most severe, of the
// inconclusive ones the first that counts. Null for a pass. Borrowed from `findings`.
const Finding* deciding_finding(const std::vector<Finding>& findings, Verdict verdict,
                                const Checks& checks);

// Why a recording is inconclusive, where no finding says so.
std::string why_undecided(const std::vector<Finding>& findings, bool records_lost);

// Of controls and cases.
Verdict merge_suite(const SuiteVerdict& suite);

// A fail that counts: neither advisory nor known.
bool is_counted_fail(const Finding& finding);

int severity_of(const Checks& checks, std::string_view check);

}  // namespace mishap::client_tests
