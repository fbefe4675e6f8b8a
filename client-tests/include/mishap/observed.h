#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mishap/recording.h"

// What a client did in runs in which its calls failed for good: measured, not judged. What the
// sample does not show is absent, and never filled in. Spans are in seconds.
namespace mishap::client_tests {

// Calls of one method whose every attempt failed in one way.
struct AttemptsSeen {
  std::string failure{};  // "503", "reset", "close", "no answer"
  std::string method{};
  std::size_t calls = 0;
  std::uint64_t least = 0;  // attempts of a call
  std::uint64_t most = 0;
  bool stopped = false;    // the client would not give up and was ended: it might have gone on
  bool uncertain = false;  // equal calls of its own may be counted among them
};

// A port at which nobody listens tells how often somebody came, and not for which call.
struct RefusedSeen {
  std::uint64_t connects = 0;
  std::uint64_t calls = 0;  // that the client makes on a good day
};

struct SpanSeen {
  std::size_t count = 0;
  double least = 0;
  double middle = 0;
  double most = 0;
};

enum class GrowthSeen { Unknown, Grows, Constant };

// How long it waits between attempts by its own choice.
struct BackoffSeen {
  std::string method{};
  std::size_t calls = 0;          // of so many, side by side
  std::vector<double> medians{};  // of the first wait, the second ...
  double longest = 0;
  bool first_at_once = false;  // the first wait is none; the shape is that of the others
  GrowthSeen growth = GrowthSeen::Unknown;
  double multiplier = 0;  // from one wait to the next, where it grows; 95 % between the next two
  double lower = 0;
  double upper = 0;
  std::string shape{};          // "linear", "quadratic", "exponential"; empty: not to be told
  std::optional<double> cap{};  // the waits stood still here while the client still tried
  std::optional<bool> jitter{};
  std::string family{};   // of jitter: "full" ...; empty: not to be told
  std::size_t inner = 0;  // attempts of one turn, where a retry loop stands in another; 0: in none
  std::size_t outer = 0;
};

// How an operation was given up for its time, before its attempts were used up.
struct DeadlineSeen {
  double at_least = 0;  // it still went on
  double at_most = 0;   // it would not
};

struct RetryAfterSeen {
  std::size_t waited = 0;   // came back not before it was asked to
  std::size_t early = 0;    // came back before
  std::size_t gave_up = 0;  // did not come back
};

struct KeysSeen {
  std::size_t creates = 0;   // on the good day
  std::size_t with_key = 0;  // of these
  std::size_t repeated = 0;  // creates with a key that were sent more than once, in all runs
  std::size_t stable = 0;    // of these, always with one key
};

struct Observed {
  std::vector<AttemptsSeen> attempts;  // by failure, then by method
  std::optional<RefusedSeen> refused;
  std::optional<BackoffSeen> backoff;       // of the method of which most was seen
  std::optional<SpanSeen> attempt_timeout;  // how long it waited for an answer that never came
  std::optional<double> no_timeout_within;  // it still waited for one after so long
  std::optional<DeadlineSeen> deadline;
  std::optional<double> longest_operation;  // of those that were given up
  RetryAfterSeen retry_after;
  KeysSeen keys;
  std::vector<std::string> notes;  // runs that could not be played, and why
};

// Controls first, as in any suite. Recordings of any scenario will do; those of the pack `observe`
// are made for it.
Observed observe(const Suite& suite);

// What of it can be promised, as a block for mishap.yaml, and what cannot as comments. Bounds are
// rounded up to what people write, attempts are as seen.
std::string promise_block(const Observed& observed);

}  // namespace mishap::client_tests
