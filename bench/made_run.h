#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "mishap/recording.h"

// Runs of any size that look like what a client leaves behind on a bad day, for measuring how
// judging grows. The same shape gives the same run.
namespace mishap::bench {

// Keys, retries after 503, 429 and cut answers, look-ups, reads; or batches whose answer is cut,
// and some that are done in part.
enum class Shape { Calls, Batches };

struct RunPlan {
  Shape shape = Shape::Calls;
  bool faults = true;          // false: the healthy control
  int copies = 4;              // of the client, side by side
  std::uint64_t attempts = 0;  // of all copies together, where an item of a batch counts as one
  std::uint64_t items = 1000;  // in a batch
};

// The frame of the recording: everything but journal and outcomes.
client_tests::Recording made_frame(const RunPlan& plan);

// The journal and the outcome lines, in the order of time, as far at once as the caller likes.
class MadeRun {
 public:
  explicit MadeRun(const RunPlan& plan);

  // Adds about so many attempts; false: the run is over.
  bool add(std::uint64_t attempts, server::Journal& journal,
           std::vector<client_tests::OutcomeLine>& outcomes);
  Duration length() const { return length_; }

 private:
  // What the vendor makes of an attempt.
  enum class Fate { Done, Replayed, Refused, Unavailable, Throttled, Cut, Found };
  enum class Call { Create, Bare, Read, Lookup };
  struct Step {
    Call call = Call::Create;
    Fate fate = Fate::Done;
    Duration wait{};  // before it
  };
  struct Lane {
    int number = 0;
    std::uint64_t operations = 0;  // of its own, so far
    std::uint64_t name = 0;        // of what it is busy with
    std::uint64_t create = 0;      // operation numbers
    std::uint64_t current = 0;
    std::uint64_t attempt = 0;
    std::uint64_t connection = 0;  // 0: none is open
    Duration now{};
    std::deque<Step> steps;
  };

  void plan_next(Lane& lane);
  void take(Lane& lane, server::Journal& journal, std::vector<client_tests::OutcomeLine>& outcomes);
  void set_call(const Lane& lane, Call call, server::Exchange& exchange);
  // The status; `well` is that of the well vendor.
  StatusCode set_fate(Fate fate, StatusCode well, server::Exchange& exchange);
  static client_tests::OutcomeLine word_of(const Lane& lane, Fate fate);
  void take_batch(Lane& lane, server::Journal& journal);
  server::Exchange begun(Lane& lane);
  std::uint64_t effect(const server::Exchange& exchange, std::uint64_t operation, Duration at,
                       const std::string& reference, server::Journal& journal);
  void end(Lane& lane, server::Exchange& exchange, Fate fate, StatusCode status);
  std::uint64_t draw(std::uint64_t below);

  RunPlan plan_;
  std::vector<Lane> lanes_;
  std::uint64_t seed_ = 1;
  std::uint64_t attempts_ = 0;
  std::uint64_t exchanges_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t effects_ = 0;
  decltype(server::Journal::connections) connections_;  // by number
  Duration length_{};
};

}  // namespace mishap::bench
