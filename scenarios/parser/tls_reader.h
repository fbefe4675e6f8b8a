#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// true, false, or a map; nothing where no TLS is spoken or something was wrong and reported.
std::optional<Tls> read_tls(const Node& node, Problems& problems);

// Host names, addresses, or either with a port; what is there twice counts once.
std::vector<NamedHost> read_intercepted(const Node& node, Problems& problems);
// --intercept api.vendor.com, which means the first api, or NAME=api.vendor.com.
void add_intercepted(const std::vector<std::string>& words, Scenario& scenario, Problems& problems);

// Reports what two apis of one scenario cannot both have: a host, and a file for the authority.
void check_tls_of_apis(const Scenario& scenario, Problems& problems);

}  // namespace mishap::scenarios
