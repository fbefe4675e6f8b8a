#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mishap/parameters.h"
#include "mishap/units.h"

// The closed list of what the executor can do on a connection. A decision is a list of them; faults
// turn one list into another. std::visit shows every place to extend.
namespace mishap::server {

// Read the request's body, at most `limit` bytes of it; then, if it was read whole, ask the engine
// for the next moment (`request`).
struct ReadBody {
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

// Time passes. The client may leave meanwhile; the list goes on all the same, since a vendor does
// not stop working when its caller hangs up.
struct Wait {
  Duration length{};
};

// Let it take effect, here or by calling the upstream; the engine's `apply` moment gives the steps
// that stand in its place.
struct Apply {
  bool upstream = false;
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

// Wait until the client's kernel has acknowledged all (SIOCOUTQ is 0), within a bound: a RST
// discards what is unsent.
struct AwaitAcknowledged {};

// Read and throw away what the client still sends, so that an early answer can arrive.
struct Drain {};

// A true FIN: shut down sending, read until the client's end within a bound, close.
struct CloseConnection {};

// RST: linger 0 and close.
struct ResetConnection {};

// Hold silently until the client leaves or the run ends.
struct Stall {};

// The exchange is over; the connection goes on unless either side asked for `close`.
struct Finish {};

using Step = std::variant<ReadBody, Wait, Apply, SendAnswer, Send, AwaitAcknowledged, Drain,
                          CloseConnection, ResetConnection, Stall, Finish>;
using Steps = std::vector<Step>;

std::string_view name_of(const Step& step);

// Replaces each SendAnswer by the Sends of its head and body, with Content-Length where the status
// and the method allow a body (RFC 9110 section 8.6). Idempotent.
Steps encode(Steps steps);

// The head that encode() writes for an answer, ending in the blank line.
std::string encode_head(const SendAnswer& answer);

// The standard phrase of a status (RFC 9110 section 15), or "Unassigned".
std::string_view reason_phrase(StatusCode status);

}  // namespace mishap::server
