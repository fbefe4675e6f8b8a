#pragma once

#include "mishap/client.h"
#include "mishap/node.h"
#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// `copies` is a matter of a scenario: elsewhere the key is refused.
enum class CopiesKey { Refused, Allowed };

// A `client:` map, of a scenario or of mishap.yaml. What it does not say is left alone in `client`;
// what contradicts itself within the map is reported.
void read_client_plan(const Node& node, Client& client, Problems& problems,
                      CopiesKey copies = CopiesKey::Refused);

// `then` of a scenario.
std::optional<Then> read_then(const Node& node, Problems& problems);

// Where a map holds the whole client (it names the command): what keeps it from being run.
void check_whole_client(const Client& client, Problems& problems);

}  // namespace mishap::scenarios
