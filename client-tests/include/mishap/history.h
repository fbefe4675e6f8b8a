#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mishap/recording.h"

// The journal told by operation instead of by time: what a check reasons about (checks.md section
// 1, "Words"). Derived, never stored. Pointers borrow from the Recording it was made from, or from
// `items`: it is moved, not copied.
namespace mishap::client_tests {

enum class OperationClass { Safe, Idempotent, Keyed, Unkeyed };
std::string_view to_string(OperationClass klass);

// What a correct client can infer about an attempt from what reached it.
enum class Knowable { NotProcessed, Ambiguous, Processed };
std::string_view to_string(Knowable knowable);

// What happened, from ledger and receipt. Unknown: an upstream did not say.
enum class Truth { NotReceived, NoEffect, Effect, EffectLater, Unknown };
std::string_view to_string(Truth truth);

// How an attempt ended for the client.
enum class Result {
  Success,      // complete, unspoiled 2xx
  Spoiled,      // complete by framing, but the body is not the vendor's (junk, wrong shape)
  Redirect,     // 3xx
  Throttled,    // 429, or 413 and 503 with Retry-After
  ClientError,  // another 4xx
  ServerError,  // 5xx
  Broken,       // connection ended before the answer was complete
  Abandoned,    // the client left while an answer was owed
  Unanswered,   // still owed when the run ended, or when the scenario had the client ended
};
std::string_view to_string(Result result);

struct Attempt {
  const server::Exchange* exchange = nullptr;
  std::uint64_t policy_number = 0;  // from 1; a transport resend has the number of its original
  bool transport_resend = false;
  Result result = Result::Success;
  Knowable knowable = Knowable::Processed;
  Truth truth = Truth::NoEffect;
  // The instant at which the client could see the failure: the last write begun, our FIN or RST, or
  // its own departure. Absent for a success and while nothing was there to see.
  std::optional<Duration> failed_at;
  // First byte of this attempt minus failed_at of the policy attempt before (of its resend, where
  // there was one); absent for the first, for resends, for hedges and after a success.
  std::optional<Duration> gap;
  bool hedged = false;         // its first byte came before the attempt before was answered or left
  int life = 1;                // of the client, that sent it
  bool cut_by_signal = false;  // an answer was owed when the scenario had that life ended
  // While an answer was owed: when the client let go (its FIN or RST, its next attempt of the
  // operation, or its last word in the outcome file, whichever is first).
  std::optional<Duration> abandoned_at;
};

struct Operation {
  std::uint64_t number = 0;  // journal's
  std::uint64_t ordinal = 0;
  int lane = 0;
  std::string method;
  std::string path;
  std::string name;  // for people: the reference, "key ab12…", or "POST /v1/bookings #2"
  std::string reference;
  std::vector<std::string> keys;  // distinct, in order of appearance
  OperationClass klass = OperationClass::Safe;
  server::IdentifiedBy by = server::IdentifiedBy::Nothing;
  bool overlapping = false;  // known by content only and equal ones overlapped: keys are not judged
  std::vector<Attempt> attempts;                 // all on the wire, in order
  std::vector<const server::Exchange*> lookups;  // reads that could have found it
  std::vector<const server::Effect*> effects;
  std::vector<const OutcomeLine*> outcomes;  // its own, by reference or key; last one wins
  std::uint64_t policy_attempts = 0;         // without transport resends
  bool polled = false;  // repeated after success without need: a poller, not a retrier
};

class HistoryIndex;  // what checks look up again and again, made when it is first asked for

struct History {
  const Recording* recording = nullptr;  // that it was made from
  // An item of a batch is told as a call of its own, with what it shares with the others.
  std::deque<server::Exchange> items;
  std::vector<Operation> operations;  // by number; every read is one, also lookups and polls
  std::vector<const server::Exchange*> unmatched;   // Unmatched, Rejected, or of no operation
  std::vector<const OutcomeLine*> orphan_outcomes;  // name no operation that was seen
  std::vector<const OutcomeLine*> read_outcomes;    // "GET /v1/products": name a read
  std::shared_ptr<const HistoryIndex> index;
};

History make_history(const Recording& recording);

}  // namespace mishap::client_tests
