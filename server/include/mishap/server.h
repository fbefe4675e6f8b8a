#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/clock.h"
#include "mishap/error.h"
#include "mishap/journal.h"
#include "mishap/parameters.h"
#include "mishap/recorded_match.h"
#include "mishap/scenario.h"

// The mock API. One Server holds an I/O thread; any number of runs live on it side by side, each
// with its own ports, state, journal and random streams. A run may have further threads.
namespace mishap::server {

// Gives the faults of a scenario their meaning: unknown names, bad parameters, points where a fault
// makes no sense, rules that can never apply. Starts nothing. `lint` is this plus the checks' part.
Diagnostics check_scenario(const scenarios::Scenario& scenario);

// Whether a client that meets this rule may be left without knowledge of an effect.
bool may_be_ambiguous(const scenarios::FaultRule& rule);

// The fault catalogue in plain words.
std::vector<CatalogueEntry> fault_catalogue();

// Both ends belong to it; 0..0 is no limit.
struct PortRange {
  Port first = 0;
  Port last = 0;
};

struct RunOptions {
  std::uint64_t seed = 0;
  int lanes = 1;      // client copies
  std::string token;  // what Authorization: Bearer must carry where auth is required
  std::string address = "127.0.0.1";  // of an interface, IPv4 or IPv6
  std::string advertise{};            // what URLs name instead of the address; empty: the address
  Port port = 0;                      // 0: any; with several lanes or apis only the first gets it
  PortRange ports{};                  // where `port` is 0: each listener takes a free one of these
  // That serve requests. What needs an order among all that happens stays on the first: TLS,
  // upstreams, and listeners that a rule at connect may close. With more than one, numbers of
  // exchanges may follow another order than their first bytes and effects, so that is not judged.
  int threads = 1;
  // A listener at which somebody may be turned away takes an address of its own in 127.0.0.0/8, so
  // that all of them are heard of; where address, port and advertise are the usual ones.
  bool own_addresses = true;
};

struct LaneAddress {
  int lane = 0;
  std::string api;
  std::string url;  // "http://127.0.0.1:40123"; "https:" where the api speaks TLS
  Port port = 0;
};

// What a rule wants to be done to the client of a lane.
struct SignalOrder {
  std::uint64_t number = 0;  // over the run, from 1
  int lane = 0;
  std::string signal;                       // "SIGKILL"
  std::optional<Duration> restart_after{};  // its end; nothing: it is not started again
};

// One scenario being played. Destroying it ends it. All members may be called from any thread.
class Run {
 public:
  virtual ~Run() = default;
  virtual const std::vector<LaneAddress>& addresses() const = 0;
  // Where clients go that cannot be told a URL: a proxy for each lane, where an api intercepts
  // hosts (its `api` is empty). It goes nowhere else.
  virtual std::vector<LaneAddress> proxies() const { return {}; }
  // The certificate (PEM) that clients must trust where an api speaks TLS or intercepts hosts;
  // empty: none does.
  virtual std::string ca() const { return {}; }
  virtual Duration began() const = 0;  // on the server's clock: subtract it to get run time

  // A copy of what has ended so far, plus what is under way as far as it is known.
  virtual Journal snapshot() const = 0;

  // Number of requests of which a byte has arrived, and when the last of anything happened (run
  // time). Cheap; for watchdogs.
  virtual std::uint64_t requests() const = 0;
  virtual Duration last_activity() const = 0;

  // Waits until `done` holds or `patience` is over; tells which. It is shown the newest records,
  // which in a run of many thousand exchanges are not all.
  virtual bool wait(const std::function<bool(const Journal&)>& done, Duration patience) const = 0;

  // Waits until no effect is still to come (a commit that was scripted to be late), at most
  // `patience`; tells whether that was reached. Called when the client has ended.
  virtual bool settle(Duration patience) const = 0;

  // Called on the I/O thread with every exchange that ends from now on; set it once. Where the run
  // has several threads, from all of them, one at a time; from that of who asks for a snapshot
  // where an exchange has ended just before. It is quick and calls nothing of the run.
  virtual void on_exchange(std::function<void(const Exchange&)> callback) = 0;
  // The same for connections, which end behind their exchanges.
  virtual void on_connection(std::function<void(const Connection&)> /*callback*/) {}
  // Called with a listener's spell whenever more is known of it: when it begins, when it ends, and
  // at once with those that are there already, from this thread.
  virtual void on_spell(std::function<void(const ListenerSpell&)> /*callback*/) {}

  // Called on the I/O thread, and must not block: whoever runs the client signals it and then says
  // so by signalled(). An empty one: nobody does any more, and no signal is sent.
  virtual void on_signal(std::function<void(const SignalOrder&)> /*callback*/) {}
  // It was sent at that instant (run time; nothing: there was no client any more); `gone`: and
  // nothing of the client's processes is left. The exchange that asked for it has been waiting. Any
  // thread.
  virtual void signalled(std::uint64_t /*order*/, std::optional<Duration> /*at*/, bool /*gone*/) {}

  // From now on no rule acts, and whoever comes meets the well vendor; what is under way goes on as
  // planned. Rules at connect are not meant: scenarios that use this have none. Any thread.
  virtual void heal() {}

  // Closes the listeners and connections, ends what is under way, gives the whole journal.
  virtual Journal end() = 0;
};

class Server {
 public:
  virtual ~Server() = default;
  // `scenario` must have passed check_scenario; it is copied. ErrorCode::Environment: no port
  // could be had.
  virtual tl::expected<std::unique_ptr<Run>, Error> begin(const scenarios::Scenario& scenario,
                                                          const RunOptions& options) = 0;
  virtual const Clock& clock() const = 0;
};

// `clock` is borrowed and must outlive the server.
tl::expected<std::unique_ptr<Server>, Error> start_server(const Clock& clock);

}  // namespace mishap::server
