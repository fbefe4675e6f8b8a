#include "client-tests/launch/process_table.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <unordered_set>

#include "client-tests/launch/file_descriptor.h"

namespace mishap::client_tests {
namespace {

// An environment is empty while a program is being replaced, which takes milliseconds; one that is
// still empty after this time was cleared. In ticks of 10 ms.
constexpr std::uint64_t kLookTicks = 5;
constexpr pid_t kKernelThreads = 2;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The value of the marker in NAME=VALUE pairs, empty where there is none.
std::string_view marker_in(std::string_view environment) {
  const std::string name = std::string(kRunMarker) + "=";
  std::size_t at = 0;
  while (at < environment.size()) {
    const std::size_t end = std::min(environment.find('\0', at), environment.size());
    const auto pair = environment.substr(at, end - at);
    if (pair.starts_with(name)) return pair.substr(name.size());
    at = end + 1;
  }
  return {};
}

}  // namespace

void send_signal(const ProcessId& id, int signal) {
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, id.pid, 0)));
  const auto stat = read_stat(id.pid);
  if (!stat || stat->id != id) return;
  // Kernels and sandboxes without pidfd: the check above leaves a gap of microseconds.
  if (!process || ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) != 0) {
    ::kill(id.pid, signal);
  }
}

bool reap(pid_t pid, int& status, double& cpu_seconds) {
  rusage usage{};
  if (::wait4(pid, &status, WNOHANG, &usage) != pid) return false;
  cpu_seconds += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  return true;
}

ProcessTable::ProcessTable()
    : self_(::getpid()), own_session_(::getsid(0)), born_(ticks_since_boot()) {}

ProcessTable::TreeId ProcessTable::add(pid_t root, const std::string& marker) {
  const TreeId id = next_id_++;
  Tree& tree = trees_[id];
  tree.root = root;
  tree.marker = marker;
  if (const auto stat = read_stat(root)) admit(id, *stat);
  tree.sessions.insert(root);
  return id;
}

ProcessTable::End ProcessTable::remove(TreeId id) {
  End end;
  const auto found = trees_.find(id);
  if (found == trees_.end()) return end;
  end.known = reap(found->second.root, end.status, end.cpu_seconds);
  for (const auto& [pid, stat] : found->second.members) {
    member_of_.erase(pid);
    // A member that could not be ended stays a stray, so that it is tried again.
    if (!stat.zombie && (pid != found->second.root || !end.known))
      strays_.emplace(pid, Stray{stat.id, true});
  }
  ended_markers_.insert(found->second.marker);
  trees_.erase(found);
  return end;
}

void ProcessTable::scan() {
  const auto pids = list_processes();
  forget_the_gone(pids);
  refresh_members();
  auto newcomers = read_newcomers(pids);
  // A child may stand before its parent in the list: go round until nobody finds a relative.
  while (place_relatives(newcomers)) {
  }
  bool found_by_marker = false;
  for (const auto& stat : newcomers) {
    if (member_of_.contains(stat.id.pid)) continue;
    Known& known = known_[stat.id.pid];
    if (known.id != stat.id) known = {stat.id, ticks_since_boot(), false};
    const Placed placed = place_stranger(stat, known);
    known.open = placed.place == Place::Open;
    if (placed.place == Place::Member) {
      admit(placed.tree, stat);
      found_by_marker = true;
    } else if (placed.place == Place::Orphan || placed.place == Place::Abandoned) {
      known_.erase(stat.id.pid);
      strays_.emplace(stat.id.pid, Stray{stat.id, placed.place == Place::Abandoned});
    }
  }
  if (found_by_marker) {
    while (place_relatives(newcomers)) {
    }
  }
  reap_adopted();
  end_strays();
}

void ProcessTable::forget_the_gone(const std::vector<pid_t>& pids) {
  const std::unordered_set<pid_t> present(pids.begin(), pids.end());
  const auto gone = [&](const auto& entry) { return !present.contains(entry.first); };
  std::erase_if(known_, gone);
  std::erase_if(strays_, gone);
  for (auto& [id, tree] : trees_) {
    for (const auto& [pid, stat] : tree.members) {
      if (!present.contains(pid)) member_of_.erase(pid);
    }
    std::erase_if(tree.members, gone);
  }
}

void ProcessTable::refresh_members() {
  for (auto& [id, tree] : trees_) {
    std::vector<pid_t> gone;
    for (auto& [pid, member] : tree.members) {
      const auto stat = read_stat(pid);
      if (!stat || stat->id != member.id) {
        gone.push_back(pid);
        continue;
      }
      member = *stat;
      tree.sessions.insert(stat->session);
    }
    for (const pid_t pid : gone) {
      tree.members.erase(pid);
      member_of_.erase(pid);
    }
    tree.sessions.erase(own_session_);
  }
}

std::vector<ProcessStat> ProcessTable::read_newcomers(const std::vector<pid_t>& pids) {
  std::vector<ProcessStat> newcomers;
  for (const pid_t pid : pids) {
    if (member_of_.contains(pid) || strays_.contains(pid)) continue;
    const auto known = known_.find(pid);
    if (known != known_.end() && !known->second.open) continue;
    if (const auto stat = read_stat(pid)) newcomers.push_back(*stat);
  }
  return newcomers;
}

bool ProcessTable::place_relatives(std::vector<ProcessStat>& newcomers) {
  bool changed = false;
  for (const auto& stat : newcomers) {
    if (member_of_.contains(stat.id.pid)) continue;
    const Placed placed = place_by_blood(stat);
    if (placed.place != Place::Member) continue;
    admit(placed.tree, stat);
    changed = true;
  }
  return changed;
}

ProcessTable::Placed ProcessTable::place_by_blood(const ProcessStat& stat) const {
  if (stat.id.start_ticks < born_) return {};
  if (const auto parent = member_of_.find(stat.parent); parent != member_of_.end()) {
    return {Place::Member, parent->second};
  }
  for (const auto& [id, tree] : trees_) {
    if (tree.sessions.contains(stat.session)) return {Place::Member, id};
  }
  return {};
}

ProcessTable::Placed ProcessTable::place_stranger(const ProcessStat& stat,
                                                  const Known& known) const {
  if (stat.id.start_ticks < born_ || stat.parent == kKernelThreads || stat.parent == 0) return {};
  const auto environment = read_environment(stat.id.pid);
  const std::string marker(environment ? marker_in(*environment) : std::string_view());
  for (const auto& [id, tree] : trees_) {
    if (!marker.empty() && tree.marker == marker) return {Place::Member, id};
  }
  if (ended_markers_.contains(marker)) return {Place::Abandoned, 0};
  const bool adopted = stat.parent == self_ && stat.session != own_session_;
  // Whose an orphan is follows from this alone only when one client can have left it.
  if (adopted && trees_.size() == 1) return {Place::Member, trees_.begin()->first};
  const bool unreadable_yet = environment && environment->empty() && !stat.zombie;
  const bool worth_another_look = adopted ? !trees_.empty() : is_fresh(known);
  if (unreadable_yet && worth_another_look) return {Place::Open, 0};
  return {adopted ? Place::Orphan : Place::Foreign, 0};
}

bool ProcessTable::is_fresh(const Known& known) {
  return ticks_since_boot() - known.first_look < kLookTicks;
}

bool ProcessTable::undecided() const {
  return std::any_of(known_.begin(), known_.end(),
                     [](const auto& entry) { return entry.second.open && is_fresh(entry.second); });
}

void ProcessTable::admit(TreeId id, const ProcessStat& stat) {
  Tree& tree = trees_.at(id);
  known_.erase(stat.id.pid);
  tree.members[stat.id.pid] = stat;
  member_of_[stat.id.pid] = id;
  if (stat.session != own_session_) tree.sessions.insert(stat.session);
}

void ProcessTable::reap_adopted() {
  for (auto& [id, tree] : trees_) {
    std::vector<pid_t> reaped;
    for (const auto& [pid, stat] : tree.members) {
      if (pid == tree.root || !stat.zombie || stat.parent != self_) continue;
      int status = 0;
      if (reap(pid, status, tree.reaped_cpu_seconds)) reaped.push_back(pid);
    }
    for (const pid_t pid : reaped) {
      tree.members.erase(pid);
      member_of_.erase(pid);
    }
  }
}

void ProcessTable::end_strays() {
  for (auto entry = strays_.begin(); entry != strays_.end();) {
    const auto stat = read_stat(entry->first);
    int status = 0;
    double unknown_owner_cpu = 0;
    const Stray& stray = entry->second;
    const bool gone = !stat || stat->id != stray.id ||
                      (stat->zombie && reap(entry->first, status, unknown_owner_cpu));
    // While several clients run, one of them may still need it.
    if (!gone && (stray.abandoned || trees_.empty())) send_signal(stray.id, SIGKILL);
    entry = gone ? strays_.erase(entry) : std::next(entry);
  }
}

std::vector<ProcessId> ProcessTable::living(TreeId id) const {
  std::vector<ProcessId> alive;
  for (const auto& [pid, stat] : trees_.at(id).members) {
    if (!stat.zombie) alive.push_back(stat.id);
  }
  return alive;
}

}  // namespace mishap::client_tests
