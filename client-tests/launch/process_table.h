#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client-tests/launch/probe_linux.h"

namespace mishap::client_tests {

// Says which process of the machine belongs to which client. A process belongs to a client when it
// is the one we started, or its parent belongs, or it is in a session of the client, or it carries
// the client's marker in its environment; once it belongs, it belongs until it is gone. This
// process has to be a subreaper: an orphan of a client then becomes our child, which is how one
// that left its session and cleared its environment is still noticed.
//
// Not thread-safe: ProcessWatch holds a lock around it.
class ProcessTable {
 public:
  using TreeId = std::uint64_t;

  struct Tree {
    pid_t root = 0;
    std::string marker;
    std::set<pid_t> sessions;
    std::map<pid_t, ProcessStat> members;  // the root among them; zombies too
    double reaped_cpu_seconds = 0;         // of adopted members that we reaped
  };

  ProcessTable();

  // The child must have been started as leader of a session of its own, and no scan may have taken
  // place since.
  TreeId add(pid_t root, const std::string& marker);

  // What became of the root, which must have ended: its exit status is taken here, so that no scan
  // can mistake it for an orphan.
  struct End {
    bool known = false;
    int status = 0;  // as of waitpid
    double cpu_seconds = 0;
  };
  End remove(TreeId id);

  // Reads the process list once, places what is new and reaps adopted members that have ended.
  void scan();

  const Tree& tree(TreeId id) const { return trees_.at(id); }
  const std::map<TreeId, Tree>& trees() const { return trees_; }

  // Members of which something still runs.
  std::vector<ProcessId> living(TreeId id) const;

  // Orphans that belong to no client that is still there, or to one of several that nobody can
  // name.
  bool has_strays() const { return !strays_.empty(); }

  // Something was seen just now that may still turn out to be a client's (at the next scans).
  bool undecided() const;

 private:
  struct Known {
    ProcessId id;
    std::uint64_t first_look = 0;  // ticks since boot
    bool open = false;             // its environment cannot be read yet: it is looked at again
  };
  struct Stray {
    ProcessId id;
    bool abandoned = false;  // its client has ended: it goes at once
  };
  enum class Place { Foreign, Open, Orphan, Abandoned, Member };
  struct Placed {
    Place place = Place::Foreign;
    TreeId tree = 0;
  };

  void forget_the_gone(const std::vector<pid_t>& pids);
  void refresh_members();
  std::vector<ProcessStat> read_newcomers(const std::vector<pid_t>& pids);
  bool place_relatives(std::vector<ProcessStat>& newcomers);
  Placed place_by_blood(const ProcessStat& stat) const;
  Placed place_stranger(const ProcessStat& stat, const Known& known) const;
  static bool is_fresh(const Known& known);
  void admit(TreeId id, const ProcessStat& stat);
  void reap_adopted();
  void end_strays();

  pid_t self_;
  pid_t own_session_;
  std::uint64_t born_;  // ticks; what is older cannot be a client's
  TreeId next_id_ = 1;
  std::map<TreeId, Tree> trees_;
  std::unordered_map<pid_t, Known> known_;       // everything that is not a member or a stray
  std::unordered_map<pid_t, TreeId> member_of_;  // by pid
  std::map<pid_t, Stray> strays_;
  std::set<std::string> ended_markers_;
};

// The variable that marks every process of a client, however it was started.
inline constexpr std::string_view kRunMarker = "MISHAP_RUN";

// Sends a signal to exactly this process: a number that has a new owner is left alone.
void send_signal(const ProcessId& id, int signal);

// Takes the exit status of a child of ours, without waiting. True when it was there.
bool reap(pid_t pid, int& status, double& cpu_seconds);

}  // namespace mishap::client_tests
