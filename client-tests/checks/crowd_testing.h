#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "client-tests/checks/check_testing.h"

// Recordings of clients that begin operations at a steady rate, for the checks on many calls.
namespace mishap::client_tests {

// A call for each instant in [from, to); `tell` says what became of it.
inline void steadily(Duration from, Duration to, Duration every,
                     const std::function<void(Duration at, const std::string& reference)>& tell) {
  for (Duration at = from; at < to; at += every) {
    tell(at, "r-" + std::to_string(at / 1ms));
  }
}

inline void goes_well(RecordingBuilder& r, Duration at, const std::string& reference) {
  r.create(reference).attempt(at).answered(201, at + 2ms);
  r.outcome(at + 3ms, reference, OutcomeKind::Succeeded);
}

inline void fails(RecordingBuilder& r, Duration at, const std::string& reference) {
  r.create(reference).attempt(at).fired("down", "status").failed_with(503, at + 2ms);
  r.outcome(at + 3ms, reference, OutcomeKind::Failed);
}

inline void is_not_sent(RecordingBuilder& r, Duration at, const std::string& reference,
                        double duration_ms = 1) {
  r.outcome(at + 1ms, reference, OutcomeKind::Failed).duration_ms = duration_ms;
}

// The good day: calls from 0 to `until`, and the end of the client.
inline void well_until(RecordingBuilder& r, Duration until, Duration every) {
  r.control();
  steadily(0ms, until, every,
           [&](Duration at, const std::string& reference) { goes_well(r, at, reference); });
  r.process(0ms, until, 0);
}

inline void times_out(RecordingBuilder& r, Duration at, Duration left,
                      const std::string& reference) {
  r.create(reference).attempt(at).fired("hangs", "stall").stalled().left(left);
  r.outcome(left + 1ms, reference, OutcomeKind::Failed);
}

// Fifty calls a second, behind a breaker; the vendor is down from 3 s to 7 s.
struct BreakerClient {
  Duration trips_at = 3500ms;
  Duration open = 1s;
  int probes = 1;
  bool closes = true;
  Duration ends = 12s;
  double fails_within_ms = 1;
  bool tells = true;  // of what it does not send
  // The vendor is down again from then on, and the breaker sees it a little later.
  Duration down_again = 1000s;
};

inline constexpr Duration kDown = 3s;
inline constexpr Duration kWellAgain = 7s;
inline constexpr Duration kEvery = 20ms;

inline bool is_down(const BreakerClient& client, Duration at) {
  return (at >= kDown && at < kWellAgain) || at >= client.down_again;
}

inline void run_behind_a_breaker(RecordingBuilder& r, const BreakerClient& client) {
  Duration open_until{};
  bool is_open = false;
  int probes = 0;
  r.promise().breaker = 1s;
  r.promise().attempt_timeout = 1s;
  steadily(0ms, client.ends, kEvery, [&](Duration at, const std::string& reference) {
    const bool trips = at < kWellAgain ? at >= client.trips_at : at >= client.down_again + 200ms;
    if (!is_open && trips) {
      is_open = true;
      open_until = at + client.open;
    }
    const bool probing = is_open && at >= open_until;
    if (is_open && !probing) {
      if (client.tells) is_not_sent(r, at, reference, client.fails_within_ms);
      return;
    }
    const bool is_well = !is_down(client, at);
    is_well ? goes_well(r, at, reference) : fails(r, at, reference);
    if (!probing || ++probes < client.probes) return;
    probes = 0;
    is_open = !is_well || !client.closes;
    open_until = at + client.open;
  });
  r.process(0ms, client.ends, 1);
}

// What a check finds of such a client; the good day is as long.
inline Finding ask_behind_a_breaker(const CheckDescriptor& check, const BreakerClient& client,
                                    const Node& values = {}) {
  RecordingBuilder usual("healthy");
  well_until(usual, client.ends, kEvery);
  RecordingBuilder r("outage");
  run_behind_a_breaker(r, client);
  return ask(check, r, &usual, nullptr, values);
}

inline constexpr Duration kNever = 1000s;

// No breaker, and twenty workers that wait up to 2 s for an answer; what finds none free is refused
// at once. Fifty calls a second, none of which is answered before 5 s.
inline void run_with_few_workers(RecordingBuilder& r) {
  r.promise().breaker = 1s;
  r.promise().attempt_timeout = 2s;
  std::vector<Duration> free_at(20);
  steadily(0ms, 8s, kEvery, [&](Duration at, const std::string& reference) {
    const auto worker = std::ranges::find_if(free_at, [&](Duration free) { return free <= at; });
    if (worker == free_at.end()) return is_not_sent(r, at, reference);
    *worker = at + (at < 5s ? Duration(2s) : Duration(5ms));
    at < 5s ? times_out(r, at, at + 2s, reference) : goes_well(r, at, reference);
  });
  r.process(0ms, 8s, 1);
}

inline Finding ask_with_few_workers(const CheckDescriptor& check) {
  RecordingBuilder usual("healthy");
  well_until(usual, 8s, kEvery);
  RecordingBuilder r("all-hang");
  run_with_few_workers(r);
  return ask(check, r, &usual);
}

// Behind a breaker, and reads that fail as well and are not sent for a while either: which of the
// two it was that was not sent nobody can tell.
inline Finding ask_with_two_in_trouble(const CheckDescriptor& check) {
  RecordingBuilder usual("healthy");
  well_until(usual, 12s, kEvery);
  RecordingBuilder r("outage");
  run_behind_a_breaker(r, {});
  for (Duration at = 3s; at < 3500ms; at += kEvery) {
    r.read().attempt(at + 7ms).fired("down", "status").failed_with(503, at + 9ms);
  }
  for (Duration at = 8s; at < 12s; at += kEvery) {
    r.read().attempt(at + 7ms).answered(200, at + 9ms);
  }
  return ask(check, r, &usual);
}

}  // namespace mishap::client_tests
