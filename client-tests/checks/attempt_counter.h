#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mishap/journal.h"

// The number of the attempt as libraries send it themselves.
namespace mishap::client_tests {

struct AttemptCounter {
  std::string field;        // as sent
  std::string text;         // its value
  std::uint64_t count = 0;  // grows by one with each attempt of one loop
};

// amz-sdk-request ("attempt=2; max=3"), x-stainless-retry-count, grpc-previous-rpc-attempts,
// x-envoy-attempt-count; nothing where none is there or it is no number.
std::optional<AttemptCounter> attempt_counter(const server::RequestFacts& request);

bool begins_anew(const AttemptCounter& before, const AttemptCounter& after);

}  // namespace mishap::client_tests
