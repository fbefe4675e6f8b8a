#include "cli/client_run.h"

#include <iostream>
#include <utility>

#include "cli/version.h"
#include "mishap/units.h"
#include "mishap/verdict.h"

namespace mishap::cli {
namespace {

void complain(std::string_view who, const std::string& text) {
  std::cerr << who << ": " << text << "\n";
}

}  // namespace

std::optional<std::vector<NameValue>> read_environment(std::string_view who,
                                                       const std::vector<std::string>& words) {
  std::vector<NameValue> variables;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      complain(who, "--env wants NAME=VALUE, not \"" + word.substr(0, equals) + "\"");
      return {};
    }
    variables.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return variables;
}

bool patience_is_fine(std::string_view who, const std::string& kill_after) {
  if (kill_after.empty()) return true;
  const auto value = parse_duration(kill_after);
  if (!value) {
    complain(who, "--kill-after: " + value.error());
  } else if (*value <= Duration::zero()) {
    complain(who, "--kill-after: a client needs some time, as 40s");
  }
  return value && *value > Duration::zero();
}

bool lay_over(std::string_view who, TestArguments& arguments) {
  scenarios::Client said;
  said.command = arguments.client;
  auto environment = read_environment(who, arguments.environment);
  if (!environment) return false;
  said.environment = std::move(*environment);
  arguments.plan = laid_over(std::move(arguments.plan), said);
  if (!arguments.client.empty()) arguments.client_folder.clear();
  return true;
}

client_tests::TestOptions run_options(const TestArguments& arguments, std::uint64_t seed,
                                      const std::string& folder,
                                      const std::atomic<bool>& interrupted) {
  client_tests::TestOptions options;
  options.client = arguments.plan;
  options.client_folder = arguments.client_folder;
  options.seed = seed;
  options.jobs = arguments.jobs;
  if (!arguments.kill_after.empty()) options.kill_after = *parse_duration(arguments.kill_after);
  options.folder = folder;
  options.version = std::string(kVersion);
  options.calibrator = calibrator();
  options.interrupted = &interrupted;
  return options;
}

bool is_healthy(const client_tests::Recording& control) {
  client_tests::Suite suite;
  suite.controls.push_back(control);
  return client_tests::judge(suite).controls.front().verdict != client_tests::Verdict::Fail;
}

}  // namespace mishap::cli
