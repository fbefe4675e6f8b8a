// Usage: mishap-bench-parts [--requests=N] [--operations=N] [options of Google Benchmark]
#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/parts/parts.h"

namespace {

// Takes the option off the list where it is there; false where its value is no number above 0.
template <typename Number>
bool take_option(std::string_view word, std::string_view name, Number& value, bool& taken) {
  if (!word.starts_with(name)) return true;
  taken = true;
  word.remove_prefix(name.size());
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() && value > 0;
}

}  // namespace

int main(int argc, char** argv) {
  mishap::bench::Extent extent;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    bool taken = false;
    const bool fine = take_option(argv[i], "--requests=", extent.requests, taken) &&
                      take_option(argv[i], "--operations=", extent.operations, taken);
    if (!fine) {
      std::fprintf(stderr, "mishap-bench-parts: %s: a whole number above 0 is wanted\n", argv[i]);
      return 2;
    }
    if (!taken) rest.push_back(argv[i]);
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  mishap::bench::add_reading();
  mishap::bench::add_deciding(extent);
  mishap::bench::add_sending();
  mishap::bench::add_recording(extent);
  mishap::bench::add_judging(extent);
  const auto ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return ran > 0 ? 0 : 1;
}
