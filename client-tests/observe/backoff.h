#pragma once

#include <optional>

#include "client-tests/checks/check.h"
#include "mishap/observed.h"

namespace mishap::client_tests {

// How the client waits in this run by its own choice; nothing where no call of it waited. Shape and
// jitter are told from twenty calls on, or from two that wait alike.
std::optional<BackoffSeen> backoff_seen(const Case& c);

}  // namespace mishap::client_tests
