#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/seed.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "client-tests/run/prune_runs.h"
#include "mishap/nearest_word.h"
#include "mishap/run.h"
#include "mishap/server.h"
#include "reports/formats/printable.h"

namespace mishap::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunsFolder = "mishap-runs";

reports::RenderOptions terminal_options(bool terminal) {
  reports::RenderOptions options;
  const char* no_colour = std::getenv("NO_COLOR");
  options.colour = terminal && (no_colour == nullptr || *no_colour == '\0');
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
    options.width = std::min<int>(size.ws_col, 160);
  }
  return options;
}

int fail_usage(const std::string& text) {
  std::cerr << "mishap test: " << text << "\n";
  return kExitUsage;
}

std::optional<std::vector<NameValue>> read_environment(const std::vector<std::string>& words) {
  std::vector<NameValue> variables;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail_usage("--env wants NAME=VALUE, not \"" + word + "\"");
      return {};
    }
    variables.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return variables;
}

struct ReportTarget {
  const reports::Format* format = nullptr;
  std::string file;
};

std::optional<std::vector<ReportTarget>> read_reports(const std::vector<std::string>& words) {
  std::vector<ReportTarget> targets;
  std::vector<std::string> names;
  for (const auto& format : reports::formats()) names.emplace_back(format.name);
  for (const auto& word : words) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto* format = reports::find_format(name);
    if (format == nullptr) {
      fail_usage(unknown_word("report format", name, names));
      return {};
    }
    targets.push_back({format, equals == std::string::npos ? std::string(format->file_name)
                                                           : word.substr(equals + 1)});
  }
  return targets;
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::strchr("-_./=:@%+,", c) != nullptr;
  });
  if (plain) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string again(const TestArguments& arguments, std::uint64_t seed,
                  const std::vector<std::string>& masked_client) {
  std::string line = "mishap";
  for (std::size_t i = 0; i < arguments.words.size(); ++i) {
    // Not into the same folder again: it is not empty any more.
    if (arguments.words[i].starts_with("--out=")) continue;
    if (arguments.words[i] == "--out") {
      ++i;
      continue;
    }
    line += " " + quoted(arguments.words[i]);
  }
  if (!arguments.seed) line += fmt::format(" --seed {}", seed);
  if (arguments.client.empty()) return line;
  line += " --";
  for (const auto& word : masked_client) line += " " + quoted(word);
  return line;
}

std::string suite_name(const TestArguments& arguments, const server::Clock& clock) {
  const auto now = std::chrono::system_clock::to_time_t(clock.wall(clock.now()));
  auto first = arguments.targets.front();
  if (const auto slash = first.rfind('/'); slash != std::string::npos && slash + 1 < first.size()) {
    first = first.substr(slash + 1);
  }
  if (first.ends_with(".yaml")) first.resize(first.size() - 5);
  std::ranges::replace_if(
      first,
      [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_';
      },
      '-');
  return fmt::format("{:%Y-%m-%dT%H-%M-%S}-{}", fmt::gmtime(now), first);
}

// A folder of this run alone: two runs within a second get different ones.
tl::expected<std::string, Error> make_folder(const TestArguments& arguments,
                                             const std::string& name) {
  std::error_code error;
  if (!arguments.out.empty()) {
    if (fs::exists(arguments.out) && !fs::is_empty(arguments.out, error)) {
      return tl::unexpected(Error{ErrorCode::BadInput,
                                  "--out " + arguments.out + " is there already and is not empty",
                                  {},
                                  "name a new folder, or remove it"});
    }
    fs::create_directories(arguments.out, error);
    if (error) {
      return tl::unexpected(Error{ErrorCode::BadInput,
                                  "--out: cannot make " + arguments.out + ": " + error.message(),
                                  {},
                                  {}});
    }
    return arguments.out;
  }
  fs::create_directories(kRunsFolder, error);
  for (int i = 1; i < 1000; ++i) {
    const auto folder = fs::path(kRunsFolder) / (i == 1 ? name : fmt::format("{}-{}", name, i));
    if (fs::create_directory(folder, error)) return folder.string();
    if (error) break;
  }
  return tl::unexpected(
      Error{ErrorCode::Environment,
            fmt::format("cannot make a folder in {}: {}", kRunsFolder, error.message()),
            {},
            "use --out FOLDER"});
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return file.good();
}

// One reading of the control: is it well enough to be built upon?
bool healthy(const client_tests::Recording& control) {
  client_tests::Suite suite;
  suite.controls.push_back(control);
  const auto verdict = client_tests::judge(suite);
  return verdict.controls.front().verdict != client_tests::Verdict::Fail;
}

std::string last_error_lines(const client_tests::Recording& control) {
  std::string text;
  for (const auto& captured : control.output) {
    if (!captured.stream.ends_with("stderr") || captured.bytes == 0) continue;
    const auto& whole = captured.tail.empty() ? captured.head : captured.tail;
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < whole.size();) {
      const auto end = std::min(whole.find('\n', at), whole.size());
      if (end > at) lines.push_back(whole.substr(at, end - at));
      at = end + 1;
    }
    const auto dot = captured.stream.find('.');
    const auto who = dot == std::string::npos ? "client" : captured.stream.substr(0, dot);
    text += fmt::format("the {}'s last error lines\n", who);
    for (std::size_t i = lines.size() > 5 ? lines.size() - 5 : 0; i < lines.size(); ++i) {
      text += "  | " + reports::printable(lines[i]).substr(0, 200) + "\n";
    }
  }
  return text;
}

std::string unhealthy_text(const client_tests::Recording& control) {
  std::string text = "the healthy control failed, so no scenario was run; requests seen\n";
  std::size_t shown = 0;
  for (const auto& exchange : control.journal.exchanges) {
    if (++shown > 10) {
      text += fmt::format("  ... {} more\n", control.journal.exchanges.size() - 10);
      break;
    }
    text += fmt::format("  {:>8.3f}  {} {} -> {}\n",
                        std::chrono::duration<double>(exchange.first_byte).count(),
                        reports::printable(exchange.request.method),
                        reports::printable(exchange.request.target), exchange.answer.status);
  }
  return text + last_error_lines(control);
}

// Verdict and reports into the run's folder; a report that could not be written is an error.
bool write_reports(const client_tests::SuiteVerdict& verdict, const client_tests::Suite& suite,
                   const std::string& folder, const std::vector<ReportTarget>& extra) {
  bool fine = true;
  const auto write = [&](const fs::path& path, const reports::Format& format) {
    if (write_file(path, format.render(verdict, suite, {}))) return;
    std::cerr << "mishap test: cannot write " << path.string() << "\n";
    fine = false;
  };
  write(fs::path(folder) / "verdict.json", *reports::find_format("json"));
  for (const auto& format : reports::formats()) write(fs::path(folder) / format.file_name, format);
  for (const auto& target : extra) write(target.file, *target.format);
  return fine;
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
  TestCommand(const TestArguments& arguments, Selection selection,
              std::vector<NameValue> environment, std::vector<ReportTarget> reports)
      : arguments_(arguments),
        selection_(std::move(selection)),
        environment_(std::move(environment)),
        reports_(std::move(reports)),
        seed_(choose_seed(arguments.seed)),
        terminal_(isatty(STDOUT_FILENO) != 0),
        render_(terminal_options(terminal_)) {}

  int run(const std::atomic<bool>& interrupted) {
    const auto name = suite_name(arguments_, clock_);
    const auto folder = make_folder(arguments_, name);
    if (!folder) return complain(folder.error());
    auto server = server::start_server(clock_);
    if (!server) return complain(server.error());

    Progress progress(clock_, render_, terminal_);
    progress.expect(selection_.scenarios.size());
    auto suite = client_tests::run_suite(selection_.scenarios, **server,
                                         options(progress, *folder, interrupted));
    progress.finish();
    if (!suite) {
      std::error_code ignored;
      fs::remove_all(*folder, ignored);
      return complain(suite.error());
    }
    mark_companions(*suite);
    suite->name = fs::path(*folder).filename().string();
    suite->again =
        again(arguments_, seed_,
              suite->controls.empty() ? arguments_.client : suite->controls.front().command);
    return conclude(*suite, *folder);
  }

 private:
  static int complain(const Error& error) {
    std::cerr << render(error);
    return error.code == ErrorCode::BadInput || error.code == ErrorCode::NotFound ? kExitUsage
                                                                                  : kExitInternal;
  }

  client_tests::TestOptions options(Progress& progress, const std::string& folder,
                                    const std::atomic<bool>& interrupted) {
    client_tests::TestOptions options;
    options.client.command = arguments_.client;
    options.client.environment = environment_;
    options.seed = seed_;
    options.jobs = arguments_.jobs;
    if (!arguments_.kill_after.empty()) options.kill_after = *parse_duration(arguments_.kill_after);
    options.folder = folder;
    options.version = std::string(kVersion);
    options.healthy = [&progress](const client_tests::Recording& control) {
      const bool well = healthy(control);
      if (!well) progress.say(unhealthy_text(control));
      return well;
    };
    options.on_control = [this, &progress](const client_tests::Recording& control) {
      progress.control(control);
      if (control.journal.exchanges.empty() || !control.trouble.empty())
        progress.say(last_error_lines(control));
      if (control.scenario.name == "control" && !control.journal.exchanges.empty() &&
          control.trouble.empty()) {
        progress.say(pack_line(selection_, arguments_, seed_));
      }
    };
    options.on_begin = [&progress](const std::string& scenario) { progress.began(scenario); };
    options.on_end = [this, &progress](const client_tests::Recording& recording) {
      auto copy = recording;
      copy.companion = is_companion(recording.scenario.name);
      progress.ended(copy);
    };
    options.interrupted = &interrupted;
    return options;
  }

  bool is_companion(const std::string& name) const {
    return std::ranges::find(selection_.companions, name) != selection_.companions.end();
  }

  void mark_companions(client_tests::Suite& suite) const {
    for (auto& recording : suite.recordings) {
      recording.companion = is_companion(recording.scenario.name);
    }
  }

  int conclude(const client_tests::Suite& suite, const std::string& folder) {
    if (auto stored = client_tests::store_suite(suite, folder); !stored)
      return complain(stored.error());
    const auto verdict = client_tests::judge(suite);
    const bool written = write_reports(verdict, suite, folder, reports_);
    auto shown = render_;
    shown.run_folder = folder;
    std::cout << reports::console_end(verdict, suite, shown) << std::flush;
    if (arguments_.out.empty())
      client_tests::prune_runs(std::string(kRunsFolder), static_cast<std::size_t>(arguments_.keep));
    return written ? exit_code_of(verdict.verdict) : kExitInternal;
  }

  const TestArguments& arguments_;
  const Selection selection_;
  const std::vector<NameValue> environment_;
  const std::vector<ReportTarget> reports_;
  const std::uint64_t seed_;
  const bool terminal_;
  const reports::RenderOptions render_;
  const server::SystemClock clock_;
};

}  // namespace

int run_test(const TestArguments& arguments) {
  const InterruptWatch watch;
  if (!arguments.kill_after.empty()) {
    if (const auto value = parse_duration(arguments.kill_after); !value) {
      return fail_usage("--kill-after: " + value.error());
    } else if (*value <= Duration::zero()) {
      return fail_usage("--kill-after: a client needs some time, as 40s");
    }
  }
  auto environment = read_environment(arguments.environment);
  auto report_targets = read_reports(arguments.reports);
  if (!environment || !report_targets) return kExitUsage;
  auto selection = load_selection(arguments.targets, arguments.load);
  if (!selection) return kExitUsage;
  if (selection->scenarios.empty()) return fail_usage("no scenario in what was named");
  if (arguments.client.empty() && !each_names_its_client(*selection))
    return fail_usage("no client given; put its command after --: mishap test core -- ./client");
  return TestCommand(arguments, std::move(*selection), std::move(*environment),
                     std::move(*report_targets))
      .run(watch.interrupted());
}

}  // namespace mishap::cli
