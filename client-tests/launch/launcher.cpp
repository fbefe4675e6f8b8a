#include "client-tests/launch/launcher.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "client-tests/launch/copy_life.h"
#include "client-tests/launch/file_descriptor.h"
#include "client-tests/launch/secrets.h"
#include "client-tests/launch/spawn.h"

namespace mishap::client_tests {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTurn{50};
constexpr milliseconds kTurnWithoutNotice{20};  // outcome files are then read by the clock
constexpr milliseconds kTurnWhileEnding{5};
constexpr milliseconds kTurnWhileAsking{20};

// Wakes the loop when a client writes into its outcome file. The kernel gives few of these to a
// user (128 by default), so that having none is no error.
class FileNotice {
 public:
  FileNotice() : queue_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)), all_watched_(bool(queue_)) {}

  void watch(const std::string& path) {
    if (path.empty()) return;
    if (::inotify_add_watch(queue_.get(), path.c_str(), IN_MODIFY) < 0) all_watched_ = false;
  }

  bool complete() const { return all_watched_; }

  void add_events(std::vector<pollfd>& events) const {
    if (queue_) events.push_back({queue_.get(), POLLIN, 0});
  }

  void clear() {
    std::array<char, 4096> ignored;
    while (::read(queue_.get(), ignored.data(), ignored.size()) > 0) {
    }
  }

 private:
  FileDescriptor queue_;
  bool all_watched_;
};

class Loop {
 public:
  Loop(const std::vector<LifeSpec>& specs, ProcessWatch& watch, const server::Clock& clock,
       Duration run_began, SignalPost* signals)
      : clock_(clock), run_began_(run_began), signals_(signals) {
    for (const auto& spec : specs) {
      copies_.push_back(std::make_unique<CopyLife>(spec, watch, clock, run_began, signals));
    }
    watched_.resize(copies_.size());
  }

  std::vector<LifeResult> run(const std::function<Order(const LifeProgress&)>& keep_going) {
    for (auto& copy : copies_) copy->start();
    while (!all(&CopyLife::done)) {
      // The others may be waiting for it, and a run with a part of its clients proves nothing.
      if (any(&CopyLife::failed)) obey(Order::Interrupt);
      obey(keep_going(progress_));
      deliver_signals();
      for (auto& copy : copies_) copy->step();
      watch_outcomes();
      note_progress();
      if (!all(&CopyLife::done)) wait();
    }
    std::vector<LifeResult> results;
    for (auto& copy : copies_) results.push_back(copy->take_result());
    return results;
  }

 private:
  bool all(bool (CopyLife::*is)() const) const {
    return std::ranges::all_of(copies_, [&](const auto& copy) { return (*copy.*is)(); });
  }
  bool any(bool (CopyLife::*is)() const) const {
    return std::ranges::any_of(copies_, [&](const auto& copy) { return (*copy.*is)(); });
  }

  void obey(Order order) {
    if (order == Order::GoOn) return;
    for (auto& copy : copies_) {
      if (order == Order::Stop) {
        copy->stop();
      } else {
        copy->end(order == Order::Kill ? Stop::Killed : Stop::Interrupted);
      }
    }
  }

  void deliver_signals() {
    if (signals_ == nullptr) return;
    for (const server::SignalOrder& order : signals_->take()) {
      const auto lane = static_cast<std::size_t>(order.lane);
      if (lane < copies_.size()) {
        copies_[lane]->signal(order);
      } else {
        signals_->report(order.number, std::nullopt, true);
      }
    }
  }

  // Each life of a copy has a file of its own.
  void watch_outcomes() {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      if (watched_[i] == copies_[i]->outcomes_path()) continue;
      watched_[i] = copies_[i]->outcomes_path();
      notice_.watch(watched_[i]);
    }
  }

  void note_progress() {
    const Duration now = clock_.now() - run_began_;
    if (!progress_.acting && all(&CopyLife::is_ready) && !any(&CopyLife::failed)) {
      progress_.acting = true;
      progress_.acting_since = now;
      for (auto& copy : copies_) copy->act();
    }
    const bool resting =
        any(&CopyLife::resting) && std::ranges::all_of(copies_, [](const auto& copy) {
          return copy->resting() || copy->ended();
        });
    if (resting && !progress_.resting) progress_.resting_since = now;
    progress_.resting = resting;
  }

  milliseconds patience() const {
    if (any(&CopyLife::ending)) return kTurnWhileEnding;
    if (any(&CopyLife::asking)) return kTurnWhileAsking;
    return notice_.complete() ? kTurn : kTurnWithoutNotice;
  }

  void wait() {
    std::vector<pollfd> events;
    notice_.add_events(events);
    if (signals_ != nullptr) signals_->add_events(events);
    for (const auto& copy : copies_) copy->add_events(events);
    ::poll(events.data(), events.size(), static_cast<int>(patience().count()));
    notice_.clear();
  }

  const server::Clock& clock_;
  Duration run_began_;
  FileNotice notice_;
  std::vector<std::unique_ptr<CopyLife>> copies_;
  std::vector<std::string> watched_;  // the outcome file of each
  SignalPost* signals_;               // null: none come
  LifeProgress progress_;
};

}  // namespace

std::vector<LifeResult> live_through(const std::vector<LifeSpec>& specs, ProcessWatch& watch,
                                     const server::Clock& clock, Duration run_began,
                                     const std::function<Order(const LifeProgress&)>& keep_going,
                                     SignalPost* signals) {
  return Loop(specs, watch, clock, run_began, signals).run(keep_going);
}

std::vector<LaunchResult> run_clients(const std::vector<LaunchSpec>& specs, ProcessWatch& watch,
                                      const server::Clock& clock, Duration run_began,
                                      const std::function<Order()>& keep_going) {
  std::vector<LifeSpec> lives;
  for (const auto& spec : specs) lives.emplace_back().client = spec;
  auto ended = live_through(lives, watch, clock, run_began,
                            [&](const LifeProgress&) { return keep_going(); });
  std::vector<LaunchResult> results;
  for (auto& life : ended) results.push_back(std::move(life.client));
  return results;
}

tl::expected<std::string, Error> find_client(const LaunchSpec& spec) {
  const std::string name = spec.command.empty() ? std::string() : spec.command.front();
  return find_program(name, make_environment(spec.environment, spec.unset), spec.working_folder);
}

std::vector<std::string> masked_command(const LaunchSpec& spec) {
  const auto environment = make_environment(spec.environment, spec.unset);
  return mask_command(spec.command, secrets_of(environment, spec.canary, spec.command));
}

LaunchSpec helper_of(const LaunchSpec& client, const scenarios::CommandLine& command) {
  LaunchSpec spec = client;
  spec.command = command;
  spec.outcomes_file.clear();
  spec.ready_line.reset();
  spec.logs.clear();
  spec.role = ProcessRole::Command;
  return spec;
}

std::vector<std::string> secrets_of_client(const LaunchSpec& spec) {
  const auto environment = make_environment(spec.environment, spec.unset);
  auto secrets = secrets_of(environment, spec.canary, spec.command);
  if (!spec.canary.empty()) secrets.push_back(spec.canary);
  return secrets;
}

std::vector<std::string> proxy_variables() {
  return {"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
          "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"};
}

}  // namespace mishap::client_tests
