// What the engine takes for a request: head, request, apply and end. All is made ready before the
// clock runs, so that only the engine's own work is in it.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/parts/paper_wire.h"
#include "bench/parts/parts.h"

namespace mishap::bench {
namespace {

enum class Kind { Route, Read, Create };

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::Route:
      return "a fixed answer, no body to decode";
    case Kind::Read:
      return "a read of a resource, no body to decode";
    case Kind::Create:
      return "a create, 180 bytes of JSON to decode";
  }
  return {};
}

Call call_of(Kind kind, const std::string& reference) {
  switch (kind) {
    case Kind::Route:
      return get("/v1/ping");
    case Kind::Read:
      return get("/v1/products/prod_2");
    case Kind::Create:
      return create("/v1/bookings", reference);
  }
  return {};
}

// A repetition has an engine of its own, since an engine remembers every request.
class Deciding {
 public:
  Deciding(Kind kind, int rules) : kind_(kind), scenario_(loaded(scenario_with_rules(rules))) {}

  // Every thread of a repetition comes here; the library has them wait for each other before the
  // first turn of its loop and behind the last.
  void run(benchmark::State& state) {
    if (state.thread_index() == 0) engine_ = engine_of(scenario_);
    auto calls = calls_of(state);
    std::size_t next = 0;
    std::uint64_t connection = 0;
    for (auto _ : state) {
      const Duration now(next * 1000);
      // Here, since only now every thread is sure that the engine is there.
      if (connection == 0) connection = connect(*engine_, "booking", now);
      decide(*engine_, connection, std::move(calls[next++]), now, Receipts::Quick);
    }
    state.SetItemsProcessed(state.iterations());
    if (state.thread_index() == 0) check(state);
  }

 private:
  std::vector<Call> calls_of(const benchmark::State& state) const {
    std::vector<Call> calls;
    const auto prefix = std::to_string(state.thread_index()) + "-";
    for (benchmark::IterationCount i = 0; i < state.max_iterations; ++i) {
      calls.push_back(call_of(kind_, prefix + std::to_string(i)));
    }
    return calls;
  }

  // What was refused would be measured as quick.
  void check(benchmark::State& state) {
    const auto asked = static_cast<std::uint64_t>(state.iterations()) *
                       static_cast<std::uint64_t>(state.threads());
    if (engine_->requests() != asked) state.SkipWithError("not all requests were decided");
    engine_.reset();
  }

  const Kind kind_;
  const scenarios::Scenario scenario_;
  std::unique_ptr<server::Engine> engine_;
};

void add(Kind kind, int rules, int threads, const Extent& extent) {
  auto name = "decide/" + name_of(kind) + ", rules: " + std::to_string(rules);
  if (threads > 1) name += ", threads: " + std::to_string(threads);
  const auto deciding = std::make_shared<Deciding>(kind, rules);
  benchmark::RegisterBenchmark(name.c_str(),
                               [deciding](benchmark::State& state) { deciding->run(state); })
      ->Iterations(extent.requests)
      ->Threads(threads)
      ->UseRealTime();
}

}  // namespace

void add_deciding(const Extent& extent) {
  for (const Kind kind : {Kind::Route, Kind::Read, Kind::Create}) {
    for (const int rules : {0, 50, 1000}) add(kind, rules, 1, extent);
    add(kind, 50, 2, extent);
  }
}

}  // namespace mishap::bench
