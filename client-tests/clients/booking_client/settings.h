// What the client was told by its flags. Plain data.
#pragma once

#include <chrono>
#include <string>

namespace booking {

using std::chrono::milliseconds;

// "No limit" for a duration: long enough for any run, short enough to be added to a time point.
inline constexpr milliseconds kForever = std::chrono::hours(24 * 365 * 80);

struct Settings {
  int creates = 3;
  int reads = 2;

  bool batch = false;  // all creates in one request

  milliseconds attempt_timeout{1000};  // one attempt: connect, send, and read the whole answer
  milliseconds deadline{12000};        // one operation: all its attempts, waits and lookups
  int max_attempts = 5;                // counts the first

  milliseconds base{100};  // ceiling of the first wait; doubles from there
  milliseconds max_delay{2000};
  milliseconds min_delay{50};  // full jitter may draw zero, and zero is hammering
  milliseconds retry_after_limit{10000};
  // Floor of the wait while the server says that it still works on an earlier attempt: asking
  // faster than it can finish uses the attempts up.
  milliseconds in_progress_delay{500};

  milliseconds stay{0};  // how long the program lives on after its work, as a service would

  // The vendor takes no keys and lists nothing: what was not answered cannot be found out.
  bool plain_vendor = false;

  // Follow redirects, without credentials to another origin.
  bool follows_redirects = false;

  bool writes_outcomes = true;
  std::string wrong;  // name of a switch in wrong_clients.h; empty for the right client
};

}  // namespace booking
