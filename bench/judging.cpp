// Judges a stored run in its stages and prints what each took, as a Markdown table: CPU seconds,
// all threads together. Each check is asked twice, since the first of them fills what the others
// look up as well.
//   mishap-bench-judging FOLDER
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "client-tests/checks/check.h"
#include "mishap/history.h"
#include "mishap/recording.h"
#include "mishap/report.h"
#include "mishap/verdict.h"

namespace {

using namespace mishap;
using namespace mishap::client_tests;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

double peak_megabytes() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

template <typename Do>
void measure(std::string_view stage, Do what) {
  const double cpu = cpu_seconds();
  const double wall = wall_seconds();
  what();
  std::cout << fmt::format("| {} | {:.3f} | {:.3f} | {:.0f} |\n", stage, cpu_seconds() - cpu,
                           wall_seconds() - wall, peak_megabytes());
}

void ask_each_check(const Case& value) {
  for (const CheckDescriptor* check : check_descriptors()) {
    Diagnostics diagnostics;
    const Params params = read_params({}, check->params, check->name, {}, diagnostics);
    for (const std::string_view time : {"first", "again"}) {
      measure(fmt::format("{} ({})", check->name, time),
              [&] { (void)check->evaluate(value, params); });
    }
  }
}

void judge_in_stages(const Suite& suite) {
  const Recording& run = suite.recordings.front();
  const Recording* control = suite.controls.empty() ? nullptr : &suite.controls.front();
  History history;
  History usual;
  measure("history", [&] { history = make_history(run); });
  if (control != nullptr)
    measure("history of the control", [&] { usual = make_history(*control); });
  ask_each_check({.recording = run,
                  .history = history,
                  .control = control,
                  .control_history = control != nullptr ? &usual : nullptr,
                  .bounds = bounds_of(run.scenario.promise)});
}

int run(const std::string& folder) {
  std::cout << "| stage | CPU s | wall s | peak MB by then |\n| --- | --- | --- | --- |\n";
  tl::expected<Suite, Error> suite;
  measure("reading", [&] { suite = load_suite(folder); });
  if (!suite) {
    std::cerr << render(suite.error());
    return 1;
  }
  if (suite->recordings.empty()) return 3;
  SuiteVerdict verdict;
  measure("judging, all of it", [&] { verdict = judge(*suite); });
  std::size_t bytes = 0;
  measure("the report for the console",
          [&] { bytes += reports::find_format("console")->render(verdict, *suite, {}).size(); });
  measure("the report as JSON",
          [&] { bytes += reports::find_format("json")->render(verdict, *suite, {}).size(); });
  judge_in_stages(*suite);
  return bytes != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: mishap-bench-judging FOLDER\n";
    return 3;
  }
  return run(argv[1]);
}
