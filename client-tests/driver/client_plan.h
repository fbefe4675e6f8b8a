#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "client-tests/driver/environment.h"
#include "client-tests/launch/launcher.h"
#include "mishap/client.h"
#include "mishap/run.h"

namespace mishap::client_tests {

// How a scenario's client is run: what the scenario says, over what everybody else said.
scenarios::Client client_of(const scenarios::Scenario& scenario, const TestOptions& options);

// Before anything starts: a client that is not whole, a word in braces without a value, a program
// that is not there (paths begin in `folder`; empty: here).
tl::expected<void, Error> check_client(const scenarios::Client& client,
                                       const scenarios::Scenario& scenario,
                                       const std::string& folder = {});

// It is given {port}, for a URL that it makes itself, with a host that everybody uses.
bool makes_its_own_url(const scenarios::Client& client);

// Two that are run alike have one print.
std::string client_print(const scenarios::Client& client);

// The command as it may be stored: as the user wrote it, secrets masked.
std::vector<std::string> stored_command(const scenarios::Client& client);

// It has log files in its working folder, which runs side by side would share.
bool logs_beside_others(const scenarios::Client& client);

// What it can be held to beside its promise.
ClientClaims claims_of(const scenarios::Client& client);

// All that one copy is started with. Fails where a URL turns out not to be of this machine.
tl::expected<LifeSpec, Error> life_of(const scenarios::Client& client, const CopyContext& context,
                                      const std::vector<Port>& server_ports);

}  // namespace mishap::client_tests
