#include "client-tests/checks/first_run.h"

#include <algorithm>
#include <set>

namespace mishap::client_tests {

namespace {

// An effect belongs to the run whose request had it made, however late it came.
void cut(server::Journal& journal, Duration at) {
  std::erase_if(journal.exchanges, [&](const auto& one) { return one.first_byte >= at; });
  std::set<std::uint64_t> left;
  for (const server::Exchange& exchange : journal.exchanges) left.insert(exchange.number);
  std::erase_if(journal.effects, [&](const auto& one) { return !left.contains(one.exchange); });
  std::erase_if(journal.connections, [&](const auto& one) { return one.accepted >= at; });
  std::erase_if(journal.spells, [&](const auto& one) { return one.began && *one.began >= at; });
  std::erase_if(journal.turned_away, [&](const auto& one) { return one.at >= at; });
}

}  // namespace

std::optional<Duration> second_run_began(const Recording& recording) {
  std::optional<Duration> began;
  for (const ProcessFacts& process : recording.processes) {
    if (process.run > 1 && (!began || process.started < *began)) began = process.started;
  }
  return began;
}

std::optional<Recording> first_run(const Recording& recording) {
  const auto began = second_run_began(recording);
  if (!began) return std::nullopt;
  Recording first = recording;
  cut(first.journal, *began);
  std::erase_if(first.processes, [](const auto& one) { return one.run > 1; });
  std::erase_if(first.outcomes, [&](const auto& one) { return one.at >= *began; });
  std::erase_if(first.drives, [&](const auto& one) { return one.started >= *began; });
  std::erase_if(first.dead_letters, [](const auto& one) { return one.run > 1; });
  std::erase_if(first.telemetry, [](const auto& one) { return one.run > 1; });
  first.length = *began;
  return first;
}

Case of_all_runs(const Case& c) {
  if (!c.whole) return c;
  return {.recording = *c.whole,
          .history = *c.whole_history,
          .control = c.control,
          .control_history = c.control_history,
          .comparison = c.comparison,
          .comparison_history = c.comparison_history,
          .bounds = c.bounds};
}

std::optional<Finding> no_second_run(const Case& c) {
  if (c.recording.scenario.runs_after == 0) {
    return not_applicable("the scenario does not have the client run again");
  }
  if (!c.recording.child) return not_observed("the client is not ours to be run again");
  const auto was_ended = [](const ProcessFacts& process) {
    return process.stop == Stop::Killed || process.stop == Stop::Interrupted;
  };
  const Recording& all = c.whole ? *c.whole : c.recording;
  if (std::ranges::any_of(all.processes, was_ended)) {
    return inconclusive("a run of the client did not end by itself");
  }
  if (c.whole) return std::nullopt;
  return not_applicable(all.no_second_run.empty() ? "the client was not run again"
                                                  : all.no_second_run);
}

}  // namespace mishap::client_tests
