#include "client-tests/checks/client_life.h"

#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/history_index.h"

namespace mishap::client_tests {

namespace {

// SIGTERM comes this long before SIGKILL; what a dying client does is not its policy.
constexpr Duration kGraceOfAKill = std::chrono::milliseconds(600);

Duration began_to_be_ended(const Recording& recording, const ProcessFacts& process) {
  if (process.told_to_end) return *process.told_to_end;
  const Duration patience = recording.scenario.kill_after;
  const Duration by_grace = std::max(process.started, process.ended - kGraceOfAKill);
  if (process.stop != Stop::Killed || patience == Duration{}) return by_grace;
  return std::clamp(process.started + patience, by_grace, std::max(by_grace, process.ended));
}

}  // namespace

const ProcessFacts* process_of(const Recording& recording, int lane) {
  const ProcessFacts* last = nullptr;
  for (const ProcessFacts& facts : recording.processes) {
    if (facts.copy == lane && (last == nullptr || facts.life > last->life)) last = &facts;
  }
  return last;
}

bool ended_by_itself(const Recording& recording, int lane) {
  const ProcessFacts* process = process_of(recording, lane);
  if (!process) return recording.client_done;
  return process->stop == Stop::Exited || process->stop == Stop::Signalled;
}

bool was_killed(const Recording& recording, int lane) {
  const ProcessFacts* process = process_of(recording, lane);
  return process && (process->stop == Stop::Killed || process->stop == Stop::Interrupted);
}

bool is_service(const Recording& recording, int lane) {
  const ProcessFacts* process = process_of(recording, lane);
  return process && process->role == ProcessRole::Service;
}

bool was_stopped(const Recording& recording, int lane) {
  const ProcessFacts* process = process_of(recording, lane);
  return process && (process->stop == Stop::Stopped || process->stop == Stop::Scripted);
}

bool was_ended_by_scenario(const Recording& recording, int lane) {
  const ProcessFacts* process = process_of(recording, lane);
  return process && process->stop == Stop::Scripted;
}

bool crashed(const ProcessFacts& process) {
  if (process.stop == Stop::Signalled) return true;
  return process.role == ProcessRole::Service && process.stop == Stop::Exited;
}

std::optional<Duration> drive_ended_at(const Recording& recording, int lane) {
  for (const DriveFacts& drive : recording.drives) {
    if (drive.copy != lane) continue;
    const bool by_itself = drive.stop == Stop::Exited || drive.stop == Stop::Signalled;
    if (by_itself) return drive.ended;
  }
  return std::nullopt;
}

Duration own_until(const Recording& recording, int lane) {
  const ProcessFacts* process = process_of(recording, lane);
  if (!process) return recording.length;
  return was_killed(recording, lane) || was_stopped(recording, lane)
             ? began_to_be_ended(recording, *process)
             : process->ended;
}

Duration quiet_window(const Case& c, int lane) {
  return quiet_window(c.recording, c.history, lane);
}

Duration quiet_window(const Recording& recording, const History& history, int lane) {
  Duration window = std::chrono::seconds(3);
  window = std::max(window, 2 * largest_gap(history, lane));
  const auto& promised = recording.scenario.promise.max_delay;
  return promised ? std::max(window, 2 * *promised) : window;
}

bool left_work_behind(const Recording& recording, int lane) {
  const ProcessFacts* process = process_of(recording, lane);
  return process && process->role == ProcessRole::Command && process->left_behind > 0;
}

bool is_closed_after(const Case& c, int lane, Duration instant) {
  if (left_work_behind(c.recording, lane)) return false;
  if (ended_by_itself(c.recording, lane)) return true;
  return own_until(c.recording, lane) - instant >= quiet_window(c, lane);
}

std::string watched_since(const Case& c, int lane, Duration instant) {
  if (ended_by_itself(c.recording, lane)) return {};
  return fmt::format(", watched for {} since", seconds(own_until(c.recording, lane) - instant));
}

bool may_have_more_letters(const Recording& recording, int lane) {
  const auto& unread = recording.unread_dead_letters;
  return std::ranges::find(unread, lane) != unread.end();
}

std::string how_it_ended(const Recording& recording, int lane) {
  const ProcessFacts* process = process_of(recording, lane);
  if (!process) return "the run ended";
  const std::string_view who = process->role == ProcessRole::Service ? "service" : "client";
  switch (process->stop) {
    case Stop::Exited:
      if (left_work_behind(recording, lane)) {
        return fmt::format(
            "the {} ended with exit code {} and left {} of its processes behind, which mishap "
            "ended; what they would have sent is not known",
            who, process->exit_code, process->left_behind);
      }
      return fmt::format("the {} ended with exit code {}", who, process->exit_code);
    case Stop::Signalled:
      return fmt::format("the {} was ended by signal {}", who, process->signal);
    case Stop::Stopped:
      return fmt::format("the service was stopped after {}",
                         seconds(own_until(recording, lane) - process->started));
    case Stop::Scripted:
      return fmt::format("the scenario had the {} ended after {}", who,
                         seconds(own_until(recording, lane) - process->started));
    case Stop::Killed:
      if (process->role == ProcessRole::Service) {
        return fmt::format("the service had not come to rest and was ended after {}",
                           seconds(own_until(recording, lane) - process->started));
      }
      return fmt::format("the client never ended and was killed after {}",
                         seconds(process->ended - process->started));
    case Stop::Interrupted:
      return "the run was interrupted";
    case Stop::NotStarted:
      return "the client could not be started";
  }
  return "the run ended";
}

}  // namespace mishap::client_tests
