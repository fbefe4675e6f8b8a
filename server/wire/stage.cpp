#include "server/wire/stage.h"

#include <utility>

#include <boost/asio/awaitable.hpp>

namespace mishap::server {

void Stage::add_listener(Descriptor socket, Listener::Calls calls) {
  listeners_.push_back(
      std::make_shared<Listener>(io_, clock_, patience_, std::move(socket), std::move(calls)));
  Listener& added = *listeners_.back();
  added.prepare();
  if (!added.may_turn_away()) return;
  hear_of_connects();
  added.hear(connects_->hears());
}

void Stage::hear_of_connects() {
  if (connects_) return;
  ConnectWatch::Calls calls;
  calls.ended = [this](const EndedSocket& socket) { socket_ended(socket); };
  calls.lost_some = [this] {
    for (const auto& listener : listeners_) listener->hear(false);
  };
  connects_ = std::make_unique<ConnectWatch>(io_, std::move(calls));
}

// Whose address it was; its port says the same once more, where the kernel has kept it.
void Stage::socket_ended(const EndedSocket& socket) {
  for (const auto& listener : listeners_) {
    if (listener->is_meant_by(socket)) return listener->socket_ended(socket);
  }
}

void Stage::add_listener(const LanePlan& plan, Descriptor socket) {
  const std::size_t index = listeners_.size();
  Listener::Calls calls;
  calls.accept = [this, plan, index](Descriptor accepted, Port client_port) {
    accept(plan, index, std::move(accepted), client_port);
  };
  calls.door = [this, plan](Duration now) { return engine_->door(plan.lane, plan.api, now); };
  calls.seen = [this](std::uint64_t spell, const SpellFacts& facts) {
    engine_->spell_seen(spell, facts);
  };
  calls.turned_away = [this](std::uint64_t spell, Port client_port, Duration now) {
    engine_->turned_away(spell, client_port, now);
  };
  add_listener(std::move(socket), std::move(calls));
}

// Its own door is always open: what a rule does to a listener it does to that of an api.
void Stage::add_proxy(const std::shared_ptr<const ProxyTable>& table, Descriptor socket) {
  const std::size_t index = listeners_.size();
  Listener::Calls calls;
  calls.accept = [this, table, index](Descriptor accepted, Port client_port) {
    serve(std::make_shared<Session>(setup_of({}, nullptr), std::move(accepted), table, client_port),
          index);
  };
  calls.door = [](Duration) { return Door{}; };
  calls.seen = [](std::uint64_t, const SpellFacts&) {};
  calls.turned_away = [](std::uint64_t, Port, Duration) {};
  add_listener(std::move(socket), std::move(calls));
}

void Stage::start() {
  if (connects_) connects_->start();
  for (const auto& listener : listeners_) spawn(Listener::run(listener), [] {});
}

void Stage::accept(const LanePlan& plan, std::size_t listener, Descriptor socket,
                   Port client_port) {
  Decision decision =
      engine_->accept({plan.lane, plan.api, client_port, plan.tls != nullptr}, clock_.now());
  serve(std::make_shared<Session>(setup_of(plan.limits, plan.tls), std::move(socket),
                                  std::move(decision)),
        listener);
}

Session::Setup Stage::setup_of(const scenarios::Limits& limits,
                               std::shared_ptr<TlsServer> tls) const {
  return {around_, limits, std::move(tls)};
}

void Stage::serve(std::shared_ptr<Session> session, std::size_t listener) {
  sessions_.insert(session);
  spawn(Session::run(session), [this, session, listener] {
    sessions_.erase(session);
    listeners_[listener]->connection_ended();
  });
  look_again();
  if (on_accept_) on_accept_();
}

void Stage::look_again() {
  for (const auto& listener : listeners_) listener->look_again();
}

void Stage::spawn(Task<void> task, std::function<void()> on_end) {
  ++tasks_;
  io_.spawn(std::move(task),
            [self = shared_from_this(), on_end = std::move(on_end)] { self->task_ended(on_end); });
}

void Stage::task_ended(const std::function<void()>& on_end) {
  on_end();
  --tasks_;
  if (is_stopping_ && tasks_ == 0) ended_.set_value();
}

void Stage::stop() {
  is_stopping_ = true;
  if (connects_) connects_->stop();
  kept_.clear();
  for (const auto& listener : listeners_) listener->stop();
  for (const auto& session : sessions_) session->abort();
  if (tasks_ == 0) ended_.set_value();
}

}  // namespace mishap::server
