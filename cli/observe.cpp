#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "cli/client_run.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/project.h"
#include "cli/run_folder.h"
#include "cli/seed.h"
#include "cli/signals.h"
#include "cli/unhealthy.h"
#include "cli/url_candidates.h"
#include "cli/version.h"
#include "mishap/observed_report.h"
#include "mishap/run.h"
#include "mishap/server.h"

// `observe`: the client under failures that do not end, and what it did in them. Nothing is judged.
namespace mishap::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWho = "mishap observe";
constexpr const char* kPack = "observe";

int fail_usage(const std::string& text) {
  std::cerr << kWho << ": " << text << "\n";
  return kExitUsage;
}

class ObserveCommand {
 public:
  ObserveCommand(const TestArguments& arguments, bool json, Selection selection)
      : arguments_(arguments),
        // Programs read standard output; what is for people goes beside it then.
        said_(json ? std::cerr : std::cout),
        json_(json),
        selection_(std::move(selection)),
        seed_(choose_seed(arguments.seed)) {}

  int run(const std::atomic<bool>& interrupted) {
    const auto name = suite_name(kPack, clock_);
    const auto folder = make_folder(arguments_.out, name);
    if (!folder) return complain(folder.error());
    auto server = server::start_server(clock_);
    if (!server) return complain(server.error());
    auto suite =
        client_tests::run_suite(selection_.scenarios, **server, options(*folder, interrupted));
    if (!suite) {
      std::error_code ignored;
      fs::remove_all(*folder, ignored);
      return complain(suite.error());
    }
    suite->name = fs::path(*folder).filename().string();
    suite->targets = arguments_.targets;
    suite->day = utc_day(clock_);
    if (const auto stored = store_suite(*suite, *folder); !stored) return complain(stored.error());
    return conclude(*suite, *folder, interrupted);
  }

 private:
  client_tests::TestOptions options(const std::string& folder,
                                    const std::atomic<bool>& interrupted) {
    auto options = run_options(arguments_, seed_, folder, interrupted);
    options.reruns = 0;  // nothing is judged, so nothing is undecided
    options.healthy = is_healthy;
    options.on_control = [this](const client_tests::Recording& control) {
      if (control.scenario.name != "control") return;
      said_ << reports::console_control(control, {});
      said_ << fmt::format("observing {} scenarios, {} at once, seed {}\n",
                           selection_.scenarios.size(), arguments_.jobs, seed_)
            << std::flush;
    };
    return options;
  }

  int conclude(const client_tests::Suite& suite, const std::string& folder,
               const std::atomic<bool>& interrupted) {
    if (interrupted) return complain_inconclusive("interrupted");
    const bool any_ran = std::ranges::any_of(
        suite.recordings, [](const auto& recording) { return recording.not_run.empty(); });
    if (!any_ran) return explain_silence(suite);
    const auto observed = client_tests::observe(suite);
    if (json_) {
      std::cout << reports::observed_json(observed);
    } else {
      std::cout << "\n" << reports::observed_text(observed) << "\nrun " << folder << "\n";
    }
    return observed.attempts.empty() ? kExitInconclusive : kExitPass;
  }

  static int complain_inconclusive(const std::string& text) {
    std::cerr << kWho << ": " << text << "\n";
    return kExitInconclusive;
  }

  int explain_silence(const client_tests::Suite& suite) const {
    for (const auto& line : suite.stopped) said_ << "          " << line << "\n";
    if (suite.controls.empty()) return kExitInconclusive;
    const auto& control = suite.controls.front();
    auto variables = own_environment();
    variables.insert(variables.end(), arguments_.plan.environment.begin(),
                     arguments_.plan.environment.end());
    said_ << requests_seen(control) << last_error_lines(control);
    if (control.journal.exchanges.empty()) {
      said_ << candidates_text(url_candidates(arguments_.plan.command, variables));
    }
    return complain_inconclusive("the healthy control failed, so nothing was observed");
  }

  const TestArguments& arguments_;
  std::ostream& said_;
  const bool json_;
  const Selection selection_;
  const std::uint64_t seed_;
  const server::SystemClock clock_;
};

}  // namespace

int run_observe(const ObserveArguments& given) {
  const InterruptWatch watch;
  auto arguments = given.test;
  if (!patience_is_fine(kWho, arguments.kill_after)) return kExitUsage;
  arguments.targets = {kPack};
  const auto opened = open_project(arguments.project);
  if (!opened.fine || !apply_project(opened, arguments) || !lay_over(kWho, arguments))
    return kExitUsage;
  // What was promised would cut its runs short, and is what it is to be compared with.
  arguments.load.project.promise = {};
  auto selection = load_selection(arguments.targets, arguments.load);
  if (!selection || !params_are_known(opened, selection->scenarios)) return kExitUsage;
  if (arguments.plan.command.empty()) {
    return fail_usage("no client given; put its command after --: mishap observe -- ./client");
  }
  return ObserveCommand(arguments, given.json, std::move(*selection)).run(watch.interrupted());
}

}  // namespace mishap::cli
