#include <algorithm>
#include <deque>
#include <mutex>
#include <thread>

#include "client-tests/driver/calibration.h"
#include "client-tests/driver/client_plan.h"
#include "client-tests/driver/controls.h"
#include "client-tests/driver/play.h"

namespace mishap::client_tests {
namespace {

// Scenarios that share a vendor, and run the client alike, share its controls.
struct Group {
  const scenarios::Scenario* first = nullptr;
  std::string control_name;
  const Recording* control = nullptr;  // borrowed from the suite's deque of controls
  bool healthy = false;
};

class SuiteRun {
 public:
  SuiteRun(const std::vector<scenarios::Scenario>& scenarios, server::Server& server,
           const TestOptions& options)
      : scenarios_(scenarios),
        server_(server),
        options_(options),
        jobs_(std::max(1, options.jobs)) {}

  tl::expected<Suite, Error> run() {
    const auto began = server_.clock().now();
    make_groups();
    if (auto done = run_controls(); !done) return tl::unexpected(done.error());
    if (stopped_.empty()) run_scenarios();
    if (stopped_.empty() && !error_) settle_undecided();
    if (error_) return tl::unexpected(*error_);
    return suite(server_.clock().now() - began);
  }

 private:
  bool interrupted() const {
    return options_.interrupted != nullptr && options_.interrupted->load();
  }

  void make_groups() {
    for (const auto& scenario : scenarios_) {
      auto group = std::ranges::find_if(
          groups_, [&](const Group& g) { return same_ground(*g.first, scenario); });
      if (group == groups_.end()) {
        const auto number = groups_.size() + 1;
        groups_.push_back({&scenario, number == 1 ? "control" : "control-" + std::to_string(number),
                           nullptr, false});
        group = std::prev(groups_.end());
      }
      group_of_.push_back(static_cast<std::size_t>(group - groups_.begin()));
    }
  }

  bool same_ground(const scenarios::Scenario& a, const scenarios::Scenario& b) const {
    return same_vendor(a, b) &&
           client_print(client_of(a, options_)) == client_print(client_of(b, options_));
  }

  tl::expected<Recording, Error> play_control(const Group& group, const std::string& work) {
    const auto control = control_of(*group.first, "control");
    auto recording =
        play(control, server_, watch_, control_patience(control, options_), options_, work);
    if (recording) {
      recording->is_control = true;
      recording->scenario.name = group.control_name;
    }
    return recording;
  }

  Duration first_request_of(const Group& group) const {
    return control_patience(*group.first, options_).first_request.value_or(options_.first_request);
  }

  // Alone and first: if nothing arrives, not one more copy of the client is started.
  tl::expected<void, Error> run_controls() {
    for (auto& group : groups_) {
      auto recording = play_control(group, group.control_name);
      if (!recording) return tl::unexpected(recording.error());
      controls_.push_back(std::move(*recording));
      group.control = &controls_.back();
      if (options_.on_control) options_.on_control(*group.control);
      if (interrupted()) {
        stopped_.push_back("interrupted");
        return {};
      }
      if (auto why = why_nothing_came(*group.control, first_request_of(group)); !why.empty()) {
        std::ranges::move(why, std::back_inserter(stopped_));
        return {};
      }
      if (auto why = why_upstream_failed(*group.control); !why.empty()) {
        std::ranges::move(why, std::back_inserter(stopped_));
        return {};
      }
      group.healthy = !options_.healthy || options_.healthy(*group.control);
    }
    return compare_side_by_side();
  }

  // A client with a lock file, a fixed port or a shared table cannot run beside itself: found out
  // with two healthy runs instead of thirty false verdicts.
  tl::expected<void, Error> compare_side_by_side() {
    const bool shares_logs = std::ranges::any_of(scenarios_, [&](const auto& scenario) {
      return logs_beside_others(client_of(scenario, options_));
    });
    if (jobs_ > 1 && shares_logs) {
      jobs_ = 1;
      jobs_reason_ = "runs side by side would mix their lines in the log files of one folder";
    }
    if (jobs_ == 1 || scenarios_.size() < 2 || !groups_.front().healthy) return {};
    std::vector<tl::expected<Recording, Error>> pair(2, tl::unexpected(Error{}));
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < pair.size(); ++i) {
        threads.emplace_back([this, i, &pair] {
          pair[i] = play_control(groups_.front(), "control-beside-" + std::to_string(i + 1));
        });
      }
    }
    for (const auto& beside : pair) {
      if (!beside) return tl::unexpected(beside.error());
      const auto differs = difference(*groups_.front().control, *beside);
      if (differs.empty()) continue;
      jobs_ = 1;
      jobs_reason_ = "two healthy runs side by side differ: " + differs;
      if (scenarios::is_service(client_of(*groups_.front().first, options_))) {
        jobs_reason_ += " (a service that listens on {free_port} can run beside itself)";
      }
      break;
    }
    return {};
  }

  Recording not_run(const scenarios::Scenario& scenario, const Group& group, std::string why) {
    Recording recording;
    recording.mishap_version = options_.version;
    recording.scenario = facts_of(scenario);
    mark_called(scenario, *group.control, recording.scenario.rules);
    recording.seed = options_.seed;
    recording.control = group.control_name;
    recording.command = group.control->command;
    recording.wall_start = group.control->wall_start;
    recording.not_run = std::move(why);
    return recording;
  }

  Recording run_one(std::size_t index) {
    const auto& scenario = scenarios_[index];
    const auto& group = groups_[group_of_[index]];
    auto rules = facts_of(scenario).rules;
    const bool called = mark_called(scenario, *group.control, rules);
    if (!group.healthy) return not_run(scenario, group, "the healthy control failed");
    if (!called) {
      return not_run(scenario, group,
                     "your client makes no such call: " + scenario.rules.front().on.text);
    }
    const auto work = std::to_string(index) + "-" + scenario.name;
    std::optional<Calibration> calibration;
    if (scenario.client.copies >= kCalibratedCopies) {
      calibration =
          calibrate(scenario.client.copies, server_, watch_, options_, "calibration-" + work);
    }
    auto recording = play(scenario, server_, watch_,
                          patience_for(scenario, *group.control, options_), options_, work);
    if (!recording) {
      note_error(recording.error());
      return not_run(scenario, group, "could not be run: " + recording.error().message);
    }
    recording->scenario.rules = std::move(rules);
    recording->control = group.control_name;
    recording->calibration = std::move(calibration);
    return std::move(*recording);
  }

  void note_error(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }

  bool is_crowd(std::size_t index) const {
    return scenarios_[index].client.copies >= kCalibratedCopies;
  }

  void work(const std::vector<std::size_t>& order) {
    for (;;) {
      std::size_t index = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ == order.size() || error_ || interrupted()) return;
        index = order[next_++];
        if (options_.on_begin) options_.on_begin(scenarios_[index].name);
      }
      auto recording = run_one(index);
      const std::lock_guard lock(mutex_);
      results_[index] = std::move(recording);
      if (options_.on_end) options_.on_end(*results_[index]);
    }
  }

  // A crowd makes the machine busy by itself: it runs behind all others, one at a time, since
  // whatever ran beside it would hold up its start and blur the waits that are measured of it.
  void run_scenarios() {
    results_.resize(scenarios_.size());
    std::vector<std::size_t> beside_others;
    std::vector<std::size_t> alone;
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      (is_crowd(i) ? alone : beside_others).push_back(i);
    }
    run_all(beside_others, jobs_);
    run_all(alone, 1);
    if (interrupted()) stopped_.push_back("interrupted");
  }

  void run_all(const std::vector<std::size_t>& order, int jobs) {
    next_ = 0;
    std::vector<std::jthread> workers;
    const auto count = std::min(static_cast<std::size_t>(jobs), order.size());
    for (std::size_t i = 0; i < count; ++i) workers.emplace_back([&] { work(order); });
  }

  // What settled nothing is run again when all others have ended, with nothing beside it: most
  // doubt comes from a busy machine. Those that others are compared with come first, so that these
  // are asked about with the better evidence.
  void settle_undecided() {
    if (!options_.undecided) return;
    std::vector<std::size_t> order;
    for (const bool compared : {true, false}) {
      for (std::size_t i = 0; i < scenarios_.size(); ++i) {
        if (is_compared_with(scenarios_[i].name) == compared) order.push_back(i);
      }
    }
    for (const auto index : order) settle(index);
    if (interrupted()) stopped_.push_back("interrupted");
  }

  void settle(std::size_t index) {
    for (int n = 0; n < options_.reruns && !interrupted() && !error_; ++n) {
      auto why = why_undecided(index);
      if (why.empty()) return;
      if (options_.on_begin) options_.on_begin(scenarios_[index].name);
      auto again = run_one(index);
      // One that was cut short is worth less than the one before.
      if (error_ || interrupted()) return;
      auto& last = *results_[index];
      again.earlier = std::move(last.earlier);
      again.earlier.push_back({std::move(why), last.wall_start, last.length});
      last = std::move(again);
      if (options_.on_end) options_.on_end(last);
    }
  }

  // A scenario that is not undecided any more, a fail above all, is never run again.
  std::string why_undecided(std::size_t index) const {
    const auto& recording = results_[index];
    if (!recording || !recording->not_run.empty()) return {};
    const auto& group = groups_[group_of_[index]];
    return options_.undecided(*recording, group.control, comparison_of(index));
  }

  bool is_compared_with(const std::string& name) const {
    return std::ranges::find(scenarios_, name, &scenarios::Scenario::compare_with) !=
           scenarios_.end();
  }

  const Recording* comparison_of(std::size_t index) const {
    const auto& asked = scenarios_[index].compare_with;
    for (std::size_t i = 0; i < scenarios_.size() && !asked.empty(); ++i) {
      const bool it =
          i != index && scenarios_[i].name == asked && scenarios_[i].pack == scenarios_[index].pack;
      if (it && results_[i] && results_[i]->not_run.empty()) return &*results_[i];
    }
    return nullptr;
  }

  Suite suite(Duration length) {
    Suite suite;
    suite.seed = options_.seed;
    suite.jobs = jobs_;
    suite.jobs_reason = jobs_reason_;
    suite.length = length;
    suite.stopped = stopped_;
    std::ranges::move(controls_, std::back_inserter(suite.controls));
    for (auto& result : results_) {
      if (result) suite.recordings.push_back(std::move(*result));
    }
    return suite;
  }

  const std::vector<scenarios::Scenario>& scenarios_;
  server::Server& server_;
  const TestOptions& options_;
  int jobs_;
  std::string jobs_reason_;
  ProcessWatch watch_;
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;
  std::deque<Recording> controls_;  // a deque: groups borrow from it while it grows
  std::vector<std::string> stopped_;

  std::mutex mutex_;  // of all below
  std::size_t next_ = 0;
  std::vector<std::optional<Recording>> results_;
  std::optional<Error> error_;
};

}  // namespace

tl::expected<Suite, Error> run_suite(const std::vector<scenarios::Scenario>& scenarios,
                                     server::Server& server, const TestOptions& options) {
  // Before anything starts: a missing client is the user's, and needs no run to be found out.
  for (const auto& scenario : scenarios) {
    const auto whole = check_client(client_of(scenario, options), scenario, options.client_folder);
    if (!whole) return tl::unexpected(whole.error());
  }
  return SuiteRun(scenarios, server, options).run();
}

}  // namespace mishap::client_tests
