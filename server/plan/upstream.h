#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mishap/parameters.h"
#include "mishap/units.h"

// What goes to an upstream and what comes back: plain data between the engine, which decides, and
// outbound/, which calls.
namespace mishap::server {

// As it goes over the wire, but for framing: Host, Content-Length and Connection are here, in
// order.
struct UpstreamRequest {
  std::string api;
  std::string method;
  std::string target;  // origin form
  std::vector<NameValue> headers;
  std::string body;
};

// The final answer, its body out of its framing. Fields as they came, framing fields as well.
struct UpstreamAnswer {
  StatusCode status = 0;
  std::string reason;
  std::vector<NameValue> headers;
  std::string body;
};

struct UpstreamResult {
  std::optional<UpstreamAnswer> answer;
  std::string failure;           // why there is none, one sentence
  std::optional<Duration> sent;  // run time of the first byte sent; none left before it
  bool cut_off = false;          // the run ended first: no failure of the upstream's
};

}  // namespace mishap::server
