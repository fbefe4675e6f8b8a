#include "client-tests/driver/play.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "client-tests/driver/client_plan.h"
#include "client-tests/driver/rest.h"
#include "mishap/recorded_run.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// Where nothing is promised (checks.md, profile parameters).
constexpr Duration kAttemptBound = 30s;
constexpr Duration kDeadlineBound = 120s;
// After a bound is broken the run goes on this long, so that the release of the connection can be
// judged as well (it is too late after 5 s).
constexpr Duration kAfterwards = 6s;
constexpr Duration kSlowDrive = 60s;

Duration late(Duration value) {
  return std::max<Duration>(250ms, value / 10);
}

// How often the control made the same request.
Duration::rep most_equal_calls(const Recording& control) {
  std::map<std::string, Duration::rep> calls;
  Duration::rep most = 1;
  for (const auto& exchange : control.journal.exchanges) {
    if (exchange.identity.by != server::IdentifiedBy::Content) continue;
    most = std::max(most, ++calls[exchange.request.content_hash]);
  }
  return most;
}

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

// Of a batch, those of its items.
std::vector<std::uint64_t> operations_of(const server::Exchange& exchange) {
  std::vector<std::uint64_t> operations;
  if (exchange.identity.operation != 0) operations.push_back(exchange.identity.operation);
  for (const server::BatchItem& item : exchange.items) {
    operations.push_back(item.identity.operation);
  }
  return operations;
}

// An attempt is owed an answer for longer than any bound allows, or an operation has been going on
// for longer.
bool broke_a_bound(const server::Journal& journal, Duration now, const Patience& patience) {
  std::map<std::uint64_t, Duration> begun;
  for (const auto& exchange : journal.exchanges) {
    const bool owed = !exchange.receipt.ended && !exchange.receipt.departed;
    if (owed && now - exchange.first_byte > patience.owed) return true;
    for (const std::uint64_t operation : operations_of(exchange)) {
      const auto first = begun.try_emplace(operation, exchange.first_byte).first;
      if (exchange.first_byte - first->second > patience.operation) return true;
    }
  }
  return false;
}

// Asked twenty times a second; the journal is copied only once a second, and only when the answer
// can be yes.
class Watchdog {
 public:
  Watchdog(const server::Run& run, const Patience& patience, const TestOptions& options, Rest rest,
           bool driven)
      : run_(run),
        patience_(patience),
        options_(options),
        rest_(std::move(rest)),
        driven_(driven) {}

  Order order(Duration now, const LifeProgress& progress) {
    if (options_.interrupted != nullptr && options_.interrupted->load()) return Order::Interrupt;
    // What comes before the client acts has bounds of its own.
    if (!progress.acting) return Order::GoOn;
    began_ = progress.acting_since;
    stopping_ = stopping_ || (progress.resting && !awaits_first_request(now) &&
                              rest_.is_over(now, progress.resting_since));
    // How long it may take to end is said by its own grace.
    if (stopping_) return Order::Stop;
    return is_over(now) ? Order::Kill : Order::GoOn;
  }

 private:
  // Of a worker that nothing drives: it may start slowly, and its silence before means nothing.
  bool awaits_first_request(Duration now) const {
    return !driven_ && run_.requests() == 0 && now - began_ < patience_.slow_start;
  }

  bool is_over(Duration now) {
    const Duration acted = now - began_;
    if (patience_.first_request && run_.requests() == 0) return acted > *patience_.first_request;
    const Duration silence = now - std::max(began_, run_.last_activity());
    if (patience_.quiet && silence > *patience_.quiet) return true;
    if (patience_.kill_after) return acted > *patience_.kill_after;
    if (acted > patience_.whole || silence > patience_.operation) return true;
    if (acted < std::min(patience_.owed, patience_.operation) || now < next_look_) return false;
    next_look_ = now + 1s;
    return broke_a_bound(run_.snapshot(), now, patience_);
  }

  const server::Run& run_;
  const Patience& patience_;
  const TestOptions& options_;
  Rest rest_;
  bool driven_;
  bool stopping_ = false;
  Duration began_{};
  Duration next_look_{};
};

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
  recording.trouble = trouble_of(lives);
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

}  // namespace

Patience control_patience(const scenarios::Scenario& scenario, const TestOptions& options) {
  Patience patience;
  const auto client = client_of(scenario, options);
  const auto own_quiet = client.until && client.until->quiet ? *client.until->quiet + 5s : 0s;
  patience.kill_after = client.kill_after;
  const auto attempt = scenario.promise.attempt_timeout.value_or(kAttemptBound);
  const auto deadline = scenario.promise.deadline.value_or(kDeadlineBound);
  patience.owed = attempt + late(attempt) + kAfterwards;
  patience.operation = deadline + std::max<Duration>(500ms, deadline / 20) + kAfterwards;
  patience.operation = std::max<Duration>(patience.operation, own_quiet);
  patience.whole = patience.operation;
  // A worker that looks for work once a minute says so by the silence that it asks for.
  patience.first_request = std::max<Duration>(options.first_request, own_quiet);
  patience.slow_start = *patience.first_request;
  // A test-suite that drives the service may take its time before its first test.
  if (client.drive) patience.first_request = std::max(*patience.first_request, kSlowDrive);
  // Whoever states a patience of their own may have a client that rests between two calls.
  if (!patience.kill_after) patience.quiet = patience.first_request;
  return patience;
}

Patience patience_for(const scenarios::Scenario& scenario, const Recording& control,
                      const TestOptions& options) {
  auto patience = control_patience(scenario, options);
  patience.first_request.reset();
  patience.quiet.reset();
  patience.whole = 3 * control.length + 10 * patience.operation;
  // Equal calls that nothing but their content names count as one operation while they fail.
  patience.operation *= most_equal_calls(control);
  return patience;
}

tl::expected<Recording, Error> play(const scenarios::Scenario& scenario, server::Server& server,
                                    ProcessWatch& watch, const Patience& patience,
                                    const TestOptions& options, const std::string& name) {
  const auto client = client_of(scenario, options);
  auto run = begin_recorded_run(scenario, server, settings_of(client, options));
  if (!run) return tl::unexpected(run.error());

  const Folders folders(fs::path(options.folder) / ("work-" + name));
  std::vector<LifeSpec> lives;
  for (int copy = 0; copy < scenario.client.copies; ++copy) {
    auto life = life_of(client, context_of(scenario, run->live(), run->token(), folders, copy),
                        ports_of(run->live()));
    if (!life) return tl::unexpected(life.error());
    life->client.working_folder = options.client_folder;
    lives.push_back(std::move(*life));
  }

  Watchdog watchdog(run->live(), patience, options, Rest(run->live(), client, facts_of(scenario)),
                    client.drive.has_value());
  auto results = live(lives, watch, server.clock(), run->live(), [&](const LifeProgress& progress) {
    return watchdog.order(run->now(), progress);
  });
  for (const auto& result : results) {
    // What was there before, and is not now, is a finding of this run alone.
    if (result.client.not_started && result.earlier.empty()) {
      return tl::unexpected(*result.client.not_started);
    }
  }
  auto recording = run->end();
  recording.scenario.kill_after = patience.kill_after.value_or(patience.whole);
  take_results(std::move(results), recording);
  note_turned_away(recording);
  return recording;
}

}  // namespace mishap::client_tests
