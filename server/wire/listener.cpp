#include "server/wire/listener.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>

namespace mishap::server {

Listener::Listener(IoThread& io, RunClock clock, const Patience& patience, Descriptor socket,
                   Calls calls)
    : io_(io),
      clock_(clock),
      back_off_(patience.out_of_descriptors),
      alarm_(io.context(), clock),
      socket_(std::move(socket)),
      calls_(std::move(calls)) {}

void Listener::prepare() {
  follow();
}

void Listener::on_ready(const Readiness&) {
  is_ready_ = true;
  alarm_.wake();
}

void Listener::look_again() {
  if (door_.may_change) alarm_.wake();
}

void Listener::connection_ended() {
  --open_;
  if (!door_.may_change) return;
  // What waits in the queue has told so long ago.
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
    follow();
    std::optional<Duration> until = door_.until;
    look_at_queue();
    if (may_accept() && std::exchange(is_ready_, false)) {
      const AcceptStatus status = drain_queue();
      if (status == AcceptStatus::Closed) co_return;
      if (status == AcceptStatus::Exhausted) {
        // The queue stays full and tells nobody, so that it has to be tried again.
        is_ready_ = true;
        until = clock_.now() + back_off_;
      }
      // Each connection may have changed what is to be done next.
      if (door_.may_change && status != AcceptStatus::Exhausted) continue;
    }
    co_await alarm_.sleep_until(until);
  }
}

bool Listener::may_accept() const {
  if (std::holds_alternative<RefuseConnections>(door_.action)) return false;
  if (std::holds_alternative<LeaveUnanswered>(door_.action)) return false;
  const auto* limit = std::get_if<LimitConnections>(&door_.action);
  return limit == nullptr || open_ < limit->most;
}

// All that wait, at once: one per turn would let the last of a thousand wait for seconds. Where a
// rule may stop it, one, and then it is asked again.
AcceptStatus Listener::drain_queue() {
  while (socket_) {
    Accepted accepted = accept_one(socket_.get());
    if (accepted.status == AcceptStatus::Again) continue;
    if (accepted.status != AcceptStatus::Accepted) return accepted.status;
    ++open_;
    if (door_.may_change) accepted_.insert(accepted.client_port);
    try {
      calls_.accept(std::move(accepted.socket), accepted.client_port);
    } catch (const std::exception&) {
      --open_;
      return AcceptStatus::Exhausted;  // of memory: this one connection is lost
    }
    if (!door_.may_change) continue;
    is_ready_ = true;
    return AcceptStatus::Accepted;
  }
  return AcceptStatus::Closed;
}

// What a listener does to those who connect (listening.h).

void Listener::follow() {
  if (!socket_ || !door_.may_change) return;
  const std::uint64_t before = door_.spell;
  Door door = calls_.door(clock_.now());
  if (door.spell != before && before != 0) end_spell(clock_.now());
  door_ = std::move(door);
  if (door_.spell != before && door_.spell != 0) begin_spell();
}

void Listener::begin_spell() {
  last_spell_ = door_.spell;
  facts_ = {.began = std::nullopt, .heard = facts_.heard};
  if (std::holds_alternative<RefuseConnections>(door_.action)) {
    refuse();
  } else if (std::holds_alternative<LeaveUnanswered>(door_.action)) {
    leave_unanswered();
  } else {
    facts_.began = clock_.now();
    facts_.most_open = open_;
  }
  calls_.seen(door_.spell, facts_);
}

void Listener::end_spell(std::optional<Duration> at) {
  look_at_queue();
  if (at && std::holds_alternative<RefuseConnections>(door_.action)) listen_after_refusing();
  facts_.ended = at ? std::optional<Duration>(clock_.now()) : std::nullopt;
  calls_.seen(door_.spell, facts_);
}

// They would be reset with the queue, and nobody would know of them.
void Listener::reset_who_waits() {
  for (;;) {
    Accepted waiting = accept_one(socket_.get());
    if (waiting.status == AcceptStatus::Again) continue;
    if (waiting.status != AcceptStatus::Accepted) return;
    accepted_.insert(waiting.client_port);
    turn_away(waiting.client_port);
    send_reset(std::move(waiting.socket));
  }
}

// To close it would lose the port; so it stays bound and is no listener for a while.
void Listener::refuse() {
  reset_who_waits();
  stop_listening(socket_.get());
  facts_.began = clock_.now();
  Probe tried = probe(socket_.get());
  facts_.probe = std::move(tried.met);
  probe_ = tried.from;
}

// Where the system does not have it, nobody comes in any more: not what was asked for.
void Listener::listen_after_refusing() {
  is_ready_ = true;
  if (!listen_again(socket_.get())) facts_.began.reset();
}

// One connection of our own that nobody accepts fills a queue of length 0; the kernel then drops
// what comes. It cannot be told from a packet that was lost.
void Listener::leave_unanswered() {
  if (!listen_again(socket_.get(), 0)) return;
  Dialled dialled = dial(socket_address(socket_.get()));
  if (!dialled.socket) return;
  parked_ = std::move(dialled.socket);
  facts_.began = clock_.now();
}

// Where the kernel has forgotten the port, the address has to be nobody else's.
bool Listener::is_meant_by(const EndedSocket& ended) const {
  if (!socket_ || !door_.may_change) return false;
  const IpAddress own = local_address(socket_.get());
  if (ended.to_port == 0) return !ended.was_connected && is_own_loopback(own) && ended.to == own;
  return ended.to_port == local_port(socket_.get()) &&
         (ended.to == own || (is_any(own) && is_of_this_machine(ended.to)));
}

// All of them only where its address is nobody else's: of a connect that blocked the kernel has
// forgotten the port.
void Listener::hear(bool hears) {
  facts_.heard = hears && is_own_loopback(local_address(socket_.get()));
  if (last_spell_ != 0) calls_.seen(last_spell_, facts_);
}

// One that was connected and that nobody accepted, while nobody is let in, was reset in the queue.
void Listener::socket_ended(const EndedSocket& ended) {
  if (accepted_.erase(ended.from) > 0) return;
  const bool refuses = std::holds_alternative<RefuseConnections>(door_.action);
  if (!ended.was_connected || refuses) turn_away(ended.from);
}

void Listener::turn_away(Port client_port) {
  if (last_spell_ == 0 || client_port == probe_) return;
  calls_.turned_away(last_spell_, client_port, clock_.now());
}

void Listener::look_at_queue() {
  if (!socket_ || door_.spell == 0 || !facts_.began) return;
  const ListenerQueue queue = queue_of(socket_.get());
  const std::uint64_t most_open = std::max(facts_.most_open, open_);
  const std::uint64_t waiting =
      may_accept() ? facts_.most_waiting : std::max(facts_.most_waiting, queue.waiting);
  const bool is_news = most_open != facts_.most_open || waiting != facts_.most_waiting ||
                       queue.dropped != facts_.dropped;
  facts_.most_open = most_open;
  facts_.most_waiting = waiting;
  facts_.dropped = queue.dropped;
  if (is_news) calls_.seen(door_.spell, facts_);
}

void Listener::stop() {
  if (!socket_) return;
  if (door_.spell != 0) end_spell(std::nullopt);
  door_ = {};
  if (std::exchange(is_watched_, false)) io_.unwatch(socket_.get(), watch_);
  stop_listening(socket_.get());
  socket_.close();
  parked_.close();
  alarm_.wake();
}

}  // namespace mishap::server
