#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "cli/again.h"
#include "cli/client_run.h"
#include "cli/commands.h"
#include "cli/known.h"
#include "cli/load.h"
#include "cli/narrowing.h"
#include "cli/progress.h"
#include "cli/project.h"
#include "cli/run_folder.h"
#include "cli/seed.h"
#include "cli/signals.h"
#include "cli/unhealthy.h"
#include "cli/url_candidates.h"
#include "cli/version.h"
#include "mishap/run.h"
#include "mishap/server.h"

namespace mishap::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWho = "mishap test";

int fail_usage(const std::string& text) {
  std::cerr << kWho << ": " << text << "\n";
  return kExitUsage;
}

std::string pack_line(const Selection& selection, const TestArguments& arguments,
                      std::uint64_t seed) {
  const auto count = selection.scenarios.size() - selection.companions.size();
  std::string names;
  for (const auto& target : arguments.targets) names += (names.empty() ? "" : ", ") + target;
  return fmt::format("{:<9} {} scenario{}, {} at once, seed {}\n\n", names, count,
                     count == 1 ? "" : "s", arguments.jobs, seed);
}

bool each_names_its_client(const Selection& selection) {
  return std::ranges::all_of(selection.scenarios, [](const scenarios::Scenario& scenario) {
    return !scenario.client.command.empty();
  });
}

class TestCommand {
 public:
  TestCommand(const TestArguments& arguments, Selection selection, Narrowing narrowing,
              KnownList known, std::string project_line, std::vector<ReportTarget> reports)
      : arguments_(arguments),
        selection_(std::move(selection)),
        narrowing_(std::move(narrowing)),
        known_(std::move(known)),
        project_line_(std::move(project_line)),
        reports_(std::move(reports)),
        seed_(choose_seed(arguments.seed)),
        terminal_(isatty(STDOUT_FILENO) != 0),
        render_(terminal_options(terminal_)) {}

  int run(const std::atomic<bool>& interrupted) {
    const auto name = suite_name(arguments_.targets.front(), clock_);
    const auto folder = make_folder(arguments_.out, name);
    if (!folder) return complain(folder.error());
    const auto frame = frame_of(*folder);
    std::cout << project_line_ << narrowing_.lines() << known_line() << std::flush;
    if (selection_.scenarios.empty()) return conclude(frame, *folder);
    auto server = server::start_server(clock_);
    if (!server) return complain(server.error());

    Progress progress(clock_, render_, terminal_);
    progress.expect(selection_.scenarios);
    progress.judge_by(frame);
    auto suite = client_tests::run_suite(selection_.scenarios, **server,
                                         options(progress, *folder, interrupted));
    progress.finish();
    if (!suite) {
      std::error_code ignored;
      fs::remove_all(*folder, ignored);
      return complain(suite.error());
    }
    mark_companions(*suite);
    return conclude(framed(std::move(*suite), frame), *folder);
  }

 private:
  // The client as it stood on the command line; mishap.yaml's needs no words.
  std::vector<std::string> client_said(const std::vector<std::string>& masked) const {
    return arguments_.client.empty() ? std::vector<std::string>() : masked;
  }

  // What is known of the suite before anything was run.
  client_tests::Suite frame_of(const std::string& folder) const {
    client_tests::Suite frame;
    frame.name = fs::path(folder).filename().string();
    frame.seed = seed_;
    frame.targets = arguments_.targets;
    frame.narrowed = narrowing_.narrowed();
    if (narrowing_.shard()) frame.shard = narrowing_.shard()->text();
    frame.day = utc_day(clock_);
    frame.known = known_.all;
    frame.strict_known = arguments_.strict_known;
    frame.project = project_path();
    return frame;
  }

  static client_tests::Suite framed(client_tests::Suite suite, const client_tests::Suite& frame) {
    suite.name = frame.name;
    suite.targets = frame.targets;
    suite.narrowed = frame.narrowed;
    suite.shard = frame.shard;
    suite.day = frame.day;
    suite.known = frame.known;
    suite.strict_known = frame.strict_known;
    suite.project = frame.project;
    return suite;
  }

  std::string known_line() const {
    const auto count = known_.all.size();
    if (count == 0) return {};
    return fmt::format("known     {} finding{} may fail for now\n", count, count == 1 ? "" : "s");
  }

  client_tests::TestOptions options(Progress& progress, const std::string& folder,
                                    const std::atomic<bool>& interrupted) {
    auto options = run_options(arguments_, seed_, folder, interrupted);
    options.healthy = [this, &progress, folder](const client_tests::Recording& control) {
      const bool well = is_healthy(control);
      if (!well) progress.say(unhealthy_text(control, folder));
      return well;
    };
    options.undecided = client_tests::why_run_again;
    options.reruns = arguments_.reruns;
    options.on_control = [this, &progress](const client_tests::Recording& control) {
      progress.control(control);
      const bool came = !control.journal.exchanges.empty() && control.trouble.empty();
      if (!came) progress.say(nothing_came_text(control));
      if (control.scenario.name == "control" && came) {
        progress.say(pack_line(selection_, arguments_, seed_));
      }
    };
    options.on_begin = [&progress](const std::string& scenario) { progress.began(scenario); };
    options.on_end = [this, &progress](const client_tests::Recording& recording) {
      auto copy = recording;
      copy.companion = is_companion(recording.scenario.name);
      progress.ended(std::move(copy));
    };
    return options;
  }

  std::string nothing_came_text(const client_tests::Recording& control) const {
    auto variables = own_environment();
    std::ranges::copy(arguments_.plan.environment, std::back_inserter(variables));
    if (!control.journal.exchanges.empty()) return last_error_lines(control);
    return last_error_lines(control) +
           candidates_text(url_candidates(arguments_.plan.command, variables));
  }

  // What came and what the client said of it, and a description of its vendor to go on with.
  std::string unhealthy_text(const client_tests::Recording& control,
                             const std::string& folder) const {
    const bool first = control.scenario.name == "control";
    const auto path =
        (fs::path(folder) / (first ? "api.yaml" : control.scenario.name + "-api.yaml"));
    const auto usage = with_api(arguments_, path.string(), client_said(control.command));
    auto text = "the healthy control failed, so no scenario was run; requests seen\n" +
                requests_seen(control) + last_error_lines(control) + never_ended_text(control);
    // Where the vendor was well, the client is to be looked at and not its description.
    const bool all_well = std::ranges::all_of(
        control.journal.exchanges, [](const auto& exchange) { return exchange.answer.success; });
    if (all_well || !write_starter(control, path.string(), usage)) return text;
    return text + "a starter for your vendor was written from them: " + path.string() +
           "\n  try: " + usage + "\n";
  }

  std::string project_path() const {
    return project_line_.empty() ? std::string() : arguments_.project.file;
  }

  bool is_companion(const std::string& name) const {
    return std::ranges::find(selection_.companions, name) != selection_.companions.end();
  }

  void mark_companions(client_tests::Suite& suite) const {
    for (auto& recording : suite.recordings) {
      recording.companion = is_companion(recording.scenario.name);
    }
  }

  // The list as it then is decides this run too: whoever writes it starts with a green one.
  tl::expected<void, Error> update_known(client_tests::Suite& suite) {
    if (arguments_.write_known.empty()) return {};
    const auto update = with_new_fails(known_.of_file, client_tests::judge(suite), suite.day);
    const auto said = write_known(known_, update);
    if (!said) return tl::unexpected(said.error());
    std::cout << *said;
    suite.known = arguments_.project_known;
    suite.known.insert(suite.known.end(), update.list.begin(), update.list.end());
    return {};
  }

  int conclude(client_tests::Suite suite, const std::string& folder) {
    const auto known = update_known(suite);
    auto verdict = client_tests::judge(suite);
    if (!suite.controls.empty()) {
      suite.again = again(arguments_, seed_, narrowing_.shard(), verdict,
                          client_said(suite.controls.front().command));
      verdict.again = suite.again;
    }
    const int code =
        conclude_suite(suite, verdict,
                       {.folder = folder,
                        .reports = reports_,
                        .render = render_,
                        .prune_to = arguments_.out.empty() ? arguments_.keep : 0,
                        .inconclusive = *on_inconclusive_named(arguments_.inconclusive)});
    return known ? code : complain(known.error());
  }

  const TestArguments& arguments_;
  const Selection selection_;
  const Narrowing narrowing_;
  const KnownList known_;
  const std::string project_line_;
  const std::vector<ReportTarget> reports_;
  const std::uint64_t seed_;
  const bool terminal_;
  const reports::RenderOptions render_;
  const server::SystemClock clock_;
};

}  // namespace

int run_test(const TestArguments& given) {
  const InterruptWatch watch;
  auto arguments = given;
  if (!patience_is_fine(kWho, arguments.kill_after)) return kExitUsage;
  arguments.only_quick_faults = arguments.targets.empty() && !arguments.load.faults.empty();
  if (arguments.only_quick_faults) arguments.targets = {std::string(kQuickFaults)};
  const auto opened = open_project(arguments.project);
  if (!opened.fine || !apply_project(opened, arguments) || !lay_over(kWho, arguments))
    return kExitUsage;
  if (opened.project) {
    arguments.project.file = opened.project->path;
    arguments.project_folder = opened.project->folder;
    arguments.project_known = opened.project->known;
  }
  auto report_targets = read_reports(kWho, arguments.reports);
  if (!report_targets) return kExitUsage;
  Narrowing narrowing;
  if (!narrowing.prepare(arguments)) return kExitUsage;
  auto selection = arguments.only_quick_faults
                       ? load_quick_faults(arguments.load)
                       : load_selection(arguments.targets, arguments.load,
                                        [&](std::vector<scenarios::Scenario>& all) {
                                          return narrowing.apply(all);
                                        });
  if (!selection || !params_are_known(opened, selection->scenarios)) return kExitUsage;
  if (narrowing.nothing_failed()) {
    std::cout << narrowing.lines();
    return kExitPass;
  }
  if (selection->scenarios.empty() && !narrowing.shard())
    return fail_usage("no scenario in what was named");
  if (arguments.plan.command.empty() && !each_names_its_client(*selection))
    return fail_usage(
        "no client given; put its command after --: mishap test core -- ./client, or write "
        "mishap.yaml: mishap init -- ./client");
  auto known = load_known_list(arguments, narrowing.all_names());
  if (!known) return kExitUsage;
  return TestCommand(arguments, std::move(*selection), std::move(narrowing), std::move(*known),
                     project_line(opened, arguments), std::move(*report_targets))
      .run(watch.interrupted());
}

}  // namespace mishap::cli
