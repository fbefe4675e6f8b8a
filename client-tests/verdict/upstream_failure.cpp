#include "client-tests/verdict/upstream_failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace mishap::client_tests {

std::string upstream_failure(const Recording& recording) {
  const auto& exchanges = recording.journal.exchanges;
  const auto failed = [](const server::Exchange& exchange) {
    return !exchange.upstream.failure.empty();
  };
  const auto first = std::ranges::find_if(exchanges, failed);
  if (first == exchanges.end()) return {};
  const auto count = std::ranges::count_if(exchanges, failed);
  const std::string more = count > 1 ? fmt::format(" ({} calls failed so)", count) : "";
  return fmt::format("the upstream failed exchange {}: {}{}", first->number,
                     first->upstream.failure, more);
}

}  // namespace mishap::client_tests
