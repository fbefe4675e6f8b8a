#include "server/wire/session.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "server/wire/proxy_door.h"

namespace mishap::server {

Session::Session(Setup setup, Descriptor socket, std::shared_ptr<const ProxyTable> proxy,
                 Port client_port)
    : setup_(std::move(setup)),
      proxy_(std::move(proxy)),
      client_port_(client_port),
      began_(setup_.around->clock.now()),
      connection_(setup_.around->io, setup_.around->clock, std::move(socket)),
      reader_(setup_.limits) {}

Session::Session(Setup setup, Descriptor socket, Decision accepted)
    : setup_(std::move(setup)),
      connection_(setup_.around->io, setup_.around->clock, std::move(socket)),
      reader_(setup_.limits),
      accepted_(std::move(accepted)) {}

Executor::Context Session::context() {
  return {connection_,
          reader_,
          *setup_.around->engine,
          setup_.around->clock,
          setup_.limits,
          setup_.around->patience,
          *setup_.around->effects,
          *setup_.around->events,
          *setup_.around->desk,
          setup_.around->upstreams.get(),
          setup_.tls.get()};
}

Task<void> Session::run(std::shared_ptr<Session> self) {
  try {
    co_await self->serve();
  } catch (const std::exception&) {
    // Out of memory outside of an exchange: the connection ends, the run goes on.
    self->connection_.send_reset();
  }
  self->connection_.close();
  if (self->accepted_.id != 0) self->report_end();
}

void Session::report_end() {
  setup_.around->engine->connection_ended(accepted_.id, {.departure = connection_.departure(),
                                                         .departed = connection_.departed(),
                                                         .server_ended = connection_.server_ended(),
                                                         .closed = setup_.around->clock.now(),
                                                         .tls = connection_.tls()});
}

// The connection came when it came, though only now it is known what for.
Task<bool> Session::enter() {
  Entrance entrance =
      co_await enter_proxy(connection_, *proxy_, setup_.around->patience, setup_.around->clock);
  Arrival arrival{proxy_->lane(), "", client_port_, entrance.is_tunnel, entrance.asked_for};
  if (entrance.route == nullptr) {
    if (!entrance.asked_for.empty()) accepted_ = setup_.around->engine->accept(arrival, began_);
    if (connection_.is_open() && connection_.server_ended()) {
      co_await connection_.discard_until_end(
          setup_.around->clock.now() + setup_.around->patience.linger,
          setup_.around->patience.drain_bytes);
    }
    co_return false;
  }
  arrival.api = entrance.route->api;
  setup_.limits = entrance.route->limits;
  reader_ = RequestReader(setup_.limits);
  if (entrance.is_tunnel) setup_.tls = entrance.route->tls;
  accepted_ = setup_.around->engine->accept(arrival, began_);
  co_return true;
}

Task<void> Session::serve() {
  if (proxy_) {
    const bool entered = co_await enter();
    if (!entered) co_return;
  }
  const bool is_let_in = co_await perform_accept();
  if (!is_let_in) {
    co_await linger();
    co_return;
  }
  while (!connection_.is_aborted()) {
    const bool goes_on = co_await serve_request();
    if (!goes_on) co_return;
    // A client that always has another request ready must not keep the others waiting.
    if (reader_.started() || connection_.is_readable()) co_await yield_turn();
  }
}

// Apart, so that nothing of it is kept while the connection lasts.
Task<bool> Session::perform_accept() {
  Executor executor(context(), std::nullopt);
  co_await executor.perform(std::exchange(accepted_.steps, {}));
  co_return !executor.has_ended();
}

Task<bool> Session::serve_request() {
  const Reading reading = co_await read_head();
  if (reading == Reading::Over) {
    co_await linger();
    co_return false;
  }
  Engine& engine = *setup_.around->engine;
  const Duration now = setup_.around->clock.now();
  Decision decision =
      reading == Reading::Head
          ? engine.head(accepted_.id, reader_.take_head(), reader_.first_byte(), now)
          : engine.rejected(accepted_.id, reader_.rejection(), reader_.first_byte(), now);
  const bool goes_on = co_await perform(std::move(decision));
  co_return goes_on;
}

Task<Session::Reading> Session::read_head() {
  const Duration began = setup_.around->clock.now();
  for (;;) {
    const RequestReader::Progress progress = reader_.parse_head();
    if (progress == RequestReader::Progress::Done) co_return Reading::Head;
    if (progress == RequestReader::Progress::Rejected) co_return Reading::Rejected;
    // Between requests a connection may rest as long as both sides like.
    std::optional<Duration> deadline = rest_until_;
    if (reader_.started()) {
      deadline = std::max(began, reader_.last_byte()) + setup_.around->patience.mid_request;
    }
    const Transfer got = co_await connection_.read(reader_.room(), deadline);
    const Duration read = setup_.around->clock.now();
    const Duration came = std::exchange(heard_, std::nullopt).value_or(read);
    reader_.commit(got.what == Io::Done ? got.bytes : 0, read, came);
    if (got.what != Io::Done) co_return end_in_head(got);
  }
}

void Session::begin_rest(const Executor& executor) {
  rest_until_.reset();
  const std::optional<Rest> rest = executor.rest();
  if (!rest) return;
  rest_until_ = executor.last_write().value_or(setup_.around->clock.now()) + rest->length;
  rest_ends_by_reset_ = rest->reset;
}

void Session::end_rest() {
  if (rest_ends_by_reset_) {
    connection_.send_reset();
  } else {
    connection_.send_fin();
  }
}

Session::Reading Session::end_in_head(const Transfer& got) {
  if (got.what == Io::TimedOut && !reader_.started()) end_rest();
  const bool is_over = got.what == Io::Aborted || got.what == Io::Failed;
  if (is_over || !reader_.started()) return Reading::Over;
  if (got.what == Io::TimedOut) {
    reader_.reject(408, "the request's head did not come to its end");
  } else {
    reader_.reject(400, "the client ended in the middle of a request head");
  }
  return Reading::Rejected;
}

Task<bool> Session::perform(Decision decision) {
  Executor executor(context(), decision.id);
  bool has_failed = false;
  try {
    co_await executor.perform(std::move(decision.steps));
  } catch (const std::exception&) {
    has_failed = true;
  }
  if (has_failed) executor.fail();
  // Before anybody can react to what was sent: the next request will find it settled.
  setup_.around->engine->end_soon(decision.id, reader_.body_bytes(), executor.take_receipt());
  setup_.around->settling->soon();
  // A request that came while the one before was owed its answer began then, not when it is read.
  heard_ = connection_.stop_listening();
  if (executor.keeps_alive()) {
    begin_rest(executor);
    reader_.next();
    co_return true;
  }
  co_await linger();
  co_return false;
}

Task<void> Session::linger() {
  // What the client still sends would turn our FIN into a RST, which can destroy an answer that has
  // arrived but was not read yet (RFC 9112 section 9.6).
  if (!connection_.is_open() || !connection_.server_ended()) co_return;
  const Patience& patience = setup_.around->patience;
  const bool is_unread = reader_.is_rejected() || !reader_.is_body_over();
  const Duration bound = is_unread ? patience.drain : patience.linger;
  co_await connection_.discard_until_end(setup_.around->clock.now() + bound, patience.drain_bytes);
}

}  // namespace mishap::server
