#include "bench/parts/run_of_creates.h"

#include <chrono>
#include <string>

#include <mishap/run.h>

#include "bench/parts/paper_wire.h"

namespace mishap::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHealthy = "mishap: 1\nscenario: creates\napi: booking\n";
constexpr const char* kFaults =
    "faults:\n  - on: POST /v1/bookings\n    when: {attempt: 1}\n"
    "    fault: {kind: status, code: 503}\n";
constexpr Duration kBackoff = 300ms;

client_tests::OutcomeLine outcome(const std::string& reference, Duration at) {
  client_tests::OutcomeLine line;
  line.at = at;
  line.operation = reference;
  line.outcome = client_tests::OutcomeKind::Succeeded;
  return line;
}

client_tests::ProcessFacts process(Duration ended) {
  client_tests::ProcessFacts facts;
  facts.ended = ended;
  facts.samples = 1;
  return facts;
}

client_tests::Recording played(const scenarios::Scenario& scenario, int operations, int attempts) {
  client_tests::Recording recording;
  recording.scenario = client_tests::facts_of(scenario);
  const auto engine = engine_of(scenario);
  Duration now{};
  const auto connection = connect(*engine, "booking", now);
  for (int i = 0; i < operations; ++i) {
    const auto reference = "r-" + std::to_string(i);
    for (int attempt = 1; attempt <= attempts; ++attempt) {
      now += attempt == 1 ? 1ms : kBackoff;
      decide(*engine, connection, create("/v1/bookings", reference, "k-" + std::to_string(i)), now,
             Receipts::Whole);
    }
    recording.outcomes.push_back(outcome(reference, now));
  }
  recording.length = now + 1ms;
  recording.processes.push_back(process(now));
  server::Engine::ConnectionEnd end;
  end.departure = server::Departure::Fin;
  end.departed = end.closed = now;
  engine->connection_ended(connection, end);
  recording.journal = engine->close(recording.length);
  return recording;
}

}  // namespace

client_tests::Recording run_of_creates(int operations) {
  const auto scenario = loaded(std::string(kHealthy) + kFaults);
  auto recording = played(scenario, operations, 2);
  recording.control = "control";
  for (auto& rule : recording.scenario.rules) rule.called_in_control = true;
  return recording;
}

client_tests::Recording control_of_creates(int operations) {
  auto recording = played(loaded(kHealthy), operations, 1);
  recording.is_control = true;
  recording.scenario.name = "control";
  return recording;
}

}  // namespace mishap::bench
