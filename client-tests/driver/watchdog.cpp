#include "client-tests/driver/watchdog.h"

#include <algorithm>
#include <map>

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;

// Of a batch, those of its items.
std::vector<std::uint64_t> operations_of(const server::Exchange& exchange) {
  std::vector<std::uint64_t> operations;
  if (exchange.identity.operation != 0) operations.push_back(exchange.identity.operation);
  for (const server::BatchItem& item : exchange.items) {
    operations.push_back(item.identity.operation);
  }
  return operations;
}

// An attempt is owed an answer for longer than any bound allows, or an operation has been going on
// for longer.
bool broke_a_bound(const server::Journal& journal, Duration since, Duration now,
                   const Patience& patience) {
  std::map<std::uint64_t, Duration> begun;
  for (const auto& exchange : journal.exchanges) {
    if (exchange.first_byte < since) continue;  // of the run before
    const bool owed = !exchange.receipt.ended && !exchange.receipt.departed;
    if (owed && now - exchange.first_byte > patience.owed) return true;
    for (const std::uint64_t operation : operations_of(exchange)) {
      const auto first = begun.try_emplace(operation, exchange.first_byte).first;
      if (exchange.first_byte - first->second > patience.operation) return true;
    }
  }
  return false;
}

}  // namespace

Order Watchdog::order(Duration now, const LifeProgress& progress) {
  if (options_.interrupted != nullptr && options_.interrupted->load()) return Order::Interrupt;
  // What comes before the client acts has bounds of its own.
  if (!progress.acting) return Order::GoOn;
  began_ = progress.acting_since;
  stopping_ = stopping_ || (progress.resting && !awaits_first_request(now) &&
                            rest_.is_over(now, progress.resting_since));
  // How long it may take to end is said by its own grace.
  if (stopping_) return Order::Stop;
  return is_over(now) ? Order::Kill : Order::GoOn;
}

// Of a worker that nothing drives: it may start slowly, and its silence before means nothing.
bool Watchdog::awaits_first_request(Duration now) const {
  return !driven_ && run_.requests() == 0 && now - began_ < patience_.slow_start;
}

bool Watchdog::is_over(Duration now) {
  const Duration acted = now - began_;
  if (patience_.first_request && run_.requests() == 0) return acted > *patience_.first_request;
  const Duration silence = now - std::max(began_, run_.last_activity());
  if (patience_.quiet && silence > *patience_.quiet) return true;
  if (patience_.kill_after) return acted > *patience_.kill_after;
  if (acted > patience_.whole || silence > patience_.operation) return true;
  if (acted < std::min(patience_.owed, patience_.operation) || now < next_look_) return false;
  next_look_ = now + 1s;
  return broke_a_bound(run_.snapshot(), since_, now, patience_);
}

}  // namespace mishap::client_tests
