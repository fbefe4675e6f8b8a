#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/boxed.h"
#include "mishap/error.h"
#include "mishap/ledger.h"
#include "mishap/parameters.h"
#include "mishap/units.h"

// What was seen and done on the wire. One record per connection and one per exchange, appended when
// its subject ended; inside, the facts stand in the order of a request's life. Instants are since
// the run began. Plain values; a Journal that was handed out is a copy and belongs to its holder.
namespace mishap::server {

// Why the server thinks a request was sent. An Attempt is what policies are judged by.
enum class Role {
  Attempt,
  TransportResend,  // same bytes again < 50 ms after a zero-byte close of a reused connection
  Lookup,           // a read that can find what an open operation may have made
  Poll,             // an equal read again after a delivered success
  Unmatched,        // no route: answered 404 by mishap itself
  Rejected,         // not a request that HTTP allows: answered 4xx by mishap itself
};
std::string_view to_string(Role role);

enum class IdentifiedBy { Nothing, Configured, Reference, Key, Content };
std::string_view to_string(IdentifiedBy by);

// A header or query value as it may be kept. A secret is stored as scheme, salted hash and length.
struct KeptField {
  std::string name;
  std::string value;
  bool secret = false;
};

// A member of a request body by name and type; its value is never kept.
struct MemberSketch {
  std::string name;  // letters, digits, "_", "-", ".", "[", "]"; others are left out
  std::string type;  // "string", "integer", "number", "boolean", "null", "array", "object"
  bool operator==(const MemberSketch&) const = default;
};

struct RequestFacts {
  std::string method;
  std::string target;              // as sent, capped at 8 KiB; secrets in the query are masked
  std::string path;                // decoded path of the target, what routes are matched against
  std::string version;             // "HTTP/1.1"
  std::vector<KeptField> headers;  // in order, duplicates kept
  std::uint64_t body_bytes = 0;    // read
  bool complete = false;           // fully read
  std::string body_hash;           // of the raw bytes
  std::string content_hash;        // of method, target and canonical body
  std::string body_kind;           // "json", "form", "multipart", "other", "bad json"; empty: none
  std::vector<MemberSketch> members;  // of a JSON object or a form, top level, the first 64
  std::string key;        // idempotency key without structured-field quotes; empty: none
  std::string reference;  // natural reference in the body; empty: none
  std::string raw;        // first 4 KiB as sent, only where it could not be read as HTTP
};

// Which operation the request belongs to (scenario-language.md, "Counting").
struct Identity {
  IdentifiedBy by = IdentifiedBy::Nothing;
  std::uint64_t operation = 0;  // number over the run, from 1; 0: none (unmatched, rejected)
  std::uint64_t ordinal = 0;    // operations of the lane, from 1: `op`
  std::uint64_t attempt = 0;    // wire attempts of the operation, from 1: `attempt`
  bool overlapping = false;     // known by content only, while an equal operation was in flight
};

// A random draw and what it was for, so that a run can be repeated and compared.
struct Draw {
  std::string purpose;
  double value = 0;
};

// What a model counted or measured when it was asked about an exchange, in plain numbers; spans of
// time in seconds.
struct Reading {
  std::string of;
  double value = 0;
};

// A rule whose matcher and counters this exchange met.
struct RuleHit {
  std::string rule;
  std::string fault;
  std::string point;
  bool fired = false;  // rate draw won (always true without a rate), and its model had it so
  std::vector<Draw> draws;
  bool delivered = false;  // the receipt proves that it happened on the wire as scripted
  std::string shortfall;   // why not
  std::uint64_t op = 0;    // which of the operations that its matcher met, from 1; 0: not known
  std::vector<Reading> readings{};
};

enum class Delivery { Nothing, PartOfHead, PartOfBody, Complete };
std::string_view to_string(Delivery delivery);

enum class Ending {
  Open,        // run ended while the exchange was still under way
  KeptAlive,   // answered, connection goes on
  Finished,    // answered, then FIN
  Closed,      // FIN instead of (the rest of) an answer
  Reset,       // RST sent
  Stalled,     // held silently until the client left or the run ended
  ClientLeft,  // the client left first
  Failed,      // our own error, e.g. out of descriptors; never the client's fault
};
std::string_view to_string(Ending ending);

enum class Departure { None, Fin, Rst };
std::string_view to_string(Departure departure);

struct AnswerFacts {
  StatusCode status = 0;  // of the final answer that was meant to be sent; 0: none
  std::vector<NameValue> headers;
  std::uint64_t body_bytes = 0;  // of the body as planned
  std::string body_hash;
  bool healthy = false;   // what the well vendor answers; at most in another, right form
  bool changed = false;   // not byte for byte what it answers
  bool success = false;   // 2xx by status
  bool replayed = false;  // a stored answer for the idempotency key
};

// Bytes of an answer that the kernel accepted at once.
struct Write {
  Duration at{};             // immediately before
  std::uint64_t offset = 0;  // of its first byte, from the start of the answer
  std::uint64_t bytes = 0;
};

// A signal that the steps had sent to the client of the lane.
struct ClientSignal {
  std::string name;              // "SIGKILL"
  Duration asked{};              // the executor came to that step
  std::optional<Duration> sent;  // none: nobody here runs the client, or it had ended before
  bool gone = false;             // nothing of the client was left then
  bool restarts = false;         // it is to be started again
};

// What the executor did, not what it was asked.
struct Receipt {
  std::optional<Duration> first_write;  // taken immediately before the first byte of an answer
  std::optional<Duration> last_write;   // immediately before the last write
  std::uint64_t bytes_planned = 0;
  std::uint64_t head_planned = 0;   // of these, the head
  std::uint64_t bytes_written = 0;  // accepted by the kernel
  std::string bytes_hash;           // of what was written
  std::vector<Write> writes;        // the first 16 and the last 16
  std::uint64_t more_writes = 0;    // between these
  std::uint64_t interim_bytes = 0;  // of 1xx answers, which count nowhere else
  // Bytes that the client's kernel had not acknowledged when it ended (SIOCOUTQ); none where the
  // connection was gone. What was acknowledged may still be unread.
  std::optional<std::uint64_t> unacknowledged;
  Delivery delivery = Delivery::Nothing;  // of the final answer, by what was written
  Ending ending = Ending::Open;
  std::optional<Duration> ended;  // instant of FIN, RST or last byte
  Departure departure = Departure::None;
  std::optional<Duration> departed;  // the client's FIN or RST, seen during the exchange
  Duration lag{};                    // worst lateness of a scripted wait or of the first write
  std::vector<ClientSignal> signals;
};

// One item of a batch: an operation of its own, that shares its request and its answer with others.
struct BatchItem {
  Identity identity;
  std::string key;                     // of the item itself, as kept; empty: none
  std::string reference;               // empty: none
  std::string content_hash;            // of the item
  StatusCode status = 0;               // told about it in the answer as meant to be sent; 0: none
  bool healthy = false;                // it is what the well vendor says of it
  bool replayed = false;               // a stored answer for its key
  std::vector<std::uint64_t> effects;  // ledger numbers
};

// A call to the upstream, where the api has one.
struct UpstreamCall {
  std::optional<Duration> sent;      // the first byte of the request left, or may have
  std::optional<Duration> answered;  // the whole answer was there
  StatusCode status = 0;             // 0: no answer
  std::string failure;               // why there is no answer, one sentence
  bool in_doubt = false;             // whether it took effect there is not known
};

struct Exchange {
  std::uint64_t number = 0;  // over the run, in order of arrival, from 1
  int lane = 0;
  std::string api;
  std::uint64_t connection = 0;
  std::uint64_t on_connection = 0;  // n-th request on it, from 1
  Duration first_byte{};            // first byte of the request read
  std::optional<Duration> head_read;
  std::optional<Duration> request_read;  // fully
  std::optional<Duration> applied;  // the effect's instant, where `apply` ran; of an upstream's
                                    // answer, since its effect is known from then on
  RequestFacts request;
  Identity identity;
  Role role = Role::Attempt;
  bool safe = false;                     // GET, HEAD, OPTIONS, or a POST that only reads
  bool idempotent = false;               // safe, PUT or DELETE
  std::vector<std::uint64_t> looked_up;  // operations this read could have found
  bool found = false;                    // and it did
  std::vector<std::uint64_t> effects;    // ledger numbers
  std::vector<BatchItem> items;  // of a batch, in its order; the batch itself is no operation
  std::vector<RuleHit> rules;
  UpstreamCall upstream;
  AnswerFacts answer;
  Receipt receipt;
  std::string note;  // unmatched: the nearest route; rejected or refused (4xx): the reason
};

// The TLS side of a connection (RFC 8446), where its api speaks TLS. "Our flight" is all that we
// send until the handshake is finished; a fault may send something else in its place.
struct TlsFacts {
  std::optional<Duration> hello;     // the client's hello was read
  std::optional<Duration> finished;  // the handshake: the client went along with our certificate
  std::string server_name;           // that the client asked for (SNI); empty: none
  std::string version;               // "TLSv1.3", once that is settled
  std::string certificate;           // which one was to be shown: "good", "expired" ...
  std::uint64_t flight_planned = 0;  // bytes of our flight as far as it was made
  std::uint64_t flight_sent = 0;     // of these, accepted by the kernel
  // Of the client's alert (RFC 8446 section 6), the last one: 42 is bad_certificate, 0
  // close_notify.
  std::optional<std::uint64_t> client_alert;
  std::string failure;      // why the handshake, or what came behind it, failed; one sentence
  bool plain_http = false;  // the client spoke plain HTTP in place of TLS
  std::optional<Duration> close_notify;  // we said that nothing more comes
};

struct Connection {
  std::uint64_t number = 0;  // over the run, from 1
  int lane = 0;
  std::string api;
  Port client_port = 0;
  Duration accepted{};
  std::uint64_t exchanges = 0;
  std::optional<Duration> closed;         // both sides done, or the run ended
  Departure departure = Departure::None;  // how the client left, if it did first
  std::optional<Duration> departed;
  std::optional<Duration> server_ended;  // our FIN or RST
  // What the client asked the run's proxy for ("api.vendor.com:443"); empty: it came by itself.
  // With an empty `api` nothing stands in for that, and it was turned away.
  std::string asked_for;
  Boxed<TlsFacts> tls;         // nothing where plain HTTP was to be spoken
  std::vector<RuleHit> rules;  // at accept and handshake
};

// A time in which a listener did not take connections as a well one does, and what the kernel said
// of it. A client that is refused or left unanswered leaves no connection behind.
struct ListenerSpell {
  std::uint64_t number = 0;  // over the run, from 1
  int lane = 0;
  std::string api;
  std::string what;               // "refused", "unanswered", "limited"
  std::optional<Duration> began;  // when it was done to the socket; none: it could not be
  std::optional<Duration> ended;  // none: with the run
  std::optional<Duration> until;  // when it was to end by its rule; none: never
  // What a connect of our own met meanwhile: "refused", "connected", "no answer"; empty: none made.
  std::string probe;
  std::uint64_t dropped = 0;       // SYNs that the kernel left unanswered (SO_MEMINFO)
  std::uint64_t most_open = 0;     // connections at once
  std::uint64_t most_waiting = 0;  // that the kernel had taken and nobody had accepted
  // Whoever was turned away stands in Journal::turned_away. False: the system does not tell of
  // them, or told of more than could be heard.
  bool heard = false;
  std::vector<RuleHit> rules;
};

// A connect that did not come about: refused, or given up by the client before it was answered.
// It is known by the end of its socket (sock_diag), so `at` is when the client closed that, not
// when it was refused. One whose socket stayed open until the end is missing.
struct TurnedAway {
  std::uint64_t spell = 0;  // the last that had begun by then
  int lane = 0;
  std::string api;
  Duration at{};
  Port client_port = 0;
};

struct Journal {
  std::deque<Connection> connections;   // by number
  std::deque<Exchange> exchanges;       // by number
  std::deque<Effect> effects;           // by number
  std::vector<ListenerSpell> spells;    // by number
  std::vector<TurnedAway> turned_away;  // in order of time
  std::uint64_t lost = 0;               // records for which there was no room (never silently)
};

// JSON Lines, one record a line, `{"kind":"exchange",...}`; reading gives back an equal journal.
std::string to_json_lines(const Journal& journal);
tl::expected<Journal, Error> parse_json_lines(std::string_view text);

}  // namespace mishap::server
