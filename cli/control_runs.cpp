#include "cli/control_runs.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <vector>

#include "cli/requested_scenario.h"
#include "cli/seed.h"
#include "cli/version.h"
#include "client-tests/driver/controls.h"
#include "client-tests/driver/served.h"
#include "client-tests/launch/outcome_lines.h"
#include "mishap/recorded_run.h"
#include "mishap/report.h"

namespace mishap::cli {
namespace {

using namespace server::control;

// Of one run, over all calls: a test hands in a few lines, not a file.
constexpr std::size_t kMostOutcomeBytes = 4 * 1024 * 1024;

client_tests::Suite one_run_suite(const scenarios::Scenario& scenario,
                                  const client_tests::Recording& recording,
                                  const client_tests::ServedRun* control) {
  std::vector<client_tests::ServedRun> runs;
  if (control != nullptr) runs.push_back(*control);
  runs.push_back({&scenario, recording, false});
  auto suite = client_tests::suite_of(std::move(runs));
  suite.name = recording.scenario.name;
  suite.seed = recording.seed;
  suite.length = recording.length;
  return suite;
}

Judged judged(const client_tests::Suite& suite) {
  const auto verdict = client_tests::judge(suite);
  reports::RenderOptions wide;
  wide.width = 140;  // no terminal is there to be narrow
  Judged made;
  made.verdict = std::string(client_tests::to_string(verdict.verdict));
  if (!verdict.cases.empty()) made.headline = verdict.cases.front().headline;
  made.text = reports::find_format("console")->render(verdict, suite, wide);
  made.report = reports::find_format("json")->render(verdict, suite, {});
  return made;
}

class ControlRun final : public JudgedRun {
 public:
  ControlRun(scenarios::Scenario scenario, client_tests::RecordedRun run, std::uint64_t seed)
      : scenario_(std::move(scenario)), run_(std::move(run)) {
    const server::Run& live = run_.live();
    facts_ = {scenario_.name, run_.token(), seed, live.addresses(), live.proxies(), live.ca()};
    for (int copy = 0; copy < scenario_.client.copies; ++copy) {
      lines_.emplace_back(copy, std::vector<std::string>{});
    }
  }

  const RunFacts& facts() const override { return facts_; }
  std::uint64_t requests() const override { return run_.live().requests(); }
  Duration last_activity() const override {
    return run_.live().began() + run_.live().last_activity();
  }

  OutcomesTaken take_outcomes(std::string_view lines, int copy) override {
    const std::lock_guard lock(mutex_);
    if (bytes_ + lines.size() > kMostOutcomeBytes) return {0, {"more than 4 MiB in this run"}};
    bytes_ += lines.size();
    auto& taker = lines_.at(static_cast<std::size_t>(copy));
    const auto had = taker.outcomes.size();
    const auto had_bad = taker.bad_lines.size();
    taker.take(lines, run_.now());
    const auto bad = taker.bad_lines.begin() + static_cast<std::ptrdiff_t>(had_bad);
    return {taker.outcomes.size() - had, {bad, taker.bad_lines.end()}};
  }

  std::size_t outcomes() const override {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& taker : lines_) count += taker.outcomes.size();
    return count;
  }

  tl::expected<Judged, Problem> end(const RunEnd& how, const JudgedRun* control) override {
    std::optional<client_tests::ServedRun> healthy;
    if (control != nullptr) {
      auto found = control_of(*control);
      if (!found) return tl::unexpected(found.error());
      healthy = std::move(*found);
    }
    auto recording = run_.end();
    add_outcomes(recording);
    add_end(how, recording);
    auto made = judged(one_run_suite(scenario_, recording, healthy ? &*healthy : nullptr));
    // Only a run without faults can be another one's control.
    if (scenario_.rules.empty()) healthy_ = std::move(recording);
    return made;
  }

  void abandon() override { run_.live().end(); }

 private:
  tl::expected<client_tests::ServedRun, Problem> control_of(const JudgedRun& other) const {
    const auto& run = dynamic_cast<const ControlRun&>(other);
    if (!run.healthy_) {
      return problem(422, "control: that run had faults", "a control is a run without any");
    }
    if (!client_tests::same_vendor(run.scenario_, scenario_)) {
      return problem(422, "control: that run was against another api",
                     "begin both with the same api");
    }
    return client_tests::ServedRun{&run.scenario_, *run.healthy_, true};
  }

  void add_outcomes(client_tests::Recording& recording) {
    const std::lock_guard lock(mutex_);
    for (auto& taker : lines_) {
      taker.finish(recording.length);
      std::ranges::move(taker.outcomes, std::back_inserter(recording.outcomes));
      std::ranges::move(taker.bad_lines, std::back_inserter(recording.bad_outcome_lines));
      std::ranges::move(taker.notes, std::back_inserter(recording.notes));
    }
    std::ranges::stable_sort(recording.outcomes, {}, &client_tests::OutcomeLine::at);
  }

  // What the caller knows of a process that was never ours; nothing of it was sampled.
  void add_end(const RunEnd& how, client_tests::Recording& recording) const {
    recording.client_done = how.done || how.exit_code.has_value();
    if (!how.exit_code) return;
    for (int copy = 0; copy < scenario_.client.copies; ++copy) {
      client_tests::ProcessFacts process;
      process.copy = copy;
      process.ended = recording.length;
      process.exit_code = *how.exit_code;
      recording.processes.push_back(process);
    }
  }

  const scenarios::Scenario scenario_;
  client_tests::RecordedRun run_;
  RunFacts facts_;
  mutable std::mutex mutex_;  // of the outcomes
  std::vector<client_tests::OutcomeLines> lines_;
  std::size_t bytes_ = 0;
  std::optional<client_tests::Recording> healthy_;
};

}  // namespace

tl::expected<std::unique_ptr<JudgedRun>, Problem> ControlRuns::begin(const RunRequest& request) {
  auto scenario = requested_scenario(request, settings_.allow_files);
  if (!scenario) return tl::unexpected(scenario.error());
  client_tests::RunSettings settings;
  settings.server = settings_.run;
  settings.server.seed = choose_seed(request.seed);
  settings.version = std::string(kVersion);
  settings.child = false;
  auto run = client_tests::begin_recorded_run(*scenario, server_, settings);
  if (!run) return tl::unexpected(problem_of(run.error()));
  return std::make_unique<ControlRun>(std::move(*scenario), std::move(*run), settings.server.seed);
}

}  // namespace mishap::cli
