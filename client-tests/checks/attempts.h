#pragma once

#include <string>
#include <vector>

#include "client-tests/checks/check.h"

// How the attempts of an operation are read: which of them a policy decided on, and to which of the
// sets of checks.md (retryable, optional, permanent) an end belongs.
namespace mishap::client_tests {

// Without transport resends: those are the library's doing, not the policy's.
std::vector<const Attempt*> policy_attempts(const Operation& operation);

StatusCode status_of(const Attempt& attempt);  // 0: no complete answer
bool answered(const Attempt& attempt);         // complete, in time for a client that still listened

// Retryable set: 408, 425, 429, 500, 502, 503, 504, a broken connection, a timeout.
bool is_transient(const Attempt& attempt);
// Of those, the ones a client may also take for final: 500 and 408.
bool is_optional_transient(const Attempt& attempt);
// Permanent set, where it came as a complete answer.
bool is_permanent(const Attempt& attempt);

// A fault rule met this attempt.
bool was_faulted(const Attempt& attempt);

// Attempts of which an upstream did not say whether they took effect.
std::size_t in_doubt_upstream(const Operation& operation);

// All its attempts were reads that looked for the effect of another operation.
bool is_lookup(const Operation& operation);

// "503", "a reset", "no answer (gave up)": what the client got.
std::string ending_of(const Attempt& attempt);
// "503 -> reset -> 201"
std::string story_of(const Operation& operation);

// "#4" and "#4, #5".
Witness witness(const Operation& operation, const std::vector<const Attempt*>& attempts,
                std::string statement);
Witness witness(const Operation& operation, std::string statement);  // cites all its attempts

}  // namespace mishap::client_tests
