#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <mutex>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/connection_line.h"
#include "cli/control_runs.h"
#include "cli/exchange_line.h"
#include "cli/load.h"
#include "cli/pending_lines.h"
#include "cli/project.h"
#include "cli/ready.h"
#include "cli/run_folder.h"
#include "cli/serve_options.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "client-tests/driver/controls.h"
#include "client-tests/driver/served.h"
#include "mishap/printable.h"
#include "mishap/recorded_run.h"
#include "mishap/server.h"
#include "mishap/verdict.h"
#include "server/control/control.h"
#include "server/wire/tls_setup.h"

namespace mishap::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 50ms;

// Set by POST /v1/end, from another thread.
class EndAsked {
 public:
  void ask() {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    changed_.notify_all();
  }
  bool within(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return asked_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false;
};

struct OpenRun {
  scenarios::Scenario scenario;
  std::string label;  // before its lines, where there are several
  SpellLines spells;
  bool only_control = false;
  client_tests::RecordedRun run;  // last, since its thread uses the others
};

std::string name_of(const scenarios::Scenario& scenario) {
  return scenario.pack.empty() ? scenario.name : scenario.pack + "/" + scenario.name;
}

// Somebody waits for an answer, or a client has not been seen to leave.
bool is_under_way(const server::Journal& journal) {
  return std::ranges::any_of(journal.exchanges, [](const server::Exchange& exchange) {
    return !exchange.receipt.ended && !exchange.receipt.departed;
  });
}

// Takes what is there without waiting; whoever holds the other end need not say anything.
bool stdin_has_ended() {
  pollfd entry{STDIN_FILENO, POLLIN, 0};
  if (::poll(&entry, 1, 0) != 1) return false;
  std::array<char, 4096> ignored;
  const auto got = ::read(STDIN_FILENO, ignored.data(), ignored.size());
  return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

class ServeCommand {
 public:
  ServeCommand(const ServeArguments& arguments, ServeSettings settings,
               std::vector<scenarios::Scenario> scenarios)
      : arguments_(arguments), settings_(std::move(settings)), scenarios_(std::move(scenarios)) {}

  int run(const std::atomic<bool>& interrupted) {
    auto server = server::start_server(clock_);
    if (!server) return complain(server.error());
    if (auto opened = open_all(**server); !opened) return complain(opened.error());
    if (auto written = write_ca(); !written) return complain(written.error());
    ControlRuns maker(**server, {settings_.run, settings_.allow_files});
    EndAsked asked;
    std::unique_ptr<server::control::Control> control;
    if (settings_.control) {
      auto started = start_control(maker, asked);
      if (!started) return complain(started.error());
      control = std::move(*started);
    }
    tl::expected<std::string, Error> folder;
    if (settings_.judge) {
      folder = make_folder(arguments_.out, suite_name(settings_.targets.front(), clock_));
      if (!folder) return complain(folder.error());
    }
    tell(control ? control->url() : std::string());
    watch_listeners();
    wait(interrupted, asked);
    control.reset();
    return settings_.judge ? conclude(*folder) : say_effects();
  }

 private:
  tl::expected<void, Error> open_all(server::Server& server) {
    for (auto& scenario : scenarios_) {
      if (auto opened = open(server, std::move(scenario), false); !opened) return opened;
    }
    if (!settings_.with_healthy) return {};
    const auto count = runs_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (has_control_for(runs_[i]->scenario)) continue;
      auto control = client_tests::control_of(runs_[i]->scenario, "control");
      if (auto opened = open(server, std::move(control), true); !opened) return opened;
    }
    return {};
  }

  bool has_control_for(const scenarios::Scenario& scenario) const {
    return std::ranges::any_of(runs_, [&](const auto& run) {
      return run->only_control && client_tests::same_vendor(run->scenario, scenario);
    });
  }

  tl::expected<void, Error> open(server::Server& server, scenarios::Scenario scenario,
                                 bool only_control) {
    client_tests::RunSettings settings;
    settings.server = settings_.run;
    settings.server.token = token_;
    settings.version = std::string(kVersion);
    settings.child = false;
    auto run = client_tests::begin_recorded_run(scenario, server, settings);
    if (!run) return tl::unexpected(run.error());
    // One for all runs of this command, so that a client is told it once.
    token_ = run->token();
    auto& kept = runs_.emplace_back(std::make_unique<OpenRun>(
        OpenRun{std::move(scenario), {}, {}, only_control, std::move(*run)}));
    kept->label = several() ? printable(name_of(kept->scenario)) + "  " : std::string();
    kept->run.live().on_exchange([this, run = kept.get()](const server::Exchange& exchange) {
      say(*run, exchange_line(exchange));
    });
    kept->run.live().on_connection([this, run = kept.get()](const server::Connection& connection) {
      say(*run, connection_line(connection));
    });
    return {};
  }

  // On the I/O thread: a line is shown at the next look, so that none costs a call of the system.
  void say(const OpenRun& run, const std::string& line) {
    if (!line.empty()) lines_.add(run.label, line);
  }

  // Behind the ready lines: some listeners have begun by then.
  void watch_listeners() {
    for (const auto& run : runs_) {
      run->run.live().on_spell([this, &run = *run](const server::ListenerSpell& spell) {
        std::unique_lock lock(spells_);
        const auto line = run.spells.line(spell);
        lock.unlock();
        say(run, line);
      });
    }
  }

  bool several() const { return scenarios_.size() > 1 || settings_.with_healthy; }

  auto start_control(ControlRuns& maker, EndAsked& asked)
      -> tl::expected<std::unique_ptr<server::control::Control>, Error> {
    server::control::ControlSettings settings;
    settings.address = settings_.run.address;
    settings.advertise = settings_.run.advertise;
    settings.port = *settings_.control;
    settings.token = settings_.token;
    settings.version = std::string(kVersion);
    return server::control::start_control(settings, maker, clock_, [&asked] { asked.ask(); });
  }

  std::string ready_line(const OpenRun& run, const server::LaneAddress& address) const {
    const bool by_api = !settings_.judge && !several();
    auto line =
        fmt::format("ready {}  {}", address.url, by_api ? address.api : name_of(run.scenario));
    if (!by_api && run.scenario.apis.size() > 1) line += " " + address.api;
    if (run.scenario.client.copies > 1) line += fmt::format(" copy {}", address.lane);
    return printable(line);
  }

  std::string proxy_line(const OpenRun& run, const server::LaneAddress& proxy) const {
    std::string hosts;
    for (const auto& api : run.scenario.apis) {
      for (const auto& host : api.intercept) hosts += (hosts.empty() ? "" : ", ") + host.text();
    }
    auto line = fmt::format("ready {}  proxy to {}", proxy.url, hosts);
    if (several()) line += " of " + name_of(run.scenario);
    if (run.scenario.client.copies > 1) line += fmt::format(" copy {}", proxy.lane);
    return printable(line);
  }

  // All runs share one authority.
  tl::expected<void, Error> write_ca() const {
    if (arguments_.ca_out.empty()) return {};
    std::string pem;
    for (const auto& run : runs_) pem = pem.empty() ? run->run.live().ca() : pem;
    if (pem.empty()) {
      return tl::unexpected(Error{ErrorCode::BadInput,
                                  "--ca-out: nothing here speaks TLS",
                                  {},
                                  "add \"tls: true\" to the api, or --intercept HOST"});
    }
    if (auto error = server::write_authority(arguments_.ca_out, pem)) {
      return tl::unexpected(std::move(*error));
    }
    return {};
  }

  std::string closing_line() const {
    std::string text;
    if (!runs_.empty()) text = fmt::format("seed {}, token {}; ", settings_.run.seed, token_);
    if (settings_.token_is_new) {
      text += fmt::format("control token {}; ", settings_.token);
    }
    return text + (settings_.judge ? "Ctrl-C ends it with a verdict" : "Ctrl-C ends it");
  }

  void tell(const std::string& control_url) {
    std::vector<std::string> lines;
    for (const auto& run : runs_) {
      for (const auto& address : run->run.live().addresses()) {
        lines.push_back(ready_line(*run, address));
      }
      for (const auto& proxy : run->run.live().proxies()) {
        lines.push_back(proxy_line(*run, proxy));
      }
    }
    if (!control_url.empty()) lines.push_back("ready control " + control_url);
    say_ready(lines, arguments_.ready_fd);
    std::cout << closing_line() << std::endl;
  }

  bool is_quiet() const {
    std::uint64_t requests = 0;
    for (const auto& run : runs_) {
      requests += run->run.live().requests();
      if (run->run.now() - run->run.live().last_activity() < *settings_.until_quiet) return false;
    }
    return requests > 0 && std::ranges::none_of(runs_, [](const auto& run) {
             return is_under_way(run->run.live().snapshot());
           });
  }

  void wait(const std::atomic<bool>& interrupted, EndAsked& asked) {
    const Duration began = clock_.now();
    while (!interrupted.load() && !asked.within(kLook)) {
      lines_.show();
      if (settings_.for_time && clock_.now() - began >= *settings_.for_time) return;
      if (settings_.until_quiet && is_quiet()) return;
      if (settings_.until_eof && stdin_has_ended()) return;
    }
  }

  int say_effects() {
    for (const auto& run : runs_) {
      const auto journal = run->run.live().end();
      lines_.show();
      if (several()) std::cout << printable(name_of(run->scenario)) << ": ";
      std::cout << effects_text(journal) << std::flush;
    }
    return kExitPass;
  }

  client_tests::Suite suite(const std::string& folder) {
    const Duration began = runs_.front()->run.live().began();
    std::vector<client_tests::ServedRun> served;
    for (const auto& run : runs_) {
      auto recording = run->run.end();
      recording.outcomes_offered = false;
      served.push_back({&run->scenario, std::move(recording), run->only_control});
    }
    lines_.show();
    auto suite = client_tests::suite_of(std::move(served));
    suite.name = std::filesystem::path(folder).filename().string();
    suite.seed = settings_.run.seed;
    suite.again = again_line(arguments_.words, arguments_.seed, settings_.run.seed);
    suite.jobs = static_cast<int>(runs_.size());
    suite.length = clock_.now() - began;
    return suite;
  }

  int conclude(const std::string& folder) {
    const auto recorded = suite(folder);
    const auto render = terminal_options(isatty(STDOUT_FILENO) != 0);
    std::cout << "\n";
    for (const auto& control : recorded.controls) {
      std::cout << reports::console_control(control, render);
    }
    const auto verdict = client_tests::judge(recorded);
    for (const auto& one : verdict.cases) {
      std::cout << reports::console_line(one, render) << "\n";
    }
    return conclude_suite(recorded, verdict,
                          {.folder = folder,
                           .reports = settings_.reports,
                           .render = render,
                           .prune_to = arguments_.out.empty() ? arguments_.keep : 0,
                           .inconclusive = *on_inconclusive_named(arguments_.inconclusive)});
  }

  const ServeArguments& arguments_;
  const ServeSettings settings_;
  std::vector<scenarios::Scenario> scenarios_;
  const server::SystemClock clock_;
  // Before the runs, whose threads use them.
  PendingLines lines_;
  std::mutex spells_;
  std::string token_ = settings_.judge ? "" : "mishap-token";
  std::vector<std::unique_ptr<OpenRun>> runs_;
};

}  // namespace

int run_serve(const ServeArguments& given) {
  // One heap for all threads that serve would keep them waiting for one another.
  if (given.threads > 1) ::mallopt(M_ARENA_MAX, given.threads);
  const InterruptWatch watch;
  const auto opened = open_project(given.project);
  if (!opened.fine) return kExitUsage;
  auto arguments = given;
  give_defaults(opened, nullptr, arguments.load);
  const bool names_a_vendor = arguments.load.project.has_api() || !arguments.load.api.empty();
  if (arguments.targets.empty() && !arguments.control && names_a_vendor) {
    arguments.targets = {std::string(kProjectVendor)};
  }
  auto settings = read_serve(arguments);
  if (!settings) return kExitUsage;
  auto scenarios = load_targets(settings->targets, arguments.load);
  if (!scenarios) return kExitUsage;
  return ServeCommand(arguments, std::move(*settings), std::move(*scenarios))
      .run(watch.interrupted());
}

}  // namespace mishap::cli
