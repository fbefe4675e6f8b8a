#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <unordered_set>
#include <vector>

#include "server/wire/client_desk.h"
#include "server/wire/connect_watch.h"
#include "server/wire/effects_to_come.h"
#include "server/wire/events.h"
#include "server/wire/listener.h"
#include "server/wire/live_run.h"
#include "server/wire/proxy_table.h"
#include "server/wire/session.h"

namespace mishap::server {

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
      std::make_shared<const Session::Surroundings>(
          Session::Surroundings{io_, engine_, clock_, patience_, effects_, events_, desk_,
                                upstreams_, std::make_shared<Settling>(io_, engine_)});
  std::unique_ptr<ConnectWatch> connects_;  // where a listener may turn somebody away
  // Held until the task's end was told, which is later than the end of its coroutine.
  std::unordered_set<std::shared_ptr<Session>> sessions_;
  std::function<void()> on_accept_;
  std::size_t tasks_ = 0;
  bool is_stopping_ = false;
  std::promise<void> ended_;
};

}  // namespace mishap::server
