#include "client-tests/driver/play.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "client-tests/driver/client_plan.h"
#include "client-tests/driver/kept.h"
#include "client-tests/driver/rest.h"
#include "client-tests/driver/second_run.h"
#include "client-tests/driver/watchdog.h"
#include "mishap/recorded_run.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

struct Folders {
  fs::path root;
  // Clients have working folders of their own, so what they are told begins at the root.
  explicit Folders(const fs::path& path) : root(fs::absolute(path).lexically_normal()) {}
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;
  // What a client stored may hold its secrets; only what is recorded stays.
  ~Folders() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  fs::path make(const std::string& name) const {
    const auto folder = root / name;
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms::owner_all);
    return folder;
  }
};

// The same for all copies.
std::string write_ca(const server::Run& run, const Folders& folders) {
  const std::string pem = run.ca();
  if (pem.empty()) return {};
  const auto file = folders.make("tls") / "ca.pem";
  std::ofstream(file, std::ios::trunc) << pem;
  return file.string();
}

std::string user_no_proxy() {
  for (const auto* name : {"NO_PROXY", "no_proxy"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

CopyContext context_of(const scenarios::Scenario& scenario, const server::Run& run,
                       const std::string& token, const Folders& folders, int copy) {
  const auto suffix = "-" + std::to_string(copy);
  CopyContext context;
  context.scenario = scenario.name;
  context.copy = copy;
  for (const auto& address : run.addresses()) {
    if (address.lane == copy) context.addresses.push_back(address);
  }
  for (const auto& proxy : run.proxies()) {
    if (proxy.lane == copy) context.proxy = proxy.url;
  }
  context.token = token;
  context.no_proxy = user_no_proxy();
  context.state = folders.make("state" + suffix).string();
  context.scratch = folders.make("tmp" + suffix).string();
  context.outcomes = (folders.make("outcomes") / ("copy" + suffix + ".jsonl")).string();
  context.free_port = free_port();
  context.ca = write_ca(run, folders);
  return context;
}

std::vector<Port> ports_of(const server::Run& run) {
  std::vector<Port> ports;
  for (const auto& address : run.addresses()) ports.push_back(address.port);
  for (const auto& address : run.proxies()) ports.push_back(address.port);
  return ports;
}

// Said, though not judged yet: a credential in a log is worth knowing about.
void note_printed_token(const std::vector<Captured>& output, Recording& recording) {
  for (const auto& captured : output) {
    if (captured.canary_hits == 0) continue;
    recording.notes.push_back("the client printed its credential (MISHAP_TOKEN) to " +
                              captured.stream + "; it is masked in the stored output");
  }
}

// Of several that could not be brought to act the first is told: the others were interrupted then.
std::string trouble_of(const std::vector<LifeResult>& lives) {
  std::string trouble;
  for (const auto& life : lives) {
    const bool is_cause = life.client.process.stop != Stop::Interrupted;
    if (!life.trouble.empty() && (trouble.empty() || is_cause)) trouble = life.trouble;
    if (!trouble.empty() && is_cause) break;
  }
  return trouble;
}

// A service is there until it is told to go.
void note_death(const LaunchResult& result, Recording& recording) {
  const ProcessFacts& process = result.process;
  if (process.role != ProcessRole::Service || !recording.trouble.empty()) return;
  if (process.stop == Stop::Exited) {
    recording.notes.push_back("the service ended by itself with exit code " +
                              std::to_string(process.exit_code) + " before it was told to");
  } else if (process.stop == Stop::Signalled) {
    recording.notes.push_back("the service was ended by signal " + std::to_string(process.signal) +
                              ", which was not mishap's");
  }
}

// Whom else the client wanted to reach, and did not.
void note_turned_away(Recording& recording) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> hosts;
  for (const server::Connection& connection : recording.journal.connections) {
    const std::string& host = connection.asked_for;
    if (!connection.api.empty() || host.empty() || hosts.size() == kMost) continue;
    if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
  }
  for (const std::string& host : hosts) {
    recording.notes.push_back("the client asked the proxy for " + host +
                              ", and nothing stands in for it (--intercept)");
  }
}

void take_result(LaunchResult result, Recording& recording) {
  note_death(result, recording);
  note_printed_token(result.output, recording);
  recording.processes.push_back(std::move(result.process));
  std::ranges::move(result.output, std::back_inserter(recording.output));
  std::ranges::move(result.outcomes, std::back_inserter(recording.outcomes));
  std::ranges::move(result.bad_outcome_lines, std::back_inserter(recording.bad_outcome_lines));
  std::ranges::move(result.notes, std::back_inserter(recording.notes));
}

// After the scenario had ended it.
std::string trouble_of_restart(const std::vector<LifeResult>& lives) {
  for (const LifeResult& life : lives) {
    if (life.earlier.empty() || !life.client.not_started) continue;
    return "the client could not be started again after the scenario had ended it: " +
           life.client.not_started->message;
  }
  return {};
}

void take_results(std::vector<LifeResult> lives, Recording& recording) {
  if (recording.trouble.empty()) recording.trouble = trouble_of(lives);
  if (recording.trouble.empty()) recording.trouble = trouble_of_restart(lives);
  for (auto& life : lives) {
    if (life.drive) recording.drives.push_back(std::move(*life.drive));
    for (auto& earlier : life.earlier) take_result(std::move(earlier), recording);
    take_result(std::move(life.client), recording);
  }
  std::ranges::stable_sort(recording.outcomes, {}, &OutcomeLine::at);
}

// Carries the signals of a run's rules to its client, as long as that lives.
class SignalLine {
 public:
  explicit SignalLine(server::Run& run)
      : run_(run), post_([&run](std::uint64_t order, std::optional<Duration> at, bool gone) {
          run.signalled(order, at, gone);
        }) {
    run_.on_signal([this](const server::SignalOrder& order) { post_.send(order); });
  }
  // What comes too late finds nobody.
  ~SignalLine() {
    run_.on_signal({});
    for (const auto& order : post_.take()) post_.report(order.number, std::nullopt, true);
  }
  SignalLine(const SignalLine&) = delete;
  SignalLine& operator=(const SignalLine&) = delete;

  SignalPost& post() { return post_; }

 private:
  server::Run& run_;
  SignalPost post_;
};

std::vector<LifeResult> live(const std::vector<LifeSpec>& lives, ProcessWatch& watch,
                             const server::Clock& clock, server::Run& run,
                             const std::function<Order(const LifeProgress&)>& order) {
  SignalLine signals(run);
  return live_through(lives, watch, clock, run.began(), order, &signals.post());
}

RunSettings settings_of(const scenarios::Client& client, const TestOptions& options) {
  RunSettings settings;
  settings.server.seed = options.seed;
  settings.server.own_addresses = !makes_its_own_url(client);
  settings.version = options.version;
  settings.command = stored_command(client);
  return settings;
}

// All runs of one scenario's client, the first with its faults.
class Playing {
 public:
  Playing(const scenarios::Scenario& scenario, const RecordedRun& run, ProcessWatch& watch,
          const server::Clock& clock, const Patience& patience, const TestOptions& options)
      : scenario_(scenario),
        client_(client_of(scenario, options)),
        run_(run),
        watch_(watch),
        clock_(clock),
        patience_(patience),
        options_(options) {}

  tl::expected<void, Error> play(std::vector<LifeSpec> lives) {
    const int again = scenario_.then ? scenario_.then->times : 0;
    const std::vector<LifeSpec> whole = lives;
    // Ran between two runs it would take away what the second one needs.
    for (auto& life : lives) {
      if (again > 0) life.after.clear();
    }
    auto ended = run(lives, 1);
    for (const auto& result : ended) {
      // What was there before, and is not now, is a finding of this run alone.
      if (result.client.not_started && result.earlier.empty()) {
        return tl::unexpected(*result.client.not_started);
      }
    }
    if (again > 0) so_far_.no_second_run = why_not_again(ended);
    if (so_far_.no_second_run.empty()) play_again(lives, again, ended);
    take_results(std::move(ended), so_far_);
    if (again > 0) tidy_up(whole);
    return {};
  }

  void add_to(Recording& recording) {
    recording.claims = claims_of(client_);
    recording.trouble = std::move(so_far_.trouble);
    recording.drives = std::move(so_far_.drives);
    recording.processes = std::move(so_far_.processes);
    recording.output = std::move(so_far_.output);
    recording.outcomes = std::move(so_far_.outcomes);
    recording.bad_outcome_lines = std::move(so_far_.bad_outcome_lines);
    recording.dead_letters = std::move(so_far_.dead_letters);
    recording.unread_dead_letters = std::move(so_far_.unread_dead_letters);
    recording.telemetry = std::move(so_far_.telemetry);
    recording.no_second_run = std::move(so_far_.no_second_run);
    std::ranges::move(so_far_.notes, std::back_inserter(recording.notes));
  }

 private:
  std::vector<LifeResult> run(const std::vector<LifeSpec>& lives, int number) {
    Watchdog watchdog(run_.live(), patience_, options_,
                      Rest(run_.live(), client_, facts_of(scenario_)), client_.drive.has_value(),
                      run_.now());
    auto ended = live(lives, watch_, clock_, run_.live(), [&](const LifeProgress& progress) {
      return watchdog.order(run_.now(), progress);
    });
    for (std::size_t i = 0; i < lives.size(); ++i) look_into(lives[i], number, ended[i]);
    if (number > 1) note_not_started(ended);
    return ended;
  }

  void note_not_started(const std::vector<LifeResult>& ended) {
    for (const auto& life : ended) {
      if (!life.client.not_started || !so_far_.trouble.empty()) continue;
      so_far_.trouble = "the client could not be run again: " + life.client.not_started->message;
    }
  }

  // The folder is looked at now: the next run may go on with what it holds.
  void look_into(const LifeSpec& life, int number, LifeResult& ended) {
    const KeptIn at{life.state, life.client.copy, number, secrets_of_client(life.client)};
    for (auto& earlier : ended.earlier) look_at_kept(at, earlier.outcomes);
    look_at_kept(at, ended.client.outcomes);
    if (!client_.dead_letters.empty()) {
      take_letters(read_dead_letters(client_.dead_letters, at, so_far_.notes), at.copy);
    }
    if (!client_.telemetry.empty()) {
      so_far_.telemetry.push_back(read_telemetry(client_.telemetry, at));
    }
  }

  void take_letters(DeadLetters letters, int copy) {
    std::ranges::move(letters.entries, std::back_inserter(so_far_.dead_letters));
    auto& unread = so_far_.unread_dead_letters;
    const bool is_new = std::ranges::find(unread, copy) == unread.end();
    if (!letters.whole && is_new) unread.push_back(copy);
  }

  // What the scenario commits late is there by then, as it is when an operator comes.
  void play_again(const std::vector<LifeSpec>& lives, int times, std::vector<LifeResult>& ended) {
    for (int number = 2; number <= times + 1 && !was_ended(ended); ++number) {
      run_.live().settle(10s);
      run_.live().heal();
      const auto next = next_run(lives, ended, number);
      take_results(std::move(ended), so_far_);
      ended = run(next, number);
    }
  }

  static bool was_ended(const std::vector<LifeResult>& lives) {
    return std::ranges::any_of(lives, [](const LifeResult& life) {
      const Stop stop = life.client.process.stop;
      return stop == Stop::Killed || stop == Stop::Interrupted || stop == Stop::NotStarted;
    });
  }

  // `after`, when all runs are over.
  void tidy_up(const std::vector<LifeSpec>& lives) {
    std::vector<LaunchSpec> helpers;
    for (const auto& life : lives) {
      if (!life.after.empty()) helpers.push_back(helper_of(life.client, life.after));
    }
    if (helpers.empty()) return;
    const Duration began = run_.now();
    const auto done = run_clients(helpers, watch_, clock_, run_.live().began(), [&] {
      const bool is_hurried = options_.interrupted != nullptr && options_.interrupted->load();
      return run_.now() - began > (is_hurried ? 5s : 60s) ? Order::Kill : Order::GoOn;
    });
    for (const auto& one : done) {
      if (one.process.stop == Stop::Exited && one.process.exit_code == 0) continue;
      so_far_.notes.push_back("`after` did not end with exit code 0");
    }
  }

  const scenarios::Scenario& scenario_;
  scenarios::Client client_;
  const RecordedRun& run_;
  ProcessWatch& watch_;
  const server::Clock& clock_;
  const Patience& patience_;
  const TestOptions& options_;
  Recording so_far_;  // what the client's side adds
};

}  // namespace

tl::expected<Recording, Error> play(const scenarios::Scenario& scenario, server::Server& server,
                                    ProcessWatch& watch, const Patience& patience,
                                    const TestOptions& options, const std::string& name) {
  const auto client = client_of(scenario, options);
  auto run = begin_recorded_run(scenario, server, settings_of(client, options));
  if (!run) return tl::unexpected(run.error());

  const Folders folders(fs::path(options.folder) / ("work-" + name));
  std::vector<LifeSpec> lives;
  for (int copy = 0; copy < scenario.client.copies; ++copy) {
    auto context = context_of(scenario, run->live(), run->token(), folders, copy);
    context.working_folder = options.client_folder;
    auto life = life_of(client, context, ports_of(run->live()));
    if (!life) return tl::unexpected(life.error());
    life->client.working_folder = options.client_folder;
    lives.push_back(std::move(*life));
  }

  Playing playing(scenario, *run, watch, server.clock(), patience, options);
  if (auto played = playing.play(std::move(lives)); !played) {
    return tl::unexpected(played.error());
  }
  auto recording = run->end();
  recording.scenario.kill_after = patience.kill_after.value_or(patience.whole);
  playing.add_to(recording);
  note_turned_away(recording);
  return recording;
}

}  // namespace mishap::client_tests
