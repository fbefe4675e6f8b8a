#include "client-tests/driver/calibration.h"

#include <chrono>
#include <map>

#include "client-tests/driver/play.h"
#include "mishap/history.h"

namespace mishap::client_tests {
namespace {

constexpr Duration kPatience = std::chrono::seconds(15);

constexpr const char* kScenario =
    "mishap: 1\n"
    "scenario: calibration\n"
    "api: any\n"
    "faults:\n"
    "  - {on: POST /calibration, fault: status}\n";

std::optional<scenarios::Scenario> scenario_for(int copies) {
  auto loaded = scenarios::load_scenario_text("calibration", kScenario, ".", {});
  if (loaded.scenario) loaded.scenario->client.copies = copies;
  return std::move(loaded.scenario);
}

std::vector<Duration> gaps_of(const Recording& recording) {
  std::map<int, std::vector<Duration>> by_copy;
  for (const Operation& operation : make_history(recording).operations) {
    auto& gaps = by_copy[operation.lane];
    for (const Attempt& attempt : operation.attempts) {
      if (attempt.gap) gaps.push_back(*attempt.gap);
    }
  }
  std::vector<Duration> all;
  for (const auto& [copy, gaps] : by_copy) {
    if (gaps.size() != kCalibrationWaits) return {};
    all.insert(all.end(), gaps.begin(), gaps.end());
  }
  return all;
}

}  // namespace

std::optional<Calibration> calibrate(int copies, server::Server& server, ProcessWatch& watch,
                                     const TestOptions& options, const std::string& name) {
  const auto scenario = scenario_for(copies);
  if (options.calibrator.empty() || !scenario) return {};
  TestOptions own = options;
  own.client = {};
  own.client.command = options.calibrator;
  own.client_folder.clear();
  Patience patience;
  patience.kill_after = kPatience;
  const auto recording = play(*scenario, server, watch, patience, own, name);
  if (!recording) return {};
  Calibration made{.copies = copies, .asked = kCalibrationWait, .gaps = gaps_of(*recording)};
  const auto expected = static_cast<std::size_t>(copies) * kCalibrationWaits;
  if (made.gaps.size() != expected) return {};
  return made;
}

}  // namespace mishap::client_tests
