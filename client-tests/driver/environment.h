#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/parameters.h"
#include "mishap/scenario.h"
#include "mishap/server.h"
#include "mishap/units.h"

namespace mishap::client_tests {

// What one copy of the client is told (product.md, "The client").
struct CopyContext {
  std::string scenario;
  int copy = 0;
  std::vector<server::LaneAddress> addresses;  // of this copy, the scenario's first api first
  std::string token;
  std::string outcomes;        // file
  std::string state;           // folder
  std::string scratch;         // folder
  std::string ca;              // file of the certificate to trust; empty: no api speaks TLS
  std::string proxy;           // URL; empty: no api intercepts hosts
  std::string no_proxy;        // what the user's own NO_PROXY says
  std::string working_folder;  // empty: ours
  Port free_port = 0;
};

// Replaces {url}, {url_NAME} (of one of several apis, named as in `apis`), {port}, {token},
// {scenario}, {copy}, {outcomes}, {state}, {ca}, {proxy} and {free_port}. Other braces stay as they
// are, since a client's arguments may be JSON.
std::string expand(const std::string& text, const CopyContext& context);

// Words in braces that mishap knows and this version has no value for ("{operations}"), and
// {url_NAME} or {ca} where one of the scenarios has no such api: an error that says so, before
// anything starts.
tl::expected<void, Error> check_templates(const std::vector<std::string>& texts,
                                          const std::vector<scenarios::Scenario>& scenarios);

std::vector<NameValue> environment_of(const CopyContext& context,
                                      const std::vector<NameValue>& extra);

// A port that was free a moment ago; 0 when none could be had.
Port free_port();

}  // namespace mishap::client_tests
