#pragma once

#include <optional>
#include <vector>

#include "client-tests/checks/check.h"

// What is true about an operation and what the client was able to learn of it.
namespace mishap::client_tests {

// What a request made once more, though it came once, is the vendor's own doing.
bool is_vendors_own(const History& history, const server::Effect& created);

// Things it created that are still there: what somebody deleted again counts as none, nor does what
// the vendor doubled.
std::vector<const server::Effect*> standing_creations(const History& history,
                                                      const Operation& operation);
// Whether it changed anything that still stands.
bool has_effect(const History& history, const Operation& operation);

// The answer of a lookup that reached the client whole.
bool is_valid_lookup(const server::Exchange& lookup);

// When the client was first told, validly, that it is done: the last write of a complete answer of
// success, or of a lookup that found it. Absent: never.
std::optional<Duration> confirmed_at(const Operation& operation);

}  // namespace mishap::client_tests
