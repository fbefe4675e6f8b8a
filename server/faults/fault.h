#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/error.h"
#include "mishap/journal.h"
#include "mishap/parameters.h"
#include "mishap/scenario.h"
#include "server/faults/origins.h"
#include "server/plan/listening.h"
#include "server/plan/step.h"

// What a fault is. A fault is one file with one FaultDescriptor: a pure function from the steps of
// a moment to other steps, and a pure function that reads from the receipt whether it happened.
namespace mishap::server {

using scenarios::Point;

// The engine decides at four moments. Each point belongs to one: connect, accept, handshake ->
// Accept; request_head, request_body -> Head; before_effect -> Request; the rest -> Apply.
enum class Moment { Accept, Head, Request, Apply };
Moment moment_of(Point point);

// Draws from the stream of one decision; each draw is recorded in the RuleHit with its purpose.
class Draws {
 public:
  virtual ~Draws() = default;
  virtual double uniform(std::string_view purpose) = 0;  // [0, 1)
  virtual double normal(std::string_view purpose) = 0;   // mean 0, deviation 1
};

// What a model said of one exchange. What has memory is no fault's: a model (server/resources/)
// counts and decides, and its fault turns the ruling into steps. Where it does not apply the fault
// is not asked, as if its rate had been lost.
struct Ruling {
  bool applies = true;
  bool refused = true;              // it is turned away
  Duration wait{};                  // how much longer it takes; refused: until it would be let in
  std::uint64_t event = 0;          // that it waits for, no longer than `wait`
  bool opens = false;               // it lets the event happen
  std::vector<Reading> readings{};  // for the proof
};

struct FaultContext {
  Point point;                                 // where this rule acts
  Moment moment;                               // whose steps these are
  std::chrono::system_clock::time_point wall;  // of the decision, for dates in headers
  Draws& draws;
  Ruling ruling{};                             // of a fault with a model
  const Origins* origins = nullptr;            // where the apis of the run are; null: not known
  const std::string* authorization = nullptr;  // of the request, as sent; null: it has none
};

// What is known when an exchange has ended, for the proof. At accept and handshake the subject is a
// connection that has ended: `connection` is it, and `exchange` the first one on it, or one with
// number 0 where none came. At connect it is `spell`, of the listener.
struct Proof {
  const Exchange& exchange;
  Point point;
  const Connection* connection = nullptr;  // borrowed; there and with ends_connection only
  const ListenerSpell* spell = nullptr;    // borrowed; needed at connect only
};

// What a fault has beside it in its scenario.
struct Company {
  std::uint64_t copies = 1;      // of the client, that its rule may meet
  bool keeps_in_flight = false;  // something else makes a request that its rule may meet take time
};

struct FaultDescriptor {
  std::string_view name;
  std::string_view action;      // its word in the `do` form; empty: only a named fault
  std::string_view summary;     // one line
  std::string_view stands_for;  // what causes it in production
  std::string_view since;
  std::vector<ParamSpec> params;
  std::vector<Point> points;   // where it makes sense; the first is the default
  bool shapes_answer = false;  // works on SendAnswer (before it is bytes)

  // The steps of `context.moment` -> what to do instead. Called for every moment that `moments`
  // names (a fault at after_effect may also need the Request moment, for a late commit).
  Steps (*plan)(Steps steps, const Params& params, FaultContext& context) = nullptr;
  // Further moments in which plan() is called, beside the one of its point.
  std::vector<Moment> also;

  // Nothing where the receipt proves that it happened as scripted, else what is missing. A client
  // that left before a wait or stall was over has met it.
  std::optional<std::string> (*shortfall)(const Proof& proof, const Params& params) = nullptr;

  // What read_params cannot see (names that exclude each other). May be null.
  void (*validate)(const Params& params, Point point, const SourceSpan& span,
                   Diagnostics& diagnostics) = nullptr;

  // Whether what it makes of an answer is still the vendor's own to whoever reads HTTP and JSON as
  // they are written: another framing, more fields. Null: it is not.
  bool (*harmless)(const Params& params, Point point) = nullptr;

  // Its proof needs the connection when that has ended, though it is met by an exchange.
  bool ends_connection = false;

  // There is nothing for it to spoil where the api speaks plain HTTP.
  bool needs_tls = false;

  // There is nothing for it to spoil but in a batch.
  bool needs_batch = false;

  // Whether a client that meets it cannot know if its request took effect. Null: it cannot, unless
  // it is harmless.
  bool (*ambiguous)(const Params& params, Point point) = nullptr;

  // Whose ruling it needs: "quota", "capacity", "barrier". Empty: it has no memory.
  std::string_view model = {};

  // At connect, where plan() is not called: what the listener does, and how long where no `during`
  // says so (nothing: for good).
  ListenerAction (*listen)(const Params& params) = nullptr;
  std::optional<Duration> (*listen_for)(const Params& params) = nullptr;

  // Why it does nothing in such company, though it is right by itself, and what to add: a warning
  // of lint. Null: it acts by itself.
  std::optional<std::string> (*idle)(const Params& params, const Company& company) = nullptr;
};

// For `harmless`: whatever the parameters.
inline bool always(const Params&, Point) {
  return true;
}

// All faults, in the order in which `list` shows them.
const std::vector<const FaultDescriptor*>& fault_descriptors();

// By name or by the word of the `do` form.
const FaultDescriptor* find_fault(std::string_view name);
const FaultDescriptor* find_action(std::string_view action);

}  // namespace mishap::server
