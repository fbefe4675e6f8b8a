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

  // The vendor takes no keys, but what was made can be looked up.
  bool no_keys = false;

  // Creates are PUT under an id of our own, which may be sent again as often as one likes.
  bool upserts = false;

  // How long the vendor remembers a key since its first use; older ones are not sent again.
  milliseconds key_lifetime = kForever;

  // Reads are all of the first page, and told to the outcome file; where one fails the last known
  // page is used, and said to be that.
  bool uses_last_known = false;

  // Follow redirects, without credentials to another origin.
  bool follows_redirects = false;

  // Somebody waits: how long until a create is told of, be it as pending. It then goes on.
  milliseconds interactive{0};  // 0: nobody waits

  // Many workers in one process that begin `rate` operations a second; 0: one after the other. Keys
  // are then kept in memory.
  int workers = 0;
  int rate = 40;
  milliseconds breaker{0};         // how long it stays open; 0: there is none
  int retry_budget = -1;           // retries a second when it is empty; below zero: there is none
  bool bulkhead = false;           // each route has workers of its own
  bool shares_throttling = false;  // one answer that asks to wait slows the whole route

  bool renews_token = false;  // once for a call that is told 401

  bool writes_outcomes = true;
  // Files in MISHAP_STATE; empty: none.
  std::string log_file;      // instead of standard error
  bool logs_json = false;    // one object a line
  std::string dead_letters;  // what was given up, one JSON object a line
  std::string telemetry;     // counters, written at the end
  std::string wrong;         // name of a switch in wrong_clients.h; empty for the right client
};

}  // namespace booking
