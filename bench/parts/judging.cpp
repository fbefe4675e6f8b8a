// Every check over one recording, the history that all of them read, and the whole verdict.
#include <memory>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include <mishap/verdict.h>

#include "bench/parts/parts.h"
#include "bench/parts/run_of_creates.h"
#include "client-tests/checks/check.h"

namespace mishap::bench {
namespace {

using namespace client_tests;

// What a check looks at, and all that this borrows from.
struct Told {
  explicit Told(int operations)
      : run(run_of_creates(operations)),
        control(control_of_creates(operations)),
        history(make_history(run)),
        control_history(make_history(control)),
        value{.recording = run,
              .history = history,
              .control = &control,
              .control_history = &control_history,
              .bounds = bounds_of(run.scenario.promise)} {}
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  Recording run;
  Recording control;
  History history;
  History control_history;
  Case value;
};

void judge_by(benchmark::State& state, const CheckDescriptor& check, const Case& value) {
  Diagnostics diagnostics;
  const Params params = read_params({}, check.params, check.name, {}, diagnostics);
  if (!diagnostics.empty()) return state.SkipWithError("it has parameters without a default");
  for (auto _ : state) benchmark::DoNotOptimize(check.evaluate(value, params));
}

Suite suite_of(const Told& told) {
  Suite suite;
  suite.controls.push_back(told.control);
  suite.recordings.push_back(told.run);
  return suite;
}

}  // namespace

void add_judging(const Extent& extent) {
  const auto told = std::make_shared<const Told>(extent.operations);
  const auto over = ", operations: " + std::to_string(extent.operations);
  benchmark::RegisterBenchmark(("judge/the history" + over).c_str(),
                               [told](benchmark::State& state) {
                                 for (auto _ : state) {
                                   benchmark::DoNotOptimize(make_history(told->run));
                                 }
                               });
  for (const CheckDescriptor* check : check_descriptors()) {
    benchmark::RegisterBenchmark(
        ("check/" + std::string(check->name) + over).c_str(),
        [told, check](benchmark::State& state) { judge_by(state, *check, told->value); });
  }
  benchmark::RegisterBenchmark(("judge/all of it, the control as well" + over).c_str(),
                               [suite = suite_of(*told)](benchmark::State& state) {
                                 for (auto _ : state) benchmark::DoNotOptimize(judge(suite));
                               });
}

}  // namespace mishap::bench
