#include "client-tests/driver/play.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "client-tests/driver/environment.h"
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
  explicit Folders(fs::path path) : root(std::move(path)) {}
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

CopyContext context_of(const scenarios::Scenario& scenario, const server::Run& run,
                       const std::string& token, const Folders& folders, int copy) {
  const auto suffix = "-" + std::to_string(copy);
  CopyContext context;
  context.scenario = scenario.name;
  context.copy = copy;
  for (const auto& address : run.addresses()) {
    if (address.lane == copy) context.addresses.push_back(address);
  }
  context.token = token;
  context.state = folders.make("state" + suffix).string();
  context.scratch = folders.make("tmp" + suffix).string();
  context.outcomes = (folders.make("outcomes") / ("copy" + suffix + ".jsonl")).string();
  context.free_port = free_port();
  return context;
}

std::vector<Port> ports_of(const server::Run& run) {
  std::vector<Port> ports;
  for (const auto& address : run.addresses()) ports.push_back(address.port);
  return ports;
}

LaunchSpec spec_of(const CopyContext& context, const server::Run& run, const TestOptions& options) {
  LaunchSpec spec;
  spec.copy = context.copy;
  for (const auto& word : options.command) spec.command.push_back(expand(word, context));
  spec.environment = environment_of(context, options.environment);
  spec.unset = proxy_variables();
  spec.outcomes_file = context.outcomes;
  spec.server_ports = ports_of(run);
  spec.canary = context.token;
  return spec;
}

// An attempt is owed an answer for longer than any bound allows, or an operation has been going on
// for longer.
bool broke_a_bound(const server::Journal& journal, Duration now, const Patience& patience) {
  std::map<std::uint64_t, Duration> begun;
  for (const auto& exchange : journal.exchanges) {
    const bool owed = !exchange.receipt.ended && !exchange.receipt.departed;
    if (owed && now - exchange.first_byte > patience.owed) return true;
    if (exchange.identity.operation == 0) continue;
    const auto first = begun.try_emplace(exchange.identity.operation, exchange.first_byte).first;
    if (exchange.first_byte - first->second > patience.operation) return true;
  }
  return false;
}

// Asked twenty times a second; the journal is copied only once a second, and only when the answer
// can be yes.
class Watchdog {
 public:
  Watchdog(const server::Run& run, const Patience& patience, const TestOptions& options)
      : run_(run), patience_(patience), options_(options) {}

  Order order(Duration now) {
    if (options_.interrupted != nullptr && options_.interrupted->load()) return Order::Interrupt;
    return is_over(now) ? Order::Kill : Order::GoOn;
  }

 private:
  bool is_over(Duration now) {
    if (patience_.first_request && run_.requests() == 0) return now > *patience_.first_request;
    const Duration silence = now - run_.last_activity();
    if (patience_.quiet && silence > *patience_.quiet) return true;
    if (patience_.kill_after) return now > *patience_.kill_after;
    if (now > patience_.whole || silence > patience_.operation) return true;
    if (now < std::min(patience_.owed, patience_.operation) || now < next_look_) return false;
    next_look_ = now + 1s;
    return broke_a_bound(run_.snapshot(), now, patience_);
  }

  const server::Run& run_;
  const Patience& patience_;
  const TestOptions& options_;
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

void take_results(std::vector<LaunchResult> results, Recording& recording) {
  for (auto& result : results) {
    note_printed_token(result.output, recording);
    recording.processes.push_back(std::move(result.process));
    std::ranges::move(result.output, std::back_inserter(recording.output));
    std::ranges::move(result.outcomes, std::back_inserter(recording.outcomes));
    std::ranges::move(result.bad_outcome_lines, std::back_inserter(recording.bad_outcome_lines));
    std::ranges::move(result.notes, std::back_inserter(recording.notes));
  }
  std::ranges::stable_sort(recording.outcomes, {}, &OutcomeLine::at);
}

// The command as it may be stored: as the user wrote it, secrets masked.
std::vector<std::string> stored_command(const TestOptions& options) {
  LaunchSpec spec;
  spec.command = options.command;
  spec.environment = options.environment;
  return masked_command(spec);
}

RunSettings settings_of(const TestOptions& options) {
  RunSettings settings;
  settings.server.seed = options.seed;
  settings.version = options.version;
  settings.command = stored_command(options);
  return settings;
}

}  // namespace

Patience control_patience(const scenarios::Scenario& scenario, const TestOptions& options) {
  Patience patience;
  patience.kill_after = options.kill_after ? options.kill_after : scenario.client.kill_after;
  const auto attempt = scenario.promise.attempt_timeout.value_or(kAttemptBound);
  const auto deadline = scenario.promise.deadline.value_or(kDeadlineBound);
  patience.owed = attempt + late(attempt) + kAfterwards;
  patience.operation = deadline + std::max<Duration>(500ms, deadline / 20) + kAfterwards;
  patience.whole = patience.operation;
  patience.first_request = options.first_request;
  // Whoever states a patience of their own may have a client that rests between two calls.
  if (!patience.kill_after) patience.quiet = options.first_request;
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
  auto run = begin_recorded_run(scenario, server, settings_of(options));
  if (!run) return tl::unexpected(run.error());

  const Folders folders(fs::path(options.folder) / ("work-" + name));
  std::vector<LaunchSpec> specs;
  for (int copy = 0; copy < scenario.client.copies; ++copy) {
    const auto context = context_of(scenario, run->live(), run->token(), folders, copy);
    specs.push_back(spec_of(context, run->live(), options));
  }

  Watchdog watchdog(run->live(), patience, options);
  auto results = run_clients(specs, watch, server.clock(), run->live().began(),
                             [&] { return watchdog.order(run->now()); });
  for (const auto& result : results) {
    if (result.not_started) return tl::unexpected(*result.not_started);
  }
  auto recording = run->end();
  recording.scenario.kill_after = patience.kill_after.value_or(patience.whole);
  take_results(std::move(results), recording);
  return recording;
}

}  // namespace mishap::client_tests
