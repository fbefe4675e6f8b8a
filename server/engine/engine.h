#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mishap/journal.h"
#include "mishap/scenario.h"
#include "mishap/server.h"
#include "server/plan/listening.h"
#include "server/plan/step.h"
#include "server/plan/upstream.h"

// The engine's one entry. It decides and remembers; it does no I/O and has no clock: every call
// brings its instant (run time). A monitor: one lock, held for microseconds, so that counters,
// state and effects step atomically in the order of arrival. All members may be called from any
// thread.
namespace mishap::server {

struct RequestHead {
  std::string method;
  std::string target;              // as sent
  int minor_version = 1;           // HTTP/1.x
  std::vector<NameValue> headers;  // in order
  bool expects_continue = false;
  bool has_body = false;  // Content-Length > 0 or chunked
};

// What became of reading: not a request that HTTP/1.1 allows, or over a limit.
struct Rejection {
  StatusCode status = 400;  // 400, 408, 413, 414, 431, 501, 505
  std::string reason;       // one sentence
  std::string raw;          // first bytes, capped by the caller at 4 KiB
};

struct Decision {
  std::uint64_t id = 0;  // of the connection (accept) or the exchange (head, rejected)
  Steps steps;           // encoded: no SendAnswer is left
};

// A connection, once it is known what it is for.
struct Arrival {
  int lane = 0;
  std::string api;  // empty: turned away at the proxy; nothing else is asked about it than its end
  Port client_port = 0;
  bool tls = false;         // TLS is to be spoken on it
  std::string asked_for{};  // of the proxy: "api.vendor.com:443"
};

// What a listener is to do now.
struct Door {
  ListenerAction action = TakeConnections{};
  std::uint64_t spell = 0;          // in the journal, where it is anything but taking connections
  std::optional<Duration> until{};  // ask again then, and whenever a connection was accepted
  bool may_change = false;          // else it need not be asked again
};

// What was done to the listener in a spell and what the kernel says of it (ListenerSpell).
struct SpellFacts {
  std::optional<Duration> began;
  std::optional<Duration> ended{};
  std::string probe{};
  std::uint64_t dropped = 0;
  std::uint64_t most_open = 0;
  std::uint64_t most_waiting = 0;
  bool heard = false;  // of all who were turned away
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Where its apis can be reached; before anything is accepted. Answers may name them.
  virtual void know_addresses(const std::vector<LaneAddress>& /*addresses*/) {}

  virtual Decision accept(const Arrival& arrival, Duration now) = 0;

  // Asked by the listener of a lane and api before it takes connections and after each one.
  virtual Door door(int /*lane*/, const std::string& /*api*/, Duration /*now*/) { return {}; }
  // All that is known of the spell so far; told again when there is more.
  virtual void spell_seen(std::uint64_t /*spell*/, const SpellFacts& /*facts*/) {}
  // A client's connect in that spell, or since, did not come about.
  virtual void turned_away(std::uint64_t /*spell*/, Port /*client_port*/, Duration /*now*/) {}

  // The head is read. Default steps: a 100 (Continue) where it was asked for, ReadBody.
  virtual Decision head(std::uint64_t connection, RequestHead head, Duration first_byte,
                        Duration now) = 0;

  // The body is read whole. Default steps: Apply.
  virtual Steps request(std::uint64_t exchange, std::string body, Duration now) = 0;

  // At the scripted instant, also after the client left. Default steps: the answer, Finish.
  virtual Steps apply(std::uint64_t exchange, Duration now) = 0;

  // The same in two halves where the upstream of the api answers (Apply::upstream): what to send
  // (asked for once), and what came of it, at the instant when that is known. Without a call there
  // is nothing to send: apply() follows.
  virtual std::optional<UpstreamRequest> call_upstream(std::uint64_t /*exchange*/,
                                                       Duration /*now*/) {
    return std::nullopt;
  }
  virtual Steps apply_answer(std::uint64_t exchange, UpstreamResult /*result*/, Duration now) {
    return apply(exchange, now);
  }

  // Bytes that are no request: recorded, answered 4xx with the reason, then FIN. `head` where one
  // could be parsed (413).
  virtual Decision rejected(std::uint64_t connection, Rejection rejection, Duration first_byte,
                            Duration now) = 0;
  // The same for a request whose head was taken (body too large, bad chunk).
  virtual Steps rejected_body(std::uint64_t exchange, Rejection rejection, Duration now) = 0;

  // Whose client sent it.
  virtual int lane_of(std::uint64_t /*exchange*/) const { return 0; }

  // Early notice, while steps of an exchange are still under way: the client has left (its FIN or
  // RST). Without it a retry that comes while the vendor still works would look like a second
  // operation of equal content. Optional, since only identity by content needs it. Departure::None:
  // we ended the connection ourselves and go on working (a reset before a late commit).
  virtual void client_left(std::uint64_t /*exchange*/, Departure /*departure*/, Duration /*at*/) {}

  virtual void end(std::uint64_t exchange, std::uint64_t body_bytes_read, Receipt receipt) = 0;
  // The same, written down later: before anything else that is asked but apply(), which is for
  // exchanges that were under way by then already, and at settle(). Where many are answered at
  // once, none of them waits for the books of those before it.
  virtual void end_soon(std::uint64_t exchange, std::uint64_t body_bytes_read, Receipt receipt) {
    end(exchange, body_bytes_read, std::move(receipt));
  }
  virtual void settle() {}

  struct ConnectionEnd {
    Departure departure = Departure::None;
    std::optional<Duration> departed;
    std::optional<Duration> server_ended;
    Duration closed{};
    Boxed<TlsFacts> tls{};
  };
  virtual void connection_ended(std::uint64_t connection, const ConnectionEnd& end) = 0;

  // No rule is met from now on, but for those at connect.
  virtual void heal() {}

  virtual Journal snapshot() const = 0;
  virtual std::uint64_t requests() const = 0;
  virtual Duration last_activity() const = 0;
  // `done` runs under the lock: it is quick and calls nothing of the engine's but requests() and
  // last_activity(). It is shown the newest records, which in a run of thousands are not all.
  virtual bool wait(const std::function<bool(const Journal&)>& done, Duration patience) const = 0;
  // Told of each event that a WaitForEvent may be about, once, without the lock; set before traffic
  // comes.
  virtual void on_event(std::function<void(std::uint64_t event)> /*callback*/) {}
  // Called under the lock, as `done` of wait().
  virtual void on_exchange(std::function<void(const Exchange&)> callback) = 0;
  virtual void on_connection(std::function<void(const Connection&)> /*callback*/) {}
  virtual void on_spell(std::function<void(const ListenerSpell&)> /*callback*/) {}

  // Closes the journal: what is still under way is recorded as Open.
  virtual Journal close(Duration now) = 0;
};

using WallClock = std::function<std::chrono::system_clock::time_point(Duration run_time)>;

// `scenario` must have passed check_scenario.
std::unique_ptr<Engine> make_engine(const scenarios::Scenario& scenario, const RunOptions& options,
                                    WallClock wall);

}  // namespace mishap::server
