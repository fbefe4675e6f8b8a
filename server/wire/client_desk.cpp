#include "server/wire/client_desk.h"

#include <utility>

namespace mishap::server {

void ClientDesk::on_signal(std::function<void(const SignalOrder&)> callback) {
  const std::lock_guard lock(mutex_);
  callback_ = std::move(callback);
}

std::optional<std::uint64_t> ClientDesk::order(int lane, const SignalClient& step) {
  const std::lock_guard lock(mutex_);
  if (!callback_) return std::nullopt;
  callback_({++last_, lane, step.signal, step.restart_after});
  return last_;
}

void ClientDesk::carried_out(std::uint64_t order, std::optional<Duration> at, bool gone) {
  io_.post([self = shared_from_this(), order, at, gone] {
    self->done_[order] = {at, gone};
    self->events_->happen(event_of(order));
  });
}

// The engine's own events are few and count from 1.
std::uint64_t ClientDesk::event_of(std::uint64_t order) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 63;
  return kFirst + order;
}

std::optional<ClientDesk::Done> ClientDesk::outcome(std::uint64_t order) const {
  const auto found = done_.find(order);
  return found == done_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace mishap::server
