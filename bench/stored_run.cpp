// Writes a stored run of any size, as `mishap test --out` leaves it behind, to be judged:
//   mishap-bench-stored-run FOLDER ATTEMPTS [ITEMS]
// ITEMS: the client sends batches of so many, whose answers are cut. Prints one JSON object.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "bench/made_run.h"
#include "client-tests/run/run_json.h"
#include "mishap/recording.h"

namespace {

using namespace mishap;
using bench::MadeRun;
using bench::RunPlan;

constexpr std::uint64_t kAtOnce = 20'000;  // attempts in memory

client_tests::ProcessFacts process_of(int copy, Duration length) {
  client_tests::ProcessFacts facts;
  facts.copy = copy;
  facts.ended = length + std::chrono::milliseconds(5);
  facts.samples = 10;
  return facts;
}

Duration length_of(const RunPlan& plan) {
  MadeRun run(plan);
  for (bool more = true; more;) {
    server::Journal journal;
    std::vector<client_tests::OutcomeLine> outcomes;
    more = run.add(kAtOnce, journal, outcomes);
  }
  return run.length();
}

client_tests::Recording frame_of(const RunPlan& plan) {
  auto frame = bench::made_frame(plan);
  frame.length = length_of(plan) + std::chrono::milliseconds(10);
  for (int copy = 0; copy < plan.copies; ++copy) {
    frame.processes.push_back(process_of(copy, frame.length));
  }
  return frame;
}

// A stored journal begins with a line of its own; only the first counts.
std::string without_head(const std::string& lines) {
  return lines.substr(lines.find('\n') + 1);
}

// A piece at a time: the whole of it is larger than what is to be measured.
void write_lines(const RunPlan& plan, const std::filesystem::path& folder) {
  std::ofstream journal(folder / "journal.jsonl", std::ios::app | std::ios::binary);
  std::ofstream outcomes(folder / "outcomes.jsonl", std::ios::app | std::ios::binary);
  MadeRun run(plan);
  for (bool more = true; more;) {
    server::Journal piece;
    std::vector<client_tests::OutcomeLine> told;
    more = run.add(kAtOnce, piece, told);
    journal << without_head(server::to_json_lines(piece));
    outcomes << client_tests::to_json_lines(told);
  }
}

int make(const std::string& folder, std::uint64_t attempts, std::uint64_t items) {
  RunPlan plan;
  if (items != 0) plan.shape = bench::Shape::Batches;
  if (items != 0) plan.items = items;
  RunPlan control = plan;
  control.faults = false;
  control.copies = 1;
  // On the good day one copy does its work in fewer attempts.
  control.attempts = attempts / 6;
  plan.attempts = attempts - control.attempts;
  client_tests::Suite suite;
  suite.name = "bench";
  suite.day = "2026-12-01";
  suite.controls = {frame_of(control)};
  suite.recordings = {frame_of(plan)};
  if (const auto stored = client_tests::store_suite(suite, folder); !stored) {
    std::cerr << render(stored.error());
    return 1;
  }
  write_lines(control, std::filesystem::path(folder) / "control-healthy");
  write_lines(plan, std::filesystem::path(folder) / "bad-day");
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  std::cout << fmt::format("{{\"attempts\": {}, \"bytes\": {}}}\n", attempts, bytes);
  return std::cout.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: mishap-bench-stored-run FOLDER ATTEMPTS [ITEMS]\n";
    return 3;
  }
  return make(argv[1], std::strtoull(argv[2], nullptr, 10),
              argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0);
}
