#include "server/wire/live_run.h"

#include <algorithm>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>

#include "server/wire/client_desk.h"
#include "server/wire/connect_watch.h"
#include "server/wire/listener.h"
#include "server/wire/proxy_table.h"
#include "server/wire/session.h"

namespace mishap::server {

namespace {

// What of a run lives on one I/O thread: counts every task it starts, so that its end can wait for
// the last of them.
class Stage : public std::enable_shared_from_this<Stage> {
 public:
  Stage(const LiveRunSetup& setup, IoThread& io)
      : io_(io),
        engine_(setup.engine),
        clock_(setup.clock),
        patience_(setup.patience),
        upstreams_(setup.upstreams) {}

  // Before start(), from the thread that begins the run.
  void add_listener(const LanePlan& plan, Descriptor socket);
  void add_proxy(const std::shared_ptr<const ProxyTable>& table, Descriptor socket);
  // Held as long as the stage is.
  void keep(Descriptor socket) { kept_.push_back(std::move(socket)); }

  void start();
  void stop();
  IoThread& io() { return io_; }
  // Tells this stage of an event. Posted, since whoever makes it happen may be any thread, or in
  // the middle of a step.
  std::function<void(std::uint64_t)> teller() const {
    return [&io = io_, events = events_](std::uint64_t event) {
      io.post([events, event] { events->happen(event); });
    };
  }
  // The scenario's clock may have started, for listeners that were not asked for it as well.
  void look_again();
  // Called on this stage's thread when somebody was accepted.
  void on_accept(std::function<void()> callback) { on_accept_ = std::move(callback); }
  std::future<void> all_ended() { return ended_.get_future(); }
  bool hears_of_connects() const { return connects_ && connects_->hears(); }
  // Ready once those are known that ended before. I/O thread only.
  std::future<void> catch_up() { return connects_->catch_up(); }
  EffectsToCome& effects() { return *effects_; }
  ClientDesk& desk() { return *desk_; }

 private:
  void add_listener(Descriptor socket, Listener::Calls calls);
  void hear_of_connects();
  void socket_ended(const EndedSocket& socket);
  void accept(const LanePlan& plan, std::size_t listener, Descriptor socket, Port client_port);
  void serve(std::shared_ptr<Session> session, std::size_t listener);
  Session::Setup setup_of(const scenarios::Limits& limits, std::shared_ptr<TlsServer> tls) const;
  void spawn(Task<void> task, std::function<void()> on_end);
  void task_ended(const std::function<void()>& on_end);

  IoThread& io_;
  std::shared_ptr<Engine> engine_;
  RunClock clock_;
  Patience patience_;
  std::shared_ptr<Upstreams> upstreams_;
  std::shared_ptr<EffectsToCome> effects_ = std::make_shared<EffectsToCome>();
  std::shared_ptr<Events> events_ = std::make_shared<Events>();
  std::shared_ptr<ClientDesk> desk_ = std::make_shared<ClientDesk>(io_, events_);
  std::vector<std::shared_ptr<Listener>> listeners_;
  std::vector<Descriptor> kept_;
  std::shared_ptr<const Session::Surroundings> around_ =
      std::make_shared<const Session::Surroundings>(Session::Surroundings{
          io_, engine_, clock_, patience_, effects_, events_, desk_, upstreams_});
  std::unique_ptr<ConnectWatch> connects_;  // where a listener may turn somebody away
  // Held until the task's end was told, which is later than the end of its coroutine.
  std::unordered_set<std::shared_ptr<Session>> sessions_;
  std::function<void()> on_accept_;
  std::size_t tasks_ = 0;
  bool is_stopping_ = false;
  std::promise<void> ended_;
};

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

using Stages = std::vector<std::shared_ptr<Stage>>;

class LiveRun final : public Run {
 public:
  LiveRun(LiveRunSetup setup, Stages stages, std::vector<LaneAddress> addresses,
          std::vector<LaneAddress> proxies)
      : setup_(std::move(setup)),
        stages_(std::move(stages)),
        addresses_(std::move(addresses)),
        proxies_(std::move(proxies)) {}
  ~LiveRun() override { end(); }

  const std::vector<LaneAddress>& addresses() const override { return addresses_; }
  std::vector<LaneAddress> proxies() const override { return proxies_; }
  Duration began() const override { return setup_.clock.began(); }
  Journal snapshot() const override { return setup_.engine->snapshot(); }
  std::uint64_t requests() const override { return setup_.engine->requests(); }
  Duration last_activity() const override { return setup_.engine->last_activity(); }
  bool wait(const std::function<bool(const Journal&)>& done, Duration patience) const override {
    return setup_.engine->wait(done, patience);
  }
  std::string ca() const override { return setup_.ca; }
  bool settle(Duration patience) const override;
  void on_exchange(std::function<void(const Exchange&)> callback) override {
    setup_.engine->on_exchange(std::move(callback));
  }
  void on_connection(std::function<void(const Connection&)> callback) override {
    setup_.engine->on_connection(std::move(callback));
  }
  void on_spell(std::function<void(const ListenerSpell&)> callback) override {
    setup_.engine->on_spell(std::move(callback));
  }
  void on_signal(std::function<void(const SignalOrder&)> callback) override {
    stages_.front()->desk().on_signal(std::move(callback));
  }
  void signalled(std::uint64_t order, std::optional<Duration> at, bool gone) override {
    stages_.front()->desk().carried_out(order, at, gone);
  }
  Journal end() override;

 private:
  LiveRunSetup setup_;
  Stages stages_;  // the first one's thread has what needs an order
  std::vector<LaneAddress> addresses_;
  std::vector<LaneAddress> proxies_;
  std::mutex ending_;
  std::optional<Journal> journal_;
};

// What a client sent before it ended lies in the kernel's buffers by now. One turn of the I/O
// thread may accept a connection, the next read it and so on; a request is begun after a handful.
// Tells whether that was reached in time.
bool let_it_catch_up(IoThread& io, RunClock clock, Duration deadline) {
  constexpr int kTurns = 16;
  for (int turn = 0; turn < kTurns; ++turn) {
    auto done = std::make_shared<std::promise<void>>();
    std::future<void> had_its_turn = done->get_future();
    io.post([done] { done->set_value(); });
    const Duration left = std::max(deadline - clock.now(), Duration::zero());
    if (had_its_turn.wait_for(left) != std::future_status::ready) return false;
  }
  return true;
}

// The kernel tells of it in its own time, milliseconds as a rule. Where it does not, less is known
// of connects, and that is never held against anybody.
void hear_of_the_last_connects(IoThread& io, const std::shared_ptr<Stage>& stage) {
  constexpr auto kPatience = std::chrono::milliseconds(500);
  auto asked = std::make_shared<std::promise<std::future<void>>>();
  std::future<std::future<void>> answer = asked->get_future();
  io.post([stage, asked] { asked->set_value(stage->catch_up()); });
  if (answer.wait_for(kPatience) == std::future_status::ready) answer.get().wait_for(kPatience);
}

bool settle(const std::shared_ptr<Stage>& stage, RunClock clock, Duration deadline) {
  const bool is_elsewhere = !stage->io().is_this_thread();
  if (is_elsewhere && !let_it_catch_up(stage->io(), clock, deadline)) return false;
  if (is_elsewhere && stage->hears_of_connects()) hear_of_the_last_connects(stage->io(), stage);
  const Duration left = std::max(deadline - clock.now(), Duration::zero());
  return stage->effects().wait_for_none(left);
}

bool LiveRun::settle(Duration patience) const {
  const Duration deadline = setup_.clock.now() + patience;
  return std::ranges::all_of(stages_, [&](const std::shared_ptr<Stage>& stage) {
    return server::settle(stage, setup_.clock, deadline);
  });
}

Journal LiveRun::end() {
  const std::lock_guard lock(ending_);
  if (journal_) return *journal_;
  std::vector<std::future<void>> ends;
  for (const auto& stage : stages_) {
    ends.push_back(stage->all_ended());
    stage->io().post([stage] { stage->stop(); });
  }
  const Duration deadline = setup_.clock.now() + setup_.patience.end_of_run;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (stages_[i]->io().is_this_thread()) continue;
    ends[i].wait_for(std::max(deadline - setup_.clock.now(), Duration::zero()));
  }
  journal_ = setup_.engine->close(setup_.clock.now());
  return *journal_;
}

std::string url_of(const LiveRunSetup& setup, const std::string& address, bool is_tls, Port port) {
  const std::string host = advertised_host(address, setup.advertise);
  const bool is_six = host.find(':') != std::string::npos && !host.starts_with('[');
  const std::string shown = is_six ? fmt::format("[{}]", host) : host;
  return fmt::format("{}://{}:{}", is_tls ? "https" : "http", shown, port);
}

tl::expected<Descriptor, Error> listen_within(const LiveRunSetup& setup, const std::string& address,
                                              unsigned turn) {
  const unsigned count = setup.ports.last - setup.ports.first + 1U;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned port = setup.ports.first + (turn + i) % count;
    if (auto socket = listen_on(address, static_cast<Port>(port))) return socket;
  }
  return tl::unexpected(
      Error{ErrorCode::Environment,
            fmt::format("every port of {}-{} is taken", setup.ports.first, setup.ports.last),
            {},
            "end a run that is over, or give a larger range"});
}

tl::expected<Descriptor, Error> listen_for(const LiveRunSetup& setup, const std::string& address,
                                           std::size_t index) {
  const Port wanted = index == 0 ? setup.port : Port{0};
  if (wanted == 0 && setup.ports.first != 0) {
    return listen_within(setup, address, setup.turn + static_cast<unsigned>(index));
  }
  return listen_on(address, wanted);
}

// At an address of its own a listener may have a port that another has at the usual one. Whoever
// goes by the port alone would come to that other and be judged by it: so the port is taken there
// as well, for nobody.
tl::expected<Descriptor, Error> listen_apart(const LanePlan& plan, Stage& stage) {
  Descriptor taken = bind_without_listening();
  auto socket = listen_on(plan.address, taken ? local_port(taken.get()) : Port{0});
  if (socket) stage.keep(std::move(taken));
  return socket;
}

// Whoever accepts first serves: the kernel wakes all that listen.
void share_listener(const Stages& stages, const LanePlan& plan, int listener) {
  for (std::size_t i = 1; i < stages.size(); ++i) {
    Descriptor hand = second_hand_on(listener);
    if (hand) stages[i]->add_listener(plan, std::move(hand));
  }
}

Stages set_stages(const LiveRunSetup& setup) {
  Stages stages = {std::make_shared<Stage>(setup, *setup.io)};
  for (const auto& io : setup.more_io) stages.push_back(std::make_shared<Stage>(setup, *io));
  std::vector<std::function<void(std::uint64_t)>> tellers;
  for (const auto& stage : stages) tellers.push_back(stage->teller());
  setup.engine->on_event([tellers = std::move(tellers)](std::uint64_t event) {
    for (const auto& tell : tellers) tell(event);
  });
  for (std::size_t i = 1; i < stages.size(); ++i) {
    stages[i]->on_accept([first = std::weak_ptr(stages.front())] {
      const auto stage = first.lock();
      if (stage) stage->io().post([stage] { stage->look_again(); });
    });
  }
  return stages;
}

}  // namespace

// What a client can connect to: every interface is no address.
std::string advertised_host(const std::string& address, const std::string& advertise) {
  if (!advertise.empty()) return advertise;
  if (address == "0.0.0.0") return "127.0.0.1";
  return address == "::" ? "::1" : address;
}

tl::expected<std::unique_ptr<Run>, Error> begin_live_run(LiveRunSetup setup) {
  Stages stages = set_stages(setup);
  const std::shared_ptr<Stage>& stage = stages.front();
  std::vector<LaneAddress> addresses;
  for (const LanePlan& plan : setup.plans) {
    std::string address = plan.address.empty() ? setup.address : plan.address;
    const bool is_apart = !plan.address.empty() && setup.ports.first == 0;
    auto socket =
        is_apart ? listen_apart(plan, *stage) : listen_for(setup, address, addresses.size());
    // A loopback interface that has one address only: less is heard of then, and it is said.
    if (!socket && address != setup.address) {
      address = setup.address;
      socket = listen_for(setup, address, addresses.size());
    }
    if (!socket) return tl::unexpected(socket.error());
    const bool may_change = setup.engine->door(plan.lane, plan.api, setup.clock.now()).may_change;
    if (may_change) {
      socket = keep_port(std::move(*socket), address);
      if (!socket) return tl::unexpected(socket.error());
    }
    const bool needs_an_order = may_change || plan.tls != nullptr || setup.upstreams != nullptr;
    if (!needs_an_order) share_listener(stages, plan, socket->get());
    const Port port = local_port(socket->get());
    addresses.push_back(
        {plan.lane, plan.api, url_of(setup, address, plan.tls != nullptr, port), port});
    stage->add_listener(plan, std::move(*socket));
  }
  std::vector<LaneAddress> proxies;
  for (const auto& table : setup.proxies) {
    auto socket = listen_for(setup, setup.address, addresses.size() + proxies.size());
    if (!socket) return tl::unexpected(socket.error());
    const Port port = local_port(socket->get());
    proxies.push_back({table->lane(), "", url_of(setup, setup.address, false, port), port});
    stage->add_proxy(table, std::move(*socket));
  }
  setup.engine->know_addresses(addresses);
  for (const auto& each : stages) each->io().post([each] { each->start(); });
  return std::make_unique<LiveRun>(std::move(setup), std::move(stages), std::move(addresses),
                                   std::move(proxies));
}

}  // namespace mishap::server
