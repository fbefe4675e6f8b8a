#pragma once

#include <optional>

#include "client-tests/checks/check.h"

// What an answer says of a quota (draft-ietf-httpapi-ratelimit-headers): RateLimit: "name";r=0;t=2
namespace mishap::client_tests {

struct RateLimit {
  std::int64_t remaining = 0;
  Duration reset{};  // until there is more
};

// The tightest of the policies that it names; nothing where the field is missing, given twice, or
// has no readable r and t.
std::optional<RateLimit> rate_limit(const server::Exchange& exchange);

}  // namespace mishap::client_tests
