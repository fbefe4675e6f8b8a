#pragma once

#include <string>

#include "client-tests/checks/check_testing.h"

// Recordings of clients that a scenario signals: one that is killed at the second of three creates
// and started again, and one that is told to end while a create waits for its next attempt.
namespace mishap::client_tests {

inline constexpr Duration kKilled = 120ms;
inline constexpr Duration kReborn = 400ms;

// The first life, its end by the scenario and the second, which ends by itself.
inline void two_lives(RecordingBuilder& r, Duration ended = 900ms, int exit_code = 0) {
  ProcessFacts& first = r.process(0ms, kKilled + 10ms, 0);
  first.stop = Stop::Scripted;
  first.signal = 9;
  first.told_to_end = kKilled;
  r.process(kReborn, ended, exit_code).life = 2;
}

inline server::ClientSignal killed() {
  server::ClientSignal signal;
  signal.name = "SIGKILL";
  signal.asked = kKilled;
  signal.sent = kKilled;
  signal.gone = true;
  signal.restarts = true;
  return signal;
}

// The create that is cut by the kill, after its effect.
inline OperationBuilder cut_create(RecordingBuilder& r) {
  auto cut = r.create("b").key("k2");
  auto attempt = cut.attempt(100ms).effect().fired("killed").left(kKilled + 2ms);
  attempt.raw().receipt.signals = {killed()};
  return cut;
}

inline void first_create(RecordingBuilder& r) {
  r.create("a").key("k1").attempt(50ms).effect().answered(201, 52ms);
  r.outcome(55ms, "a", OutcomeKind::Succeeded);
}

inline void last_create(RecordingBuilder& r) {
  r.create("c").key("k3").attempt(700ms).effect().answered(201, 702ms);
}

inline void good_day(RecordingBuilder& control) {
  control.control();
  for (const char* name : {"a", "b", "c"}) {
    control.create(name).key(name).attempt(10ms).effect().answered(201, 12ms);
  }
  control.process(0ms, 100ms, 0);
}

// A create that is told to come again in 3 s, and the signal in the middle of that wait.
inline server::ClientSignal told_to_end(const std::string& name) {
  server::ClientSignal signal;
  signal.name = name;
  signal.asked = signal.sent.emplace(500ms);
  return signal;
}

inline void waiting_create(RecordingBuilder& r, const std::string& name = "SIGTERM") {
  auto attempt = r.create("a").key("k1").attempt(0ms).fired("wait").failed_with(503, 4ms);
  attempt.raw().receipt.signals = {told_to_end(name)};
}

inline ProcessFacts& ended_at(RecordingBuilder& r, Duration at) {
  ProcessFacts& process = r.process(0ms, at, 1);
  process.stop = Stop::Scripted;
  process.told_to_end = 500ms;
  return process;
}

}  // namespace mishap::client_tests
