#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/engine/engine.h"
#include "server/plan/step.h"
#include "server/wire/client_socket.h"
#include "server/wire/effects_to_come.h"
#include "server/wire/events.h"
#include "server/wire/patience.h"
#include "server/wire/receipt_keeper.h"
#include "server/wire/request_reader.h"
#include "server/wire/run_clock.h"
#include "server/wire/task.h"
#include "server/wire/upstreams.h"

namespace mishap::server {

class ClientDesk;
class TlsServer;

// Performs the steps of one exchange (or of an accepted connection before its first byte) and keeps
// its receipt: the only place where steps are performed. The list goes on after the connection has
// ended, since a vendor does not stop working when its caller hangs up; only what needs the
// connection is then left out.
class Executor {
 public:
  struct Context {  // borrowed for the executor's life
    ClientSocket& connection;
    RequestReader& reader;
    Engine& engine;
    RunClock clock;
    const scenarios::Limits& limits;
    const Patience& patience;
    EffectsToCome& effects;
    Events& events;
    ClientDesk& desk;
    Upstreams* upstreams = nullptr;  // null: no api has one
    TlsServer* tls = nullptr;        // null: plain HTTP
  };

  // `exchange` is empty for steps at accept, which send nothing that is recorded.
  Executor(Context context, std::optional<std::uint64_t> exchange);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  Task<void> perform(Steps steps);

  // Our own error: what was under way cannot be finished.
  void fail();

  Receipt take_receipt() { return std::move(receipt_).receipt(); }
  std::optional<Duration> last_write() const { return receipt_.last_write(); }
  bool keeps_alive() const { return keeps_alive_; }
  // How long the connection may rest now, where that is scripted.
  std::optional<Rest> rest() const { return rest_; }
  // Whether an ending was met; at accept: whether no request is to be read.
  bool has_ended() const { return receipt_.has_ended(); }

 private:
  struct AtOnce;
  struct Dispatch;
  Task<void> on(Handshake& step);
  Task<void> on(ReadBody& step);
  Task<void> on(Wait& step);
  Task<void> on(WaitForEvent& step);
  Task<void> on(Apply& step);
  Task<void> on(SendAnswer& step);
  Task<void> on(Send& step);
  Task<void> on(SendMany& step);
  Task<void> on(AwaitAcknowledged& step);
  Task<void> on(Drain& step);
  Task<void> on(CloseConnection& step);
  Task<void> on(ResetConnection& step);
  Task<void> on(Stall& step);
  Task<void> on(SignalClient& step);

  // What of a step can be done without waiting, which is all of it for most requests: a coroutine
  // for each step would cost as much as the step. True: nothing of it is left.
  bool at_once(ReadBody& step);
  bool at_once(Apply& step);
  bool at_once(Send& step);
  bool at_once(Finish& step);

  void apply_here();
  Task<Steps> call_upstream(UpstreamRequest request);
  void prepend(Steps steps);
  void tell_departure();
  void tell_early_ending();
  bool may_still_apply() const;
  void expect_effect();
  void count_effect();
  Task<bool> read_some(const ReadBody& step);
  Task<bool> rest_until(Duration instant);
  void body_is_read(const ReadBody& step);
  void reject_body();
  bool begin_send(Send& step);
  void gather_sends(Send& first);
  Task<bool> write_all(std::string_view bytes, bool counts);
  void wrote(std::string_view bytes, Duration at, bool counts);
  void give_up_writing(Io what);
  void notice_departure();
  void settle_departure();
  void conclude();
  void close_the_book();
  void finish();
  bool is_body_uninvited() const;
  bool is_body_too_long() const;
  bool may_keep_alive() const;
  Duration now() const { return clock_.now(); }

  ClientSocket& connection_;
  RequestReader& reader_;
  Engine& engine_;
  RunClock clock_;
  const scenarios::Limits& limits_;
  const Patience& patience_;
  EffectsToCome& effects_;
  Events& events_;
  ClientDesk& desk_;
  Upstreams* upstreams_;
  TlsServer* tls_;
  std::optional<std::uint64_t> exchange_;
  ReceiptKeeper receipt_;
  Steps pending_;  // from the last to the next
  Duration due_;   // when the step under way should have begun, for the first write's lateness
  bool is_requested_ = false;  // the engine has had the whole request
  bool is_invited_ = false;    // 100 (Continue) was sent
  std::size_t sent_ = 0;       // of the Send under way, at once
  bool keeps_alive_ = false;
  std::optional<Rest> rest_;
  bool is_counted_ = false;  // among the effects to come
};

}  // namespace mishap::server
