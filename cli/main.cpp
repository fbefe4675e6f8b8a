#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <charconv>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/version.h"

// Reads the command line. Everything after the first "--" is the client's and is not looked at.
namespace mishap::cli {
namespace {

struct Options {
  TestArguments test;
  ObserveArguments observe;
  ServeArguments serve;
  LintArguments lint;
  InitArguments init;
  ProjectOptions project;
  ReportArguments judge;
  ReportArguments report;
  std::string list;
  std::string explain;
  std::string schema = "scenario";
  std::vector<std::string> set;
  std::vector<std::string> promise;
  scenarios::LoadOptions load;
};

NameValue split(const std::string& option, const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw CLI::ValidationError(option, "wants NAME=VALUE, not \"" + word + "\"");
  }
  return {word.substr(0, equals), word.substr(equals + 1)};
}

void add_inconclusive(CLI::App& command, std::string& word) {
  command
      .add_option("--inconclusive", word,
                  "what an inconclusive run ends with: error (exit 2), fail (1), warn (0)")
      ->check(CLI::IsMember({"error", "fail", "warn"}))
      ->capture_default_str();
}

// A promise may be the name of a profile.
NameValue split_promise(const std::string& word) {
  if (word.find('=') == std::string::npos && !word.empty()) return {"profile", word};
  return split("--promise", word);
}

// strtoull, by which CLI11 reads it, takes -1 for the largest number and what is too large as well.
std::string why_no_seed(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end) return {};
  return "\"" + text + "\" is no seed: a whole number from 0 to 18446744073709551615";
}

void add_seed(CLI::App& command, std::optional<std::uint64_t>& seed) {
  command.add_option("--seed", seed, "repeat the random choices of an earlier run")
      ->check(CLI::Validator(why_no_seed, ""));
}

void add_intercept(CLI::App& app, std::vector<std::string>& hosts) {
  app.add_option("--intercept", hosts,
                 "stand in for this host, as api.vendor.com or NAME=api.vendor.com: the client is "
                 "sent to a proxy that leads there and nowhere else (may be repeated)")
      ->take_all()
      ->allow_extra_args(false);
}

void add_load_options(CLI::App& app, Options& options, const std::string& fault_help) {
  auto* file = app.add_option("--project", options.project.file,
                              "this mishap.yaml (default: here, or above up to the repository)");
  app.add_flag("--no-project", options.project.none, "no mishap.yaml")->excludes(file);
  app.add_option("--api", options.load.api,
                 "play against this api instead (a shipped name or a path)");
  app.add_option("--set", options.set, "NAME=VALUE for a $name of the scenario")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--fault", options.load.faults,
                 "a quick fault: 'POST /v1/bookings response_lost attempt=1' (may be repeated)" +
                     fault_help)
      ->take_all()
      ->allow_extra_args(false);
  add_intercept(app, options.load.intercept);
}

void add_choice(CLI::App& command, TestArguments& arguments) {
  command
      .add_option("--tag", arguments.tags,
                  "only scenarios with this tag, or without it: not:TAG (may be repeated: any of "
                  "the tags, none of the others)")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--shard", arguments.shard,
                     "2/4: the second of four parts; off: all (default: as Bazel, GoogleTest, "
                     "GitLab, CircleCI or Buildkite say in the environment)");
  command.add_flag("--last-failed", arguments.last_failed,
                   "only what did not pass the last time, or in the run --last-failed=FOLDER");
  command
      .add_option("--reruns", arguments.reruns,
                  "how often a scenario that is inconclusive is run again, alone")
      ->check(CLI::Range(0, 10))
      ->capture_default_str();
  add_inconclusive(command, arguments.inconclusive);
}

void add_known(CLI::App& command, TestArguments& arguments) {
  command.add_option("--known", arguments.known_file,
                     "list of known findings (default: mishap-known.yaml, where it is there)");
  command.add_flag("--write-known", arguments.write_known,
                   "add every fail to that list, or to --write-known=FILE");
  command.add_flag("--strict-known", arguments.strict_known,
                   "a known finding that is not met any more fails the run");
}

void add_environment(CLI::App& command, std::vector<std::string>& environment) {
  command
      .add_option("--env", environment,
                  "NAME=VALUE for the client; {url} and the like are replaced")
      ->take_all()
      ->allow_extra_args(false);
}

void add_client_run(CLI::App& command, TestArguments& arguments) {
  add_environment(command, arguments.environment);
  command.add_option("--jobs", arguments.jobs, "scenarios side by side")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  add_seed(command, arguments.seed);
  command.add_option("--kill-after", arguments.kill_after,
                     "patience with each run of the client, as 40s");
  command.add_option("--out", arguments.out, "folder of the run (default: mishap-runs/TIME-NAME)");
}

void add_test(CLI::App& app, Options& options) {
  auto& arguments = options.test;
  auto* command = app.add_subcommand("test", "run a client under scenarios and judge it");
  command->add_option(
      "scenarios", arguments.targets,
      "packs, scenarios, files or folders (default: those of mishap.yaml, or core)");
  command->add_option("--client", arguments.client_name, "one of the clients of mishap.yaml");
  add_load_options(*command, options,
                   "; alone where no scenario is named, over --api or any; else in every scenario "
                   "that is named, before its own: where both act at one point yours does, and a "
                   "scenario that is not met so ends inconclusive");
  command
      ->add_option("--promise", options.promise,
                   "what the client claims: a profile (b2b, interactive, background, strict), or "
                   "NAME=VALUE: max_attempts, attempt_timeout, deadline, max_delay, "
                   "retries=none|declared, answer_within, breaker, retry_budget")
      ->take_all()
      ->allow_extra_args(false);
  add_client_run(*command, arguments);
  command->add_option("--keep", arguments.keep, "passing runs to keep in mishap-runs")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command
      ->add_option("--report", arguments.reports,
                   "FORMAT or FORMAT=FILE, beside those in the run's folder")
      ->take_all()
      ->allow_extra_args(false);
  add_choice(*command, arguments);
  add_known(*command, arguments);
  command->footer(
      "As in:  mishap test core --promise attempt_timeout=5s -- python3 sync_job.py\n"
      "What is not said comes from mishap.yaml: the command line wins over a scenario, a scenario "
      "over\n"
      "mishap.yaml, mishap.yaml over what is shipped. mishap init writes it.\n"
      "The client finds the mock in MISHAP_URL (of several apis the first; MISHAP_URL_NAME each).\n"
      "{url}, {url_name} (of one api), {port}, {token}, {scenario}, {copy}, {outcomes}, {state} "
      "and\n"
      "{free_port} are replaced in its command and in --env.\n"
      "Exit codes: 0 pass, 1 a check failed, 2 inconclusive, 3 bad scenario or usage, 4 internal "
      "error.");
}

void add_serve_judging(CLI::App& command, ServeArguments& arguments) {
  add_inconclusive(command, arguments.inconclusive);
  command.add_flag("--judge", arguments.judge, "judge each run when it ends");
  command.add_flag("--with-healthy", arguments.with_healthy,
                   "with --judge: one more run without faults, to compare with");
  command.add_option("--until-quiet", arguments.until_quiet,
                     "end when nothing has come for so long after the first request, as 5s");
  command.add_flag("--until-eof", arguments.until_eof,
                   "end when standard input does: with the process that started this one");
  command.add_option("--for", arguments.for_time, "end after this time, as 60s");
  command
      .add_option("--report", arguments.reports,
                  "with --judge: FORMAT or FORMAT=FILE, beside those in the run's folder")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--out", arguments.out,
                     "with --judge: folder of the run (default: mishap-runs/TIME-NAME)");
  command.add_option("--keep", arguments.keep, "passing runs to keep in mishap-runs")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
}

void add_serve_network(CLI::App& command, ServeArguments& arguments) {
  command
      .add_option_function<std::string>(
          "--control", [&arguments](const std::string& port) { arguments.control = port; },
          "the control API: runs are begun, fed and ended over HTTP; on this port (default: a free "
          "one)")
      ->expected(0, 1);
  command.add_option("--token", arguments.token,
                     "what callers of the control API must send; default: MISHAP_CONTROL_TOKEN, or "
                     "none on loopback and a new one elsewhere");
  command.add_option("--allow-files", arguments.allow_files,
                     "callers of the control API may name scenario files of this folder");
  command
      .add_option("--listen", arguments.listen, "address of an interface, for mock and control API")
      ->capture_default_str();
  command.add_option("--advertise", arguments.advertise, "host that URLs name instead");
  command.add_option("--ports", arguments.ports, "range of the mock's ports, as 18100-18199");
  command.add_option("--ca-out", arguments.ca_out,
                     "write the authority that clients must trust (PEM) to this file, where TLS is "
                     "spoken");
  command.add_option("--ready-fd", arguments.ready_fd,
                     "file descriptor that gets the ready lines too, and is closed then");
}

void add_serve(CLI::App& app, Options& options) {
  auto& arguments = options.serve;
  auto* command =
      app.add_subcommand("serve", "be the vendor, or the vendor on a bad day, until Ctrl-C");
  command->add_option("targets", arguments.targets,
                      "shipped apis, scenarios or packs, files or folders; each has its own port "
                      "(default: the api of mishap.yaml)");
  add_load_options(*command, options, "; 'pay POST /v1/charges ...' means one of several apis");
  command->add_option("--port", arguments.port, "port of the mock (default: a free one)");
  command
      ->add_option("--threads", arguments.threads,
                   "threads that serve requests, where nothing is judged; TLS, upstreams and rules "
                   "at connect "
                   "stay on the first")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  add_seed(*command, arguments.seed);
  add_serve_judging(*command, arguments);
  add_serve_network(*command, arguments);
  command->footer(
      "As in:  mishap serve core/response-lost-after-create --judge   (Ctrl-C ends it)\n"
      "        mishap serve --control 8099                            (a test begins and ends "
      "runs)\n"
      "With --judge the exit code is the verdict's: 0 pass, 1 a check failed, 2 inconclusive, 3 "
      "bad "
      "scenario or usage, 4 internal error.");
}

void add_observe(CLI::App& app, Options& options) {
  auto& arguments = options.observe.test;
  arguments.jobs = 4;  // waits are measured: rather longer than noisy
  auto* command =
      app.add_subcommand("observe", "measure what a client does by itself; judges nothing");
  command->add_option("--client", arguments.client_name, "one of the clients of mishap.yaml");
  add_load_options(*command, options, ", laid over each run");
  add_client_run(*command, arguments);
  command->add_flag("--json", options.observe.json, "JSON on standard output");
  command->footer(
      "As in:  mishap observe -- python3 sync_job.py\n"
      "Runs the pack observe: failures of each kind that do not end. Tells the attempts for each, "
      "how\n"
      "the client waits between them, its timeouts, its keys, and a promise for mishap.yaml.\n"
      "Exit codes: 0 something was seen, 2 nothing was, 3 bad usage, 4 internal error.");
}

void add_init(CLI::App& app, Options& options) {
  auto& arguments = options.init;
  auto* command =
      app.add_subcommand("init", "run the client once and write mishap.yaml for this project");
  command->add_option("--api", arguments.api, "the vendor (default: any)");
  add_intercept(*command, arguments.intercept);
  add_environment(*command, arguments.environment);
  command->add_option("--kill-after", arguments.kill_after, "patience with the client, as 40s");
  command->add_flag("--force", arguments.force, "write over a mishap.yaml that is there");
  command->footer("As in:  mishap init --env VENDOR_URL={url} -- python3 sync.py");
}

void add_lint(CLI::App& app, Options& options) {
  auto* command =
      app.add_subcommand("lint", "check scenario files, apis and mishap.yaml; starts nothing");
  command->add_option("files", options.lint.files,
                      "files, folders or shipped names (default: mishap.yaml and what it names)");
  add_load_options(*command, options, "");
}

void add_stored(CLI::App& app, Options& options) {
  auto* judge = app.add_subcommand("judge", "judge stored runs again");
  judge
      ->add_option("runs", options.judge.runs,
                   "folders of runs; several are judged as one (shards of a suite)")
      ->required();
  add_inconclusive(*judge, options.judge.inconclusive);
  judge->add_option("--format", options.judge.format, "report format")->capture_default_str();
  judge->add_option("--output", options.judge.output, "file instead of standard output");
  auto* report = app.add_subcommand("report", "render stored runs");
  report
      ->add_option("runs", options.report.runs,
                   "folders of runs; several become one report (shards of a suite)")
      ->required();
  report->add_option("--format", options.report.format, "report format")->capture_default_str();
  report->add_option("--output", options.report.output, "file instead of standard output");
}

void add_catalogue(CLI::App& app, Options& options) {
  app.add_subcommand(kCalibrate, "the built-in client of a calibration")->group("");
  app.add_subcommand("list", "the catalogues")
      ->add_option("what", options.list,
                   "faults, points, checks, scenarios, apis, profiles or formats")
      ->required();
  app.add_subcommand("explain",
                     "a check, a fault, a point, a scenario, an api or a profile in full")
      ->add_option("name", options.explain, "its name")
      ->required();
  app.add_subcommand("schema",
                     "the JSON Schema of the scenario language, of mishap.yaml or of "
                     "the JSON report")
      ->add_option("what", options.schema, "scenario, project or report")
      ->capture_default_str();
}

int dispatch(CLI::App& app, Options& options) {
  for (const auto& word : options.set) options.load.set.push_back(split("--set", word));
  for (const auto& word : options.promise) options.load.promise.push_back(split_promise(word));
  options.test.load = options.serve.load = options.lint.load = options.load;
  options.test.project = options.serve.project = options.lint.project = options.project;
  options.observe.test.load = options.load;
  options.observe.test.project = options.project;
  options.observe.test.jobs_given = app.get_subcommand("observe")->count("--jobs") != 0;
  options.test.jobs_given = app.get_subcommand("test")->count("--jobs") != 0;
  if (app.got_subcommand("test")) return run_test(options.test);
  if (app.got_subcommand(kCalibrate)) return run_calibrate();
  if (app.got_subcommand("observe")) return run_observe(options.observe);
  if (app.got_subcommand("init")) return run_init(options.init);
  if (app.got_subcommand("serve")) return run_serve(options.serve);
  if (app.got_subcommand("lint")) return run_lint(options.lint);
  if (app.got_subcommand("judge")) return run_judge(options.judge);
  if (app.got_subcommand("report")) return run_report(options.report);
  if (app.got_subcommand("list")) return run_list(options.list);
  if (app.got_subcommand("schema")) return run_schema(options.schema);
  return run_explain(options.explain);
}

int run(std::vector<std::string> words) {
  Options options;
  const auto dashes = std::ranges::find(words, "--");
  if (dashes != words.end()) {
    options.test.client.assign(std::next(dashes), words.end());
    options.init.client = options.observe.test.client = options.test.client;
    words.erase(dashes, words.end());
  }
  options.test.words = options.serve.words = words;

  CLI::App app("Proves how an API client behaves when the API misbehaves.", "mishap");
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  add_test(app, options);
  add_observe(app, options);
  add_serve(app, options);
  add_lint(app, options);
  add_init(app, options);
  add_stored(app, options);
  add_catalogue(app, options);
  try {
    std::ranges::reverse(words);  // CLI11 takes the last word first
    app.parse(words);
    return dispatch(app, options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitPass : kExitUsage;
  }
}

}  // namespace
}  // namespace mishap::cli

namespace {

// A pipe whose reader has left, as head does.
bool nobody_reads_on() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

// What could not be written was not said: a full disk must not look like a pass.
int having_said_all(int code) {
  std::cout.flush();
  if (std::cout.good() || nobody_reads_on()) return code;
  std::cerr << "mishap: standard output could not be written; what stands there is not all\n";
  return code == mishap::cli::kExitPass ? mishap::cli::kExitInternal : code;
}

}  // namespace

int main(int argc, char** argv) {
  // The evidence of a run only grows, most of it on one thread. A heap of that thread's own would
  // grow by a call of the system for every few records.
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TOP_PAD, 4 * 1024 * 1024);
  try {
    return having_said_all(mishap::cli::run({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::cerr << "mishap: internal error: " << error.what() << "\n";
    return mishap::cli::kExitInternal;
  }
}
