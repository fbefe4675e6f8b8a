#include "client-tests/checks/lane_facts.h"

#include <algorithm>

#include "client-tests/checks/batch_exchange.h"

namespace mishap::client_tests {

using server::Exchange;

void LaneLine::add(const Exchange& exchange) {
  exchanges_.push_back(&exchange);
  latest_.push_back(latest_.empty() ? exchange.first_byte
                                    : std::max(latest_.back(), exchange.first_byte));
  was_read_whole_ = was_read_whole_ && exchange.request.complete && belongs_to_operations(exchange);
}

const Exchange* LaneLine::first_after(Duration instant, std::uint64_t operation) const {
  const auto place = std::ranges::upper_bound(latest_, instant) - latest_.begin();
  const auto found =
      std::find_if(exchanges_.begin() + place, exchanges_.end(), [&](const Exchange* exchange) {
        return exchange->first_byte > instant && exchange->identity.operation != operation;
      });
  return found == exchanges_.end() ? nullptr : *found;
}

LaneLines::LaneLines(const Recording& recording) {
  for (const Exchange& exchange : recording.journal.exchanges) lines_[exchange.lane].add(exchange);
}

const LaneLine& LaneLines::of(int lane) const {
  const auto found = lines_.find(lane);
  return found == lines_.end() ? silent_ : found->second;
}

std::unordered_map<int, Duration> largest_gaps(const History& history) {
  std::unordered_map<int, Duration> largest;
  for (const Operation& operation : history.operations) {
    for (const Attempt& attempt : operation.attempts) {
      if (!attempt.gap) continue;
      auto& gap = largest[operation.lane];
      gap = std::max(gap, *attempt.gap);
    }
  }
  return largest;
}

}  // namespace mishap::client_tests
