#include "server/control/run_book.h"

#include <algorithm>
#include <atomic>
#include <random>

#include <fmt/format.h>

namespace mishap::server::control {
namespace {

// Nobody comes upon another test's run by guessing.
std::string new_id() {
  std::random_device entropy;
  std::uniform_int_distribution<std::uint64_t> pick;
  return fmt::format("{:016x}", pick(entropy));
}

}  // namespace

struct RunBook::Entry {
  std::string id;
  std::uint64_t number = 0;
  Duration begun{};
  std::unique_ptr<JudgedRun> run;
  std::atomic<RunState> state = RunState::Running;
  std::atomic<Duration::rep> used = 0;  // when it was last called about

  std::mutex mutex;  // of ending and of what it gave
  Judged judged;
};

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::Running:
      return "running";
    case RunState::Ending:
      return "ending";
    case RunState::Ended:
      return "ended";
    case RunState::Expired:
      return "expired";
  }
  return "?";
}

RunBook::RunBook(RunMaker& maker, const Clock& clock, RunLimits limits)
    : maker_(maker), clock_(clock), limits_(limits) {}

tl::expected<void, Problem> RunBook::reserve() {
  const std::lock_guard lock(mutex_);
  if (live_ >= limits_.at_once) {
    return problem(503, fmt::format("{} runs are live, which is the limit", live_),
                   "end a run that is over: POST /v1/runs/ID/end, or DELETE it");
  }
  ++live_;
  return {};
}

void RunBook::closed() {
  const std::lock_guard lock(mutex_);
  --live_;
}

tl::expected<RunView, Problem> RunBook::begin(const RunRequest& request) {
  expire();
  if (auto room = reserve(); !room) return tl::unexpected(room.error());
  auto run = maker_.begin(request);
  if (!run) {
    closed();
    return tl::unexpected(run.error());
  }
  auto entry = std::make_shared<Entry>();
  entry->id = new_id();
  entry->begun = clock_.now();
  entry->used = entry->begun.count();
  entry->run = std::move(*run);
  const std::lock_guard lock(mutex_);
  entry->number = ++begun_;
  runs_[entry->id] = entry;
  return view(*entry);
}

tl::expected<RunBook::Shared, Problem> RunBook::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(id);
  if (found == runs_.end()) {
    return problem(
        404, fmt::format("there is no run \"{}\"", id.substr(0, 40)),
        fmt::format("GET /v1/runs lists them; of ended ones the last {} are kept", limits_.kept));
  }
  found->second->used = clock_.now().count();
  return found->second;
}

// What the atomics do not hold is told by the one who ended it; a run that is just ending is not
// waited for.
RunView RunBook::view(const Entry& entry) const {
  RunView view;
  view.id = entry.id;
  view.state = entry.state;
  view.facts = entry.run->facts();
  view.requests = entry.run->requests();
  view.outcomes = entry.run->outcomes();
  view.age = clock_.now() - entry.begun;
  view.idle = clock_.now() - std::max(Duration(entry.used.load()), entry.run->last_activity());
  if (view.state == RunState::Ended) {
    view.verdict = entry.judged.verdict;
    view.headline = entry.judged.headline;
  }
  return view;
}

tl::expected<RunView, Problem> RunBook::look(const std::string& id) {
  auto entry = find(id);
  if (!entry) return tl::unexpected(entry.error());
  return view(**entry);
}

std::vector<RunBook::Shared> RunBook::entries() {
  const std::lock_guard lock(mutex_);
  std::vector<Shared> all;
  for (const auto& [id, entry] : runs_) all.push_back(entry);
  std::ranges::sort(all, {}, [](const Shared& entry) { return entry->number; });
  return all;
}

std::vector<RunView> RunBook::all() {
  std::vector<RunView> views;
  for (const auto& entry : entries()) views.push_back(view(*entry));
  return views;
}

std::string RunBook::idle_text() const {
  return fmt::format("the run was idle for {} and has expired", format_duration(limits_.idle));
}

tl::expected<OutcomesTaken, Problem> RunBook::take_outcomes(const std::string& id,
                                                            std::string_view lines, int copy) {
  auto entry = find(id);
  if (!entry) return tl::unexpected(entry.error());
  if ((*entry)->state == RunState::Expired) return problem(410, idle_text());
  if ((*entry)->state != RunState::Running) {
    return problem(409, "the run has ended: an outcome that comes now cannot be judged",
                   "hand in outcomes before the end");
  }
  return (*entry)->run->take_outcomes(lines, copy);
}

tl::expected<RunBook::Shared, Problem> RunBook::find_control(const std::string& id,
                                                             const Shared& run) {
  auto control = find(id);
  if (!control) {
    auto wrong = control.error();
    wrong.status = 422;
    wrong.detail = "control: " + wrong.detail;
    return tl::unexpected(wrong);
  }
  if (*control == run || (*control)->state != RunState::Ended) {
    return problem(422, "control: the run \"" + id + "\" has not ended",
                   "end the healthy run first, then this one with its id as control");
  }
  return control;
}

tl::expected<Judged, Problem> RunBook::end(const std::string& id, const RunEnd& how,
                                           const std::string& control) {
  auto found = find(id);
  if (!found) return tl::unexpected(found.error());
  const auto entry = *found;
  Shared healthy;
  if (!control.empty()) {
    auto named = find_control(control, entry);
    if (!named) return tl::unexpected(named.error());
    healthy = *named;
  }
  {
    const std::lock_guard lock(entry->mutex);
    if (entry->state == RunState::Ended) return entry->judged;
    if (entry->state == RunState::Expired) {
      return problem(410, idle_text(), "begin another run; end it when the test is over");
    }
    entry->state = RunState::Ending;
    auto judged = entry->run->end(how, healthy ? healthy->run.get() : nullptr);
    if (!judged) {
      entry->state = RunState::Running;
      return tl::unexpected(judged.error());
    }
    entry->judged = std::move(*judged);
    entry->state = RunState::Ended;
  }
  closed();
  drop_oldest();
  return entry->judged;
}

tl::expected<void, Problem> RunBook::forget(const std::string& id) {
  auto found = find(id);
  if (!found) return tl::unexpected(found.error());
  const auto entry = *found;
  bool was_live = false;
  {
    const std::lock_guard lock(entry->mutex);
    was_live = entry->state == RunState::Running;
    if (was_live) entry->run->abandon();
    if (was_live) entry->state = RunState::Expired;
  }
  if (was_live) closed();
  const std::lock_guard lock(mutex_);
  runs_.erase(id);
  return {};
}

bool RunBook::is_idle(const Entry& entry) const {
  if (entry.state != RunState::Running) return false;
  const auto last = std::max(Duration(entry.used.load()), entry.run->last_activity());
  return clock_.now() - last > limits_.idle;
}

void RunBook::expire() {
  for (const auto& entry : entries()) {
    if (!is_idle(*entry)) continue;
    {
      const std::unique_lock lock(entry->mutex, std::try_to_lock);
      if (!lock || entry->state != RunState::Running) continue;
      entry->run->abandon();
      entry->state = RunState::Expired;
    }
    closed();
  }
  drop_oldest();
}

void RunBook::drop_oldest() {
  const std::lock_guard lock(mutex_);
  std::vector<Shared> over;
  for (const auto& [id, entry] : runs_) {
    if (entry->state == RunState::Ended || entry->state == RunState::Expired) over.push_back(entry);
  }
  if (over.size() <= limits_.kept) return;
  std::ranges::sort(over, {}, [](const Shared& entry) { return entry->used.load(); });
  over.resize(over.size() - limits_.kept);
  for (const auto& entry : over) runs_.erase(entry->id);
}

}  // namespace mishap::server::control
