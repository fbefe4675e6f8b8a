// What the executor is given: an answer as steps, and as bytes.
#include <string>

#include <benchmark/benchmark.h>

#include "bench/parts/parts.h"
#include "server/plan/step.h"

namespace mishap::bench {
namespace {

server::Steps answer_of(std::size_t body) {
  server::SendAnswer answer;
  answer.status = 201;
  answer.headers = {{"Content-Type", "application/json"}, {"Location", "/v1/bookings/bk_1"}};
  answer.body = std::string(body, 'x');
  return {answer, server::Finish{}};
}

void encode(benchmark::State& state, std::size_t body) {
  const server::Steps steps = answer_of(body);
  for (auto _ : state) benchmark::DoNotOptimize(server::encode(steps));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body));
}

}  // namespace

void add_sending() {
  for (const std::size_t body : {200U, 64U * 1024}) {
    benchmark::RegisterBenchmark(
        ("execute/an answer to bytes, body: " + std::to_string(body) + " B").c_str(),
        [body](benchmark::State& state) { encode(state, body); });
  }
}

}  // namespace mishap::bench
