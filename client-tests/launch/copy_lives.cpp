// What a scenario does to its client: signals, and the lives that follow one another.
#include <fmt/format.h>

#include <utility>

#include "client-tests/launch/copy_life.h"

namespace mishap::client_tests {
namespace {

// A rule that kills whatever comes would go on for ever.
constexpr int kMostLives = 10;

// Also in the middle of a word: --outcomes=FILE, or a command that goes to a shell.
void put_in_place(const std::string& old, const std::string& fresh, std::string& text) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += fresh.size()) {
    text.replace(at, old.size(), fresh);
  }
}

}  // namespace

// What the client keeps outlives it in its state folder. Its outcome lines are kept apart, since a
// file that is begun anew would lose the first ones.
void CopyLife::start_life() {
  LaunchSpec spec = spec_.client;
  spec.life = life_;
  if (life_ > 1 && !spec.outcomes_file.empty()) {
    const std::string& first = spec_.client.outcomes_file;
    spec.outcomes_file += fmt::format(".{}", life_);
    for (auto& variable : spec.environment) put_in_place(first, spec.outcomes_file, variable.value);
    for (auto& word : spec.command) put_in_place(first, spec.outcomes_file, word);
  }
  if (life_ > spec_.client.life && spec_.service) comes_back_ = now();
  outcomes_file_ = spec.outcomes_file;
  client_ = make(spec);
  client_->start();
}

void CopyLife::signal(const server::SignalOrder& order) {
  if (!client_ || client_->exited() || client_->done()) {
    return signals_->report(order.number, std::nullopt, true);
  }
  client_->signal(order.signal);
  if (order.restart_after) restart_after_ = order.restart_after;
  if (order.signal == "SIGKILL") {
    killed_.push_back({order.number, now()});
  } else {
    signals_->report(order.number, now(), false);
  }
}

void CopyLife::go_on_with_signals() {
  if (client_ && client_->done() && (!killed_.empty() || restart_after_)) {
    for (const Killed& kill : std::exchange(killed_, {})) {
      signals_->report(kill.order, kill.at, true);
    }
    if (restart_after_) end_life();
  }
  look_whether_it_is_back();
  if (!restart_at_ || now() < *restart_at_) return;
  restart_at_.reset();
  ++life_;
  start_life();
}

// A service that starts slowly is not one that has nothing to do.
void CopyLife::look_whether_it_is_back() {
  if (!comes_back_) return;
  const bool is_late = now() - *comes_back_ > spec_.service->ready_within;
  const bool is_gone = !client_ || client_->exited();
  if (!is_late && !is_gone && !readiness_.look(*client_)) return;
  comes_back_.reset();
  if (!is_late && !is_gone) return;
  helper_notes_.push_back(
      fmt::format("copy {}: after its restart the service was not ready again", spec_.client.copy));
}

// Whoever wants all of it to be over wants no further life.
void CopyLife::end_life() {
  const Duration after = *std::exchange(restart_after_, std::nullopt);
  if (hurried_since_ || stage_ > Stage::Resting) return;
  if (life_ - spec_.client.life + 1 == kMostLives) {
    helper_notes_.push_back(
        fmt::format("copy {}: killed by the scenario {} times, and not started "
                    "again; does its rule say when?",
                    spec_.client.copy, kMostLives));
    return;
  }
  result_.earlier.push_back(result_of_life());
  restart_at_ = now() + after;
}

// What it printed is kept apart from what it printed before.
LaunchResult CopyLife::result_of_life() {
  LaunchResult result = client_->take_result();
  client_.reset();
  for (auto& captured : result.output) {
    if (life_ > 1) captured.stream = fmt::format("life{}.{}", life_, captured.stream);
  }
  return result;
}

// The life that has ended is the last one then.
void CopyLife::give_up_restart() {
  restart_after_.reset();
  restart_at_.reset();
}

void CopyLife::take_client() {
  if (client_) {
    result_.client = result_of_life();
  } else if (!result_.earlier.empty()) {
    result_.client = std::move(result_.earlier.back());
    result_.earlier.pop_back();
  }
}

}  // namespace mishap::client_tests
