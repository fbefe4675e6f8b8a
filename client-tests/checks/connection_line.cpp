#include "client-tests/checks/connection_line.h"

#include <algorithm>

namespace mishap::client_tests {

using server::Exchange;

void ConnectionLine::add(const Exchange& exchange) {
  in_order_ = in_order_ && (exchanges_.empty() || exchanges_.back()->number <= exchange.number);
  latest_.push_back(exchanges_.empty() ? exchange.first_byte
                                       : std::max(latest_.back(), exchange.first_byte));
  exchanges_.push_back(&exchange);
}

void ConnectionLine::close() {
  earliest_.resize(exchanges_.size());
  Duration earliest = Duration::max();
  for (std::size_t i = exchanges_.size(); i > 0; --i) {
    earliest = std::min(earliest, exchanges_[i - 1]->first_byte);
    earliest_[i - 1] = earliest;
  }
}

// Begins and ends where the times allow one, so that in a journal in order it is met at once.
const Exchange* ConnectionLine::next_between(const Exchange& before, Duration after,
                                             std::optional<Duration> until) const {
  auto place = std::ranges::upper_bound(latest_, after) - latest_.begin();
  if (in_order_) {
    const auto behind = std::ranges::upper_bound(exchanges_, before.number, {}, &Exchange::number);
    place = std::max(place, behind - exchanges_.begin());
  }
  for (auto i = static_cast<std::size_t>(place); i < exchanges_.size(); ++i) {
    if (until && earliest_[i] >= *until) return nullptr;
    const Exchange& next = *exchanges_[i];
    const bool is_behind = next.number > before.number && next.first_byte > after;
    if (is_behind && (!until || next.first_byte < *until)) return &next;
  }
  return nullptr;
}

ConnectionLines::ConnectionLines(const server::Journal& journal) {
  for (const Exchange& exchange : journal.exchanges) lines_[exchange.connection].add(exchange);
  for (auto& [number, line] : lines_) line.close();
}

const ConnectionLine& ConnectionLines::of(std::uint64_t connection) const {
  const auto found = lines_.find(connection);
  return found == lines_.end() ? none_ : found->second;
}

}  // namespace mishap::client_tests
