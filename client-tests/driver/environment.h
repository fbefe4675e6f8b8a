#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/parameters.h"
#include "mishap/server.h"
#include "mishap/units.h"

namespace mishap::client_tests {

// What one copy of the client is told (product.md, "The client").
struct CopyContext {
  std::string scenario;
  int copy = 0;
  std::vector<server::LaneAddress> addresses;  // of this copy, the scenario's first api first
  std::string token;
  std::string outcomes;  // file
  std::string state;     // folder
  std::string scratch;   // folder
  Port free_port = 0;
};

// Replaces {url}, {port}, {token}, {scenario}, {copy}, {outcomes}, {state} and {free_port}. Other
// braces stay as they are, since a client's arguments may be JSON.
std::string expand(const std::string& text, const CopyContext& context);

// Words in braces that mishap knows and this version has no value for ("{ca}"): an error that says
// so, before anything starts.
tl::expected<void, Error> check_templates(const std::vector<std::string>& texts);

std::vector<NameValue> environment_of(const CopyContext& context,
                                      const std::vector<NameValue>& extra);

// A port that was free a moment ago; 0 when none could be had.
Port free_port();

}  // namespace mishap::client_tests
