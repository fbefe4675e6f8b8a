#pragma once

#include <functional>
#include <string>

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

// Fifty calls a second, behind a breaker; the vendor is down from 3 s to 7 s.
struct BreakerClient {
  Duration trips_at = 3500ms;
  Duration open = 1s;
  int probes = 1;
  bool closes = true;
  Duration ends = 12s;
  double fails_within_ms = 1;
  bool tells = true;  // of what it does not send
};

inline constexpr Duration kDown = 3s;
inline constexpr Duration kWellAgain = 7s;
inline constexpr Duration kEvery = 20ms;

inline void run_behind_a_breaker(RecordingBuilder& r, const BreakerClient& client) {
  Duration open_until{};
  bool is_open = false;
  int probes = 0;
  r.promise().breaker = 1s;
  r.promise().attempt_timeout = 1s;
  steadily(0ms, client.ends, kEvery, [&](Duration at, const std::string& reference) {
    if (!is_open && at >= client.trips_at && at < kWellAgain) {
      is_open = true;
      open_until = at + client.open;
    }
    const bool probing = is_open && at >= open_until;
    if (is_open && !probing) {
      if (client.tells) is_not_sent(r, at, reference, client.fails_within_ms);
      return;
    }
    const bool is_well = at < kDown || at >= kWellAgain;
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

}  // namespace mishap::client_tests
