#include "cli/progress.h"

#include <algorithm>
#include <array>
#include <iostream>

#include <fmt/format.h>

#include "mishap/printable.h"

namespace mishap::cli {
namespace {

using namespace std::chrono_literals;
constexpr std::array<std::string_view, 4> kFrames = {"|", "/", "-", "\\"};

}  // namespace

Progress::Progress(const server::Clock& clock, const reports::RenderOptions& options, bool terminal)
    : clock_(clock), options_(options), terminal_(terminal) {
  if (terminal_) ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
}

Progress::~Progress() {
  finish();
}

void Progress::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  erase_status();
  std::cout << text << std::flush;
}

void Progress::began(const std::string& scenario) {
  const std::lock_guard lock(mutex_);
  running_[scenario] = clock_.now();
}

void Progress::expect(const std::vector<scenarios::Scenario>& scenarios) {
  total_ = scenarios.size();
  for (const auto& scenario : scenarios) compared_.insert(scenario.compare_with);
}

void Progress::control(const client_tests::Recording& recording) {
  const std::lock_guard lock(mutex_);
  frame_of_suite_.controls.push_back(recording);
  erase_status();
  std::cout << reports::console_control(recording, options_) << std::flush;
}

void Progress::ended(client_tests::Recording recording) {
  const std::lock_guard lock(mutex_);
  const auto name = recording.scenario.name;
  running_.erase(name);
  if (recording.earlier.empty()) ++done_;
  recordings_[name] = std::move(recording);
  waiting_.push_back(name);
  erase_status();
  print_ready();
  draw_status();
}

bool Progress::ready(const client_tests::Recording& recording) const {
  const auto& other = recording.scenario.compare_with;
  return other.empty() || !recording.not_run.empty() || recordings_.contains(other);
}

void Progress::print_ready() {
  std::erase_if(waiting_, [this](const std::string& name) {
    if (!ready(recordings_.at(name))) return false;
    print_case(name);
    return true;
  });
  std::erase_if(recordings_, [this](const auto& kept) {
    return !compared_.contains(kept.first) &&
           std::ranges::find(waiting_, kept.first) == waiting_.end();
  });
  std::cout << std::flush;
}

// Judged alone, with all that its verdict hangs on; lent to the suite for that, since a copy of a
// large run would take as long as to judge it.
void Progress::print_case(const std::string& name) {
  auto& recording = recordings_.at(name);
  if (recording.companion) return;
  auto& lent = frame_of_suite_.recordings;
  const auto other = recordings_.find(recording.scenario.compare_with);
  const bool is_compared = other != recordings_.end() && other->first != name;
  lent.push_back(std::move(recording));
  if (is_compared) lent.push_back(std::move(other->second));
  const auto verdict = client_tests::judge(frame_of_suite_);
  if (is_compared) other->second = std::move(lent.back());
  recording = std::move(lent.front());
  lent.clear();
  if (!verdict.cases.empty()) {
    std::cout << reports::console_line(verdict.cases.front(), options_) << "\n";
  }
}

void Progress::erase_status() {
  if (!drawn_) return;
  std::cout << "\r\x1b[K";
  drawn_ = false;
}

void Progress::draw_status() {
  if (!terminal_ || running_.empty()) return;
  const auto longest =
      std::ranges::min_element(running_, {}, &std::pair<const std::string, Duration>::second);
  const auto text = fmt::format(
      "  {} {} of {}, {} running, longest: {} {:.0f} s", kFrames[frame_++ % kFrames.size()], done_,
      total_, running_.size(), printable(longest->first),
      std::chrono::duration<double>(clock_.now() - longest->second).count());
  std::cout << "\r\x1b[K" << text.substr(0, static_cast<std::size_t>(options_.width - 1))
            << std::flush;
  drawn_ = true;
}

void Progress::tick(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    draw_status();
    changed_.wait_for(lock, stop, 200ms, [] { return false; });
  }
}

void Progress::finish() {
  if (ticker_.joinable()) {
    ticker_.request_stop();
    ticker_.join();
  }
  const std::lock_guard lock(mutex_);
  erase_status();
  for (const auto& name : waiting_) print_case(name);
  waiting_.clear();
  std::cout << std::flush;
}

}  // namespace mishap::cli
