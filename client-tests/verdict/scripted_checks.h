#pragma once

#include <string>

#include "client-tests/checks/history_builder.h"
#include "client-tests/verdict/judging.h"

// A small catalogue for tests of merging: each check finds what the recording's notes tell it to.
namespace mishap::client_tests {

// fault_activated, baseline_healthy (control), evidence_clean, no_duplicate_effects (severity 100),
// no_blind_retry_of_unsafe (90), retry_after_honored (60, timing), outcome_truthful (80),
// advice (10, advisory). A check that no note names is not applicable.
Checks scripted_checks();

// Makes `check` find `ruling` in this run; a fail cites operation 1. Or makes it throw.
void script(RecordingBuilder& run, const std::string& check, Ruling ruling,
            const std::string& headline = "");
void script_throw(RecordingBuilder& run, const std::string& check);

}  // namespace mishap::client_tests
