#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "client-tests/checks/check.h"

// How long the client waits by its own habit, from the run that the scenario is compared with.
namespace mishap::client_tests {

// The longest wait before retry `index` (from 1) of an operation with this method, in a run whose
// answers asked for none. Nothing: no such run, or no such retry in it.
std::optional<Duration> own_delay(const Case& c, const std::string& method, std::size_t index);

// All of them, of one run: by method and index.
using OwnDelays = std::map<std::pair<std::string, std::size_t>, Duration>;
OwnDelays own_delays(const History& history);

}  // namespace mishap::client_tests
