#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/clock.h"
#include "server/control/judge.h"

// The runs of one control API: begun, looked at, ended, forgotten. Bounded whatever callers do.
namespace mishap::server::control {

struct RunLimits {
  std::size_t at_once = 256;                 // live runs
  std::size_t kept = 64;                     // ended ones; the least recently used goes first
  Duration idle = std::chrono::minutes(30);  // without a call or a request
};

enum class RunState { Running, Ending, Ended, Expired };
std::string_view to_string(RunState state);

struct RunView {
  std::string id;
  RunState state = RunState::Running;
  RunFacts facts;
  std::uint64_t requests = 0;
  std::size_t outcomes = 0;
  Duration age{};
  Duration idle{};
  std::string verdict;  // once it has ended
  std::string headline;
};

// Thread-safe: each run has a lock of its own, so that one that takes long to end holds up no
// other.
class RunBook {
 public:
  // Both are borrowed.
  RunBook(RunMaker& maker, const Clock& clock, RunLimits limits);

  tl::expected<RunView, Problem> begin(const RunRequest& request);
  tl::expected<RunView, Problem> look(const std::string& id);
  std::vector<RunView> all();  // in the order in which they were begun
  tl::expected<OutcomesTaken, Problem> take_outcomes(const std::string& id, std::string_view lines,
                                                     int copy);
  // Again after the end: the same once more. `control`: id of an ended run, or empty.
  tl::expected<Judged, Problem> end(const std::string& id, const RunEnd& how,
                                    const std::string& control);
  tl::expected<void, Problem> forget(const std::string& id);

  // Ends what nobody has used for too long. Called now and then.
  void expire();

 private:
  struct Entry;
  using Shared = std::shared_ptr<Entry>;

  tl::expected<void, Problem> reserve();
  tl::expected<Shared, Problem> find(const std::string& id);
  tl::expected<Shared, Problem> find_control(const std::string& id, const Shared& run);
  std::vector<Shared> entries();
  RunView view(const Entry& entry) const;
  bool is_idle(const Entry& entry) const;
  void closed();  // a live run is one no more
  void drop_oldest();
  std::string idle_text() const;

  RunMaker& maker_;
  const Clock& clock_;
  const RunLimits limits_;
  std::mutex mutex_;  // of all below; never held while a run is begun or ended
  std::size_t live_ = 0;
  std::uint64_t begun_ = 0;
  std::map<std::string, Shared> runs_;
};

}  // namespace mishap::server::control
