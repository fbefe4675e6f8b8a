#include "mishap/recorded_run.h"

#include <random>

#include "mishap/run.h"

namespace mishap::client_tests {
namespace {

// Effects that a scenario commits late may come after the client has ended.
constexpr Duration kSettle = std::chrono::seconds(10);

// The credential that the mock accepts. It is also the canary that must not turn up in any log, so
// it is new for each run; it comes from the machine's entropy, not from the seed: a token that can
// be worked out from a printed seed is no secret.
std::string new_token() {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device entropy;
  std::uniform_int_distribution<std::size_t> pick(0, kAlphabet.size() - 1);
  std::string token = "mishap_";
  for (int i = 0; i < 32; ++i) token += kAlphabet[pick(entropy)];
  return token;
}

Recording begun_recording(const scenarios::Scenario& scenario, const server::Run& run,
                          const server::Clock& clock, const RunSettings& settings) {
  Recording recording;
  recording.mishap_version = settings.version;
  recording.scenario = facts_of(scenario);
  recording.seed = settings.server.seed;
  recording.command = settings.command;
  recording.child = settings.child;
  recording.wall_start =
      std::chrono::duration_cast<Duration>(clock.wall(run.began()).time_since_epoch());
  return recording;
}

}  // namespace

RecordedRun::RecordedRun(std::unique_ptr<server::Run> run, const server::Clock& clock,
                         std::string token, Recording begun)
    : run_(std::move(run)),
      clock_(&clock),
      token_(std::move(token)),
      recording_(std::move(begun)) {}

Duration RecordedRun::now() const {
  return clock_->now() - run_->began();
}

Recording RecordedRun::end() {
  if (!run_->settle(kSettle)) {
    recording_.notes.push_back(
        "an effect that was scripted to be late had not come when the run ended");
  }
  recording_.length = now();
  recording_.journal = run_->end();
  return std::move(recording_);
}

tl::expected<RecordedRun, Error> begin_recorded_run(const scenarios::Scenario& scenario,
                                                    server::Server& server,
                                                    const RunSettings& settings) {
  auto options = settings.server;
  if (options.token.empty()) options.token = new_token();
  options.lanes = scenario.client.copies;
  auto run = server.begin(scenario, options);
  if (!run) return tl::unexpected(run.error());
  auto begun = begun_recording(scenario, **run, server.clock(), settings);
  return RecordedRun(std::move(*run), server.clock(), options.token, std::move(begun));
}

}  // namespace mishap::client_tests
