#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "cli/client_run.h"
#include "cli/commands.h"
#include "cli/init_text.h"
#include "cli/seed.h"
#include "cli/signals.h"
#include "cli/unhealthy.h"
#include "cli/url_candidates.h"
#include "cli/version.h"
#include "client-tests/launch/secrets.h"
#include "mishap/nearest_word.h"
#include "mishap/report.h"
#include "mishap/run.h"
#include "mishap/server.h"

// `init`: one healthy run of the client, and a mishap.yaml from it.
namespace mishap::cli {
namespace {

namespace fs = std::filesystem;

int fail(const std::string& text, int code = kExitUsage) {
  std::cerr << "mishap init: " << text << "\n";
  return code;
}

// A folder for the run alone; what is worth keeping goes into the files that init writes.
class Scratch {
 public:
  Scratch() {
    auto pattern = (fs::temp_directory_path() / "mishap-init-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Whole or not at all: a half written file would be read as somebody's word.
bool put(const std::string& path, const std::string& text) {
  const auto beside = path + ".new";
  {
    std::ofstream file(beside, std::ios::binary);
    file << text << std::flush;
    if (!file.good()) return false;
  }
  std::error_code failed;
  fs::rename(beside, path, failed);
  return !failed;
}

bool is_healthy(const client_tests::Recording& control) {
  client_tests::Suite suite;
  suite.controls.push_back(control);
  return client_tests::judge(suite).controls.front().verdict != client_tests::Verdict::Fail;
}

std::vector<std::string> secret_names(const std::vector<NameValue>& environment) {
  std::vector<std::string> names;
  for (const auto& variable : environment) {
    const bool template_only = variable.value.starts_with('{') && variable.value.ends_with('}');
    if (!template_only && !client_tests::secrets_of({variable}, {}).empty()) {
      names.push_back(variable.name);
    }
  }
  return names;
}

// The variable whose value also stands in the command; empty: none does.
std::string secret_in_command(const scenarios::Client& client) {
  for (const auto& variable : client.environment) {
    const auto secrets = client_tests::secrets_of({variable}, {});
    for (const auto& word : client.command) {
      if (!client_tests::find_secrets(word, secrets).empty()) return variable.name;
    }
  }
  return {};
}

class InitCommand {
 public:
  InitCommand(const InitArguments& arguments, scenarios::Client client,
              scenarios::Scenario scenario)
      : arguments_(arguments), scenario_(std::move(scenario)) {
    facts_.client = std::move(client);
    facts_.secret = secret_names(facts_.client.environment);
    facts_.api = arguments.api;
    for (const auto& host : scenario_.apis.front().intercept) {
      facts_.intercept.push_back(host.text());
    }
  }

  int run(const std::atomic<bool>& interrupted) {
    const Scratch scratch;
    if (scratch.path().empty()) return fail("cannot make a folder to work in", kExitInternal);
    const server::SystemClock clock;
    auto server = server::start_server(clock);
    if (!server) return complain(server.error());
    auto suite = client_tests::run_suite({scenario_}, **server, options(scratch, interrupted));
    if (!suite) return complain(suite.error());
    if (interrupted || suite->controls.empty()) return fail("interrupted", kExitInconclusive);
    return conclude(*suite);
  }

 private:
  static int complain(const Error& error) {
    std::cerr << render(error);
    return error.code == ErrorCode::BadInput || error.code == ErrorCode::NotFound ? kExitUsage
                                                                                  : kExitInternal;
  }

  client_tests::TestOptions options(const Scratch& scratch,
                                    const std::atomic<bool>& interrupted) const {
    client_tests::TestOptions options;
    options.client = facts_.client;
    options.seed = choose_seed({});
    options.jobs = 1;
    if (!arguments_.kill_after.empty()) options.kill_after = *parse_duration(arguments_.kill_after);
    options.folder = scratch.path();
    options.version = std::string(kVersion);
    // The control is all that is wanted.
    options.healthy = [](const client_tests::Recording&) { return false; };
    options.interrupted = &interrupted;
    return options;
  }

  int conclude(const client_tests::Suite& suite) {
    const auto& control = suite.controls.front();
    std::cout << reports::console_control(control, {});
    learn_service(control);
    const bool nothing_came = control.journal.exchanges.empty();
    if (nothing_came && !facts_.service) return explain_silence(suite);
    // A service does not end by itself, which a command is blamed for.
    const bool healthy = facts_.service || is_healthy(control);
    if (!healthy && !write_api(control)) return fail("cannot write api.yaml", kExitInternal);
    if (!put(arguments_.file, project_text(facts_, control))) {
      return fail("cannot write " + arguments_.file, kExitInternal);
    }
    say_what_is_next(healthy, nothing_came);
    return healthy && !nothing_came ? kExitPass : kExitInconclusive;
  }

  // It was ended by us although it was left alone, and it sent something or listens.
  void learn_service(const client_tests::Recording& control) {
    if (control.processes.empty()) return;
    const auto& process = control.processes.front();
    if (process.stop != client_tests::Stop::Killed) return;
    facts_.service = !control.journal.exchanges.empty() || !process.listening.empty();
    if (!process.listening.empty()) facts_.port = process.listening.front();
  }

  int explain_silence(const client_tests::Suite& suite) const {
    for (const auto& line : suite.stopped) std::cout << "          " << line << "\n";
    auto variables = own_environment();
    std::ranges::copy(facts_.client.environment, std::back_inserter(variables));
    std::cout << last_error_lines(suite.controls.front())
              << candidates_text(url_candidates(facts_.client.command, variables))
              << arguments_.file << " was not written\n";
    return kExitInconclusive;
  }

  bool write_api(const client_tests::Recording& control) {
    std::cout << "the healthy run failed; requests seen\n"
              << requests_seen(control) << last_error_lines(control);
    const auto path = fs::path(arguments_.file).parent_path() / "api.yaml";
    std::error_code ignored;
    if (fs::exists(path, ignored) && !arguments_.force) {
      std::cout << path.string() << " is there already and was left as it is\n";
    } else if (write_starter(control, path.string(), "mishap test")) {
      std::cout << "a starter for your vendor was written from them: " << path.string() << "\n";
    } else {
      return false;
    }
    facts_.api = "./api.yaml";
    return true;
  }

  void say_what_is_next(bool healthy, bool nothing_came) const {
    for (const auto& name : facts_.secret) {
      std::cout << name << " looks like a secret: its value was not written\n";
    }
    std::cout << arguments_.file << " was written\n";
    if (nothing_came) {
      std::cout
          << "the client is a service that sent nothing by itself: say under drive: what makes "
             "it act\n";
    } else if (facts_.service) {
      std::cout << "the client did not end by itself: it is written as a service; look at ready, "
                   "drive and until\n";
    }
    std::cout << (healthy ? "next:  mishap test\n"
                          : "next:  put api.yaml right, then  mishap test\n");
  }

  const InitArguments& arguments_;
  const scenarios::Scenario scenario_;
  InitFacts facts_;
};

std::optional<scenarios::Client> client_of(const InitArguments& arguments) {
  scenarios::Client client;
  client.command = arguments.client;
  auto environment = read_environment("mishap init", arguments.environment);
  if (!environment) return {};
  client.environment = std::move(*environment);
  if (const auto name = secret_in_command(client); !name.empty()) {
    fail("the command holds the value of " + name +
         ", which must not be written into a file: let the client read it from its environment");
    return {};
  }
  return client;
}

std::optional<scenarios::Scenario> vendor_of(const InitArguments& arguments) {
  scenarios::LoadOptions options;
  options.intercept = arguments.intercept;
  auto loaded = scenarios::load_api(arguments.api.empty() ? "any" : arguments.api, options);
  for (const auto& diagnostic : loaded.diagnostics) std::cerr << render(diagnostic);
  return std::move(loaded.scenario);
}

}  // namespace

int run_init(const InitArguments& arguments) {
  const InterruptWatch watch;
  if (arguments.client.empty()) {
    return fail("no client given; put its command after --: mishap init -- python3 sync.py");
  }
  std::error_code ignored;
  if (fs::exists(arguments.file, ignored) && !arguments.force) {
    return fail(arguments.file + " is there already; --force writes over it");
  }
  if (!arguments.kill_after.empty()) {
    const auto value = parse_duration(arguments.kill_after);
    if (!value) return fail("--kill-after: " + value.error());
    if (*value <= Duration::zero()) return fail("--kill-after: a client needs some time, as 40s");
  }
  auto client = client_of(arguments);
  if (!client) return kExitUsage;
  auto scenario = vendor_of(arguments);
  if (!scenario) return kExitUsage;
  return InitCommand(arguments, std::move(*client), std::move(*scenario)).run(watch.interrupted());
}

}  // namespace mishap::cli
