#pragma once

#include <vector>

#include "client-tests/verdict/judging.h"

// The findings of one recording, before they are merged.
namespace mishap::client_tests {

// Checks about the run itself, by which the others stand or fall.
inline constexpr std::string_view kFaultActivatedCheck = "fault_activated";
inline constexpr std::string_view kBaselineCheck = "baseline_healthy";
inline constexpr std::string_view kEvidenceCheck = "evidence_clean";

// What others wrote is cut in texts of ours, in bytes.
inline constexpr std::size_t kLongestText = 4096;

// Every check that has to do with this recording, in the catalogue's order, with levels, required
// and the rules of association applied. Never throws for what a check does.
std::vector<Finding> find_all(const Case& value, const Checks& checks);

const Finding* finding_of(const std::vector<Finding>& findings, std::string_view check);

}  // namespace mishap::client_tests
