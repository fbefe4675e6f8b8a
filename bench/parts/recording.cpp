// The journal: a record appended, all of it written as JSON Lines, and read again.
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/parts/parts.h"
#include "bench/parts/run_of_creates.h"
#include "server/journal/log.h"

namespace mishap::bench {
namespace {

// As the engine does it: a record is added, filled and ended.
void append(benchmark::State& state, const server::Exchange& sample) {
  server::Log log;
  for (auto _ : state) {
    server::Exchange& kept = log.add_exchange();
    const auto number = kept.number;
    kept = sample;
    kept.number = number;
    log.exchange_ended(number);
  }
}

// Exchanges a second, and bytes.
void count(benchmark::State& state, const server::Journal& journal, const std::string& text) {
  const auto exchanges = static_cast<std::int64_t>(journal.exchanges.size());
  state.SetItemsProcessed(state.iterations() * exchanges);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void write(benchmark::State& state, const server::Journal& journal, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(server::to_json_lines(journal));
  count(state, journal, text);
}

void read(benchmark::State& state, const server::Journal& journal, const std::string& text) {
  for (auto _ : state) {
    if (!server::parse_json_lines(text)) return state.SkipWithError("it cannot be read again");
  }
  count(state, journal, text);
}

}  // namespace

void add_recording(const Extent& extent) {
  const auto journal =
      std::make_shared<const server::Journal>(run_of_creates(extent.operations).journal);
  const auto text = std::make_shared<const std::string>(server::to_json_lines(*journal));
  const auto size = std::to_string(journal->exchanges.size()) + " exchanges";
  benchmark::RegisterBenchmark("journal/a record appended", [journal](benchmark::State& state) {
    append(state, journal->exchanges.back());
  })->Iterations(extent.requests);
  benchmark::RegisterBenchmark(("journal/" + size + " to JSON Lines").c_str(),
                               [=](benchmark::State& state) { write(state, *journal, *text); });
  benchmark::RegisterBenchmark(("journal/" + size + " from JSON Lines").c_str(),
                               [=](benchmark::State& state) { read(state, *journal, *text); });
}

}  // namespace mishap::bench
