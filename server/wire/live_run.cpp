#include "server/wire/live_run.h"

#include <algorithm>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "server/wire/stage.h"

namespace mishap::server {

namespace {

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
  void heal() override { setup_.engine->heal(); }
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
