#include "server/wire/events.h"

#include <utility>

namespace mishap::server {

void Events::happen(std::uint64_t event) {
  if (!happened_.insert(event).second) return;
  for (const auto& [place, waiter] : waiters_) {
    if (waiter.event == event) waiter.wake();
  }
}

Events::Waiting::Waiting(Events& events, std::uint64_t event, std::function<void()> wake)
    : events_(events), place_(++events.last_place_) {
  events_.waiters_.emplace(place_, Waiter{event, std::move(wake)});
}

Events::Waiting::~Waiting() {
  events_.waiters_.erase(place_);
}

}  // namespace mishap::server
