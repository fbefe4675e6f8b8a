#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mishap/scenario.h"
#include "server/engine/engine.h"
#include "server/wire/client_socket.h"
#include "server/wire/executor.h"
#include "server/wire/io_thread.h"
#include "server/wire/patience.h"
#include "server/wire/request_reader.h"
#include "server/wire/run_clock.h"
#include "server/wire/settling.h"
#include "server/wire/task.h"
#include "server/wire/upstreams.h"

namespace mishap::server {

class ClientDesk;
class ProxyTable;
class TlsServer;

// One connection from its accept to its end: reads a request's head, asks the engine, has the steps
// performed, hands back the receipt, and so on. I/O thread only.
class Session {
 public:
  // The same for all sessions of a run.
  struct Surroundings {
    IoThread& io;  // outlives the session
    std::shared_ptr<Engine> engine;
    RunClock clock;
    Patience patience;
    std::shared_ptr<EffectsToCome> effects;
    std::shared_ptr<Events> events;
    std::shared_ptr<ClientDesk> desk;
    std::shared_ptr<Upstreams> upstreams;  // null: no api has one
    std::shared_ptr<Settling> settling;
  };
  struct Setup {
    std::shared_ptr<const Surroundings> around;
    scenarios::Limits limits;
    std::shared_ptr<TlsServer> tls{};  // null: plain HTTP
  };

  Session(Setup setup, Descriptor socket, Decision accepted);
  // Of a proxy: what the client asks it for decides on limits, TLS and api, and then the engine is
  // asked.
  Session(Setup setup, Descriptor socket, std::shared_ptr<const ProxyTable> proxy,
          Port client_port);

  // Ends by itself with the connection; lets no exception out. `self` keeps the session alive.
  static Task<void> run(std::shared_ptr<Session> self);

  // The run is over: ends soon, whatever it waits for.
  void abort() { connection_.abort(); }

 private:
  enum class Reading { Head, Rejected, Over };

  Task<void> serve();
  Task<bool> enter();
  Task<bool> perform_accept();
  Task<bool> serve_request();
  Task<Reading> read_head();
  Reading end_in_head(const Transfer& got);
  void end_rest();
  void begin_rest(const Executor& executor);
  Task<bool> perform(Decision decision);
  Task<void> linger();
  void report_end();
  Executor::Context context();

  Setup setup_;
  // Of a proxy, else null.
  std::shared_ptr<const ProxyTable> proxy_;
  Port client_port_ = 0;
  Duration began_;

  ClientSocket connection_;
  RequestReader reader_;
  Decision accepted_;
  std::optional<Duration> heard_;
  // Between requests: when the connection is to end, and how.
  std::optional<Duration> rest_until_;
  bool rest_ends_by_reset_ = false;
};

}  // namespace mishap::server
