#pragma once

#include <functional>
#include <memory>
#include <set>

#include "server/engine/engine.h"
#include "server/wire/alarm.h"
#include "server/wire/io_thread.h"
#include "server/wire/os_linux.h"
#include "server/wire/os_sock_diag.h"
#include "server/wire/patience.h"
#include "server/wire/run_clock.h"
#include "server/wire/task.h"

namespace mishap::server {

// Accepts the connections of one lane and api, and does what the rules at connect ask of it. I/O
// thread only, from run() on.
class Listener final : public Watched {
 public:
  struct Calls {
    std::function<void(Descriptor socket, Port client_port)> accept;
    std::function<Door(Duration now)> door;
    std::function<void(std::uint64_t spell, const SpellFacts& facts)> seen;
    std::function<void(std::uint64_t spell, Port client_port, Duration now)> turned_away;
  };

  Listener(IoThread& io, RunClock clock, const Patience& patience, Descriptor socket, Calls calls);
  ~Listener() { stop(); }

  // Does what is asked of it from the beginning: before anybody is told the address.
  void prepare();
  static Task<void> run(std::shared_ptr<Listener> self);
  void stop();
  void on_ready(const Readiness& readiness) override;

  // Asks what to do again: the scenario's clock has started, perhaps.
  void look_again();
  // One of those it accepted has ended.
  void connection_ended();

  bool is_meant_by(const EndedSocket& ended) const;
  bool may_turn_away() const { return door_.may_change; }
  // Whether all are heard of to whom it did not answer.
  void hear(bool hears);
  // A socket of somebody's that was meant for it has ended.
  void socket_ended(const EndedSocket& ended);

 private:
  Task<void> accept_all();
  AcceptStatus drain_queue();
  void follow();
  void begin_spell();
  void end_spell(std::optional<Duration> at);
  void refuse();
  void reset_who_waits();
  void turn_away(Port client_port);
  void listen_after_refusing();
  void leave_unanswered();
  void look_at_queue();
  bool may_accept() const;

  IoThread& io_;
  RunClock clock_;
  Duration back_off_;
  Alarm alarm_;
  Descriptor socket_;
  Calls calls_;
  Door door_{.may_change = true};
  SpellFacts facts_;
  Descriptor parked_;  // fills the queue where connects are left unanswered
  Port probe_ = 0;     // our own end of the connect that tried whether it refuses
  std::uint64_t last_spell_ = 0;
  std::set<Port> accepted_;  // their clients' ends, while they are not known to be over
  std::uint64_t open_ = 0;
  std::uint64_t watch_ = 0;
  bool is_watched_ = false;
  bool is_ready_ = true;
};

}  // namespace mishap::server
