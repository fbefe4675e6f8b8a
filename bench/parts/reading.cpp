// A scenario from its text, and what lint says of it.
#include <string>

#include <benchmark/benchmark.h>

#include <mishap/scenario.h>
#include <mishap/server.h>
#include <mishap/verdict.h>

#include "bench/parts/paper_wire.h"
#include "bench/parts/parts.h"

namespace mishap::bench {
namespace {

constexpr const char* kShipped = "core/response-lost-after-create";

void parse_shipped(benchmark::State& state) {
  for (auto _ : state) {
    auto read = scenarios::load_scenario(kShipped, {});
    if (!read.scenario) return state.SkipWithError("the shipped scenario cannot be read");
    benchmark::DoNotOptimize(read);
  }
}

// Errors, where the functions of lint find any.
std::size_t lint(const scenarios::Scenario& scenario) {
  std::size_t errors = 0;
  for (const auto& found :
       {server::check_scenario(scenario), client_tests::check_expectations(scenario)}) {
    for (const Diagnostic& one : found) errors += one.severity == Severity::Error ? 1 : 0;
  }
  return errors;
}

void lint_one(benchmark::State& state, const scenarios::Scenario& scenario) {
  for (auto _ : state) {
    if (lint(scenario) != 0) return state.SkipWithError("lint finds errors");
  }
}

}  // namespace

std::string scenario_with_rules(int rules) {
  std::string text = "mishap: 1\nscenario: parts\napi: booking\n";
  if (rules > 0) text += "faults:\n";
  for (int i = 0; i < rules; ++i) {
    text += "  - {on: PUT /v1/bookings/other-" + std::to_string(i) +
            ", fault: {kind: status, code: 503}}\n";
  }
  return text;
}

void add_reading() {
  benchmark::RegisterBenchmark("parse/a shipped scenario", parse_shipped);
  for (const int rules : {50, 1000}) {
    const std::string which = "a scenario with " + std::to_string(rules) + " rules";
    const std::string text = scenario_with_rules(rules);
    benchmark::RegisterBenchmark(("parse/" + which).c_str(), [text](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(loaded(text));
    });
    benchmark::RegisterBenchmark(
        ("lint/" + which).c_str(),
        [scenario = loaded(text)](benchmark::State& state) { lint_one(state, scenario); });
  }
  benchmark::RegisterBenchmark("lint/a shipped scenario", [](benchmark::State& state) {
    lint_one(state, *scenarios::load_scenario(kShipped, {}).scenario);
  });
}

}  // namespace mishap::bench
