#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mishap/client.h"
#include "mishap/recording.h"

namespace mishap::cli {

// What `init` learned, and how it is written down.
struct InitFacts {
  scenarios::Client client;            // as given: command and environment
  std::vector<std::string> secret;     // names of variables whose values must not be written
  std::string api;                     // what stands behind `api`; empty: nothing is said
  std::vector<std::string> intercept;  // hosts that the vendor stands in for
  bool service = false;                // it does not end by itself
  std::optional<Port> port;            // that it listens on
};

// mishap.yaml, with what the healthy run showed as comments.
std::string project_text(const InitFacts& facts, const client_tests::Recording& control);

}  // namespace mishap::cli
