#pragma once

#include <string>

#include <tl/expected.hpp>

#include "mishap/units.h"

namespace mishap::scenarios {

// An http:// URL of this machine. What makes a service act is never sent anywhere else.
struct LocalUrl {
  std::string host;  // "127.0.0.1", "localhost", "::1"
  Port port = 80;
  std::string target;  // "/orders?x=1"
};

// The URL, or one line that says why it is none.
tl::expected<LocalUrl, std::string> read_local_url(const std::string& text);

}  // namespace mishap::scenarios
