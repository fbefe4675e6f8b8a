#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mishap/boxed.h"
#include "mishap/parameters.h"
#include "mishap/scenario.h"
#include "mishap/units.h"

// The closed list of what the executor can do on a connection. A decision is a list of them; faults
// turn one list into another. std::visit shows every place to extend.
namespace mishap::server {

// Which certificate is shown in a handshake.
enum class Certificate {
  Good,
  SelfSigned,
  Expired,
  NotYetValid,
  WrongName,
  IncompleteChain,  // its issuer is left out
  UnknownCa,        // of an authority that the client was not given
};
std::string_view to_string(Certificate certificate);  // "not_yet_valid"
std::optional<Certificate> certificate_named(std::string_view name);

// TLS: read the client's hello, answer with our flight, read the client's. Where a part of the
// flight or other bytes are sent instead, the handshake goes no further, and the next step follows.
struct Handshake {
  Certificate certificate = Certificate::Good;
  std::optional<Position> cut{};         // so much of our flight: bytes, or a share of it
  std::optional<std::string> instead{};  // bytes in its place, as they are
};

// How many of `total` bytes lie before the place; a place behind the end is the end.
std::uint64_t bytes_before(const Position& place, std::uint64_t total);

// Read the request's body, at most `limit` bytes of it; then, if it was read whole, ask the engine
// for the next moment (`request`). With `slice` set at most that many at a time, slice k at
// start + k * gap (absolute, so that lateness does not add up).
struct ReadBody {
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t slice = 0;
  Duration gap{};
};

// Time passes. The client may leave meanwhile; the list goes on all the same, since a vendor does
// not stop working when its caller hangs up.
struct Wait {
  Duration length{};
};

// Until the engine tells that the event has happened, and no longer than `most`. It ends as well
// when the client leaves.
struct WaitForEvent {
  std::uint64_t event = 0;
  Duration most{};
};

// Items of a batch that are told that they failed, whatever the vendor says of them.
struct SpoiledItems {
  scenarios::Count which;  // of the batch, from 1
  StatusCode status = 503;
  std::string retry_after{};  // empty: not said
  bool carried_out = false;   // all the same
};

// Let it take effect, here or by calling the upstream; the engine's `apply` moment gives the steps
// that stand in its place.
struct Apply {
  bool upstream = false;
  std::vector<SpoiledItems> spoiled{};  // of a batch; the first that means an item counts
};

// What stands behind the written part of a body: `unit` so many times, then `rest`. It is made as
// it goes out, so that a body may be longer than the memory.
struct Filler {
  std::string unit;
  std::uint64_t times = 0;
  std::string rest;
  std::uint64_t size() const { return unit.size() * times + rest.size(); }
};

// An answer that has not been turned into bytes: what content faults work on.
struct SendAnswer {
  StatusCode status = 200;
  std::vector<NameValue> headers;  // without framing fields, which encode() adds
  std::string body;
  bool head_only = false;  // HEAD: framing says the body's length, no body follows
  // Of an upstream: a Content-Length among the headers marks where the right one stands; to a HEAD
  // and in a 304 it is the upstream's word, and none is added.
  bool measured = false;
  std::string reason{};  // empty: the status's own phrase
  Boxed<Filler> filler{};
  bool unframed = false;  // no length and no coding: the end of the connection ends the body

  std::uint64_t body_size() const { return body.size() + (filler ? filler->size() : 0); }
};

enum class Part { Interim, Head, Body };

// Bytes as they go over the wire. With `slice` set they go out that many at a time, slice k at
// start + k * gap (absolute, so that lateness does not add up).
struct Send {
  Part part = Part::Body;
  std::string bytes;
  std::uint64_t slice = 0;
  Duration gap{};
};

inline constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();

// The same bytes so many times, made as they go out; with a gap the k-th at start + k * gap.
// Endless: until the client leaves or the run ends.
struct SendMany {
  Part part = Part::Body;
  std::string unit;
  std::uint64_t times = 0;
  Duration gap{};
};

// Wait until the client's kernel has acknowledged all (SIOCOUTQ is 0), within a bound: a RST
// discards what is unsent.
struct AwaitAcknowledged {};

// Read and throw away what the client still sends, so that an early answer can arrive.
struct Drain {};

// A true FIN: shut down sending, read until the client's end within a bound, close. Half: nothing
// is closed until the client leaves or the run ends.
struct CloseConnection {
  bool half = false;
  bool notifies = true;  // TLS: close_notify goes before the FIN (RFC 8446 section 6.1)
};

// RST: linger 0 and close.
struct ResetConnection {};

// Hold silently until the client leaves or the run ends.
struct Stall {};

// How long a connection may rest before it is ended, counted from the last byte of the answer.
struct Rest {
  Duration length{};
  bool reset = false;  // by RST; else by FIN
};

// Have the client signalled by whoever runs it, and wait until that is done: for a signal that
// cannot be caught until nothing of the client is left.
struct SignalClient {
  std::string signal = "SIGKILL";
  std::optional<Duration> restart_after{};  // its end; nothing: it is not started again
};

// The exchange is over; the connection goes on unless either side asked for `close`.
struct Finish {
  std::optional<Rest> rest{};  // nothing: as long as the client likes
};

using Step = std::variant<Handshake, ReadBody, Wait, WaitForEvent, Apply, SendAnswer, Send,
                          SendMany, AwaitAcknowledged, Drain, CloseConnection, ResetConnection,
                          Stall, SignalClient, Finish>;
using Steps = std::vector<Step>;

// A list of these, which an initializer list would copy.
template <typename... Some>
Steps steps_of(Some&&... some) {
  Steps steps;
  steps.reserve(sizeof...(some));
  (steps.emplace_back(std::forward<Some>(some)), ...);
  return steps;
}

// The first step of that kind.
template <typename Kind>
Steps::iterator find_step(Steps& steps) {
  return std::find_if(steps.begin(), steps.end(),
                      [](const Step& step) { return std::holds_alternative<Kind>(step); });
}

std::string_view name_of(const Step& step);

// There is an answer in steps that leave the vendor out.
bool is_answered_early(const Steps& steps);

// Replaces each SendAnswer by the Sends of its head and body, with Content-Length where the status
// and the method allow a body (RFC 9110 section 8.6). Idempotent.
Steps encode(Steps steps);

// The head that encode() writes for an answer, ending in the blank line.
std::string encode_head(const SendAnswer& answer);

// The standard phrase of a status (RFC 9110 section 15), or "Unassigned".
std::string_view reason_phrase(StatusCode status);

}  // namespace mishap::server
