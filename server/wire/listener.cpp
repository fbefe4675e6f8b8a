#include "server/wire/listener.h"

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>

namespace mishap::server {

Listener::Listener(IoThread& io, RunClock clock, const Patience& patience, Descriptor socket,
                   Accept accept)
    : io_(io),
      clock_(clock),
      back_off_(patience.out_of_descriptors),
      alarm_(io.context(), clock),
      socket_(std::move(socket)),
      accept_(std::move(accept)) {}

void Listener::on_ready(const Readiness&) {
  is_ready_ = true;
  alarm_.wake();
}

Task<void> Listener::run(std::shared_ptr<Listener> self) {
  if (!self->socket_) co_return;
  self->watch_ = self->io_.watch(self->socket_.get(), *self);
  self->is_watched_ = true;
  co_await self->accept_all();
}

Task<void> Listener::accept_all() {
  while (socket_) {
    std::optional<Duration> until;
    if (std::exchange(is_ready_, false)) {
      const AcceptStatus status = drain_queue();
      if (status == AcceptStatus::Closed) co_return;
      if (status == AcceptStatus::Exhausted) {
        // The queue stays full and tells nobody, so that it has to be tried again.
        is_ready_ = true;
        until = clock_.now() + back_off_;
      }
    }
    co_await alarm_.sleep_until(until);
  }
}

// All that wait, at once: one per turn would let the last of a thousand wait for seconds.
AcceptStatus Listener::drain_queue() {
  while (socket_) {
    Accepted accepted = accept_one(socket_.get());
    if (accepted.status == AcceptStatus::Again) continue;
    if (accepted.status != AcceptStatus::Accepted) return accepted.status;
    try {
      accept_(std::move(accepted.socket), accepted.client_port);
    } catch (const std::exception&) {
      return AcceptStatus::Exhausted;  // of memory: this one connection is lost
    }
  }
  return AcceptStatus::Closed;
}

void Listener::stop() {
  if (!socket_) return;
  if (std::exchange(is_watched_, false)) io_.unwatch(socket_.get(), watch_);
  stop_listening(socket_.get());
  socket_.close();
  alarm_.wake();
}

}  // namespace mishap::server
