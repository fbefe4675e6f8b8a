#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"
#include "client-tests/statistics/theil_sen.h"

// Timeouts that come again and again do not pile anything up.
namespace mishap::client_tests {

namespace {

constexpr double kSlope = 0.02;  // for each call that timed out
constexpr std::uint64_t kSomePool = 5;
constexpr std::size_t kStates = 10;  // fewer points make no line
constexpr double kFarEnough = 10;    // apart in calls, for two points of the good day
constexpr Duration kHalfClosed = std::chrono::seconds(5);

struct Resource {
  std::string_view name;
  std::uint64_t ProcessSample::*count;
};
constexpr std::array kResources = {Resource{"sockets", &ProcessSample::sockets},
                                   Resource{"descriptors", &ProcessSample::fds},
                                   Resource{"threads", &ProcessSample::threads}};

// When the calls that timed out did so for the first time, by copy, in order.
std::map<int, std::vector<Duration>> timeouts_of(const History& history) {
  std::map<int, std::vector<Duration>> timeouts;
  for (const Operation& operation : history.operations) {
    const auto abandoned = std::ranges::find_if(operation.attempts, [](const Attempt& attempt) {
      return attempt.abandoned_at && !attempt.cut_by_signal;
    });
    if (abandoned != operation.attempts.end()) {
      timeouts[operation.lane].push_back(*abandoned->abandoned_at);
    }
  }
  for (auto& [lane, instants] : timeouts) std::ranges::sort(instants);
  return timeouts;
}

// Each that begins is a turn of 1 at that instant, each that ends one of -1.
using Turns = std::vector<std::pair<Duration, int>>;

std::uint64_t most_at_once(Turns turns) {
  std::ranges::sort(turns);
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [at, turn] : turns) most = std::max(most, now += turn);
  return static_cast<std::uint64_t>(most);
}

// When the calls of a copy were over, whatever became of them, in order.
std::vector<Duration> ends_of_calls(const History& history, int lane) {
  std::vector<Duration> ends;
  for (const Operation* operation : operations_of(history, lane)) {
    const auto& receipt = operation->attempts.back().exchange->receipt;
    const auto end = receipt.ended ? receipt.ended : receipt.departed;
    if (end) ends.push_back(*end);
  }
  std::ranges::sort(ends);
  return ends;
}

// The most that the copy had under way at once: as many connections it may keep.
std::uint64_t most_calls_at_once(const Case& c, int lane) {
  Turns turns;
  for (const server::Exchange* exchange : lane_lines(c.history).of(lane).exchanges()) {
    const auto& receipt = exchange->receipt;
    turns.emplace_back(exchange->first_byte, 1);
    turns.emplace_back(receipt.ended.value_or(receipt.departed.value_or(c.recording.length)), -1);
  }
  return most_at_once(std::move(turns));
}

// The most sockets at once that only the client still held, for longer than it takes to notice.
std::uint64_t most_forgotten(const std::vector<SocketSeen>& sockets) {
  Turns turns;
  for (const SocketSeen& socket : sockets) {
    if (!socket.half_closed_since) continue;
    const Duration since = *socket.half_closed_since + kHalfClosed;
    if (socket.last_seen <= since) continue;
    turns.emplace_back(since, 1);
    turns.emplace_back(socket.last_seen, -1);
  }
  return most_at_once(std::move(turns));
}

// One point for each number of calls that were over: the least that was there meanwhile, since what
// a call needs while it runs is no leak.
std::vector<statistics::Point> at_rest(const std::vector<ProcessSample>& series,
                                       const std::vector<Duration>& calls, std::size_t warm_up,
                                       Duration until, std::uint64_t ProcessSample::*count) {
  std::vector<statistics::Point> points;
  for (const ProcessSample& sample : series) {
    if (sample.at > until) break;
    const auto over =
        static_cast<std::size_t>(std::ranges::upper_bound(calls, sample.at) - calls.begin());
    if (over < warm_up) continue;
    const auto x = static_cast<double>(over);
    const auto y = static_cast<double>(sample.*count);
    if (points.empty() || points.back().x != x) {
      points.push_back({x, y});
    } else {
      points.back().y = std::min(points.back().y, y);
    }
  }
  return points;
}

// By how much a resource grows with each call of the healthy control; nothing where that was over
// too soon to be seen.
std::optional<double> usual_growth(const Case& c, int lane, std::uint64_t ProcessSample::*count) {
  if (!c.control_history) return std::nullopt;
  const int usual_lane = lane_in_control(c, lane);
  const ProcessFacts* process = process_of(*c.control, usual_lane);
  if (process == nullptr) return std::nullopt;
  // Before the first call it still loads what it needs for all.
  const auto points = at_rest(process->series, ends_of_calls(*c.control_history, usual_lane), 1,
                              own_until(*c.control, usual_lane), count);
  if (points.empty() || points.back().x - points.front().x < kFarEnough) return std::nullopt;
  return statistics::theil_sen_slope_of(points);
}

// A pool of workers that makes one for each task until it is full grows on the good day as well,
// each with a connection of its own perhaps. What grows there without workers is no such pool: who
// calls one after the other needs one connection. Empty: nothing else explains the growth.
std::string other_reason(const Case& c, int lane, const Resource& resource, double slope) {
  const auto workers = usual_growth(c, lane, &ProcessSample::threads);
  const bool are_workers = resource.count == &ProcessSample::threads;
  if (!workers) {
    return are_workers ? "whether its threads grow with each call on the good day too, as a pool "
                         "that fills does, was not seen"
                       : "";
  }
  const double usual = usual_growth(c, lane, resource.count).value_or(0);
  const bool is_alike = usual > kSlope && usual >= slope / 2 && usual <= *workers + kSlope;
  if (!is_alike) return {};
  return fmt::format(
      "on the good day its {} grow as well, by {:.2f} for each call: it may be a pool that fills",
      resource.name, usual);
}

class Judge {
 public:
  Judge(const Case& c, const Params& params)
      : case_(c),
        calls_(static_cast<std::size_t>(params.integer("calls"))),
        warm_up_(static_cast<std::size_t>(params.integer("warm_up"))) {}

  void look_at(int lane, const std::vector<Duration>& timeouts) {
    most_ = std::max(most_, timeouts.size());
    const ProcessFacts* process = process_of(case_.recording, lane);
    if (timeouts.size() < calls_ + warm_up_ || process == nullptr) return;
    const std::uint64_t pool = std::max(kSomePool, most_calls_at_once(case_, lane));
    // Behind the last timeout the process may be on its way out, which frees all that it held.
    const Duration until = std::min(own_until(case_.recording, lane), timeouts.back());
    for (const Resource& resource : kResources) {
      const auto points = at_rest(process->series, timeouts, warm_up_, until, resource.count);
      judge(lane, resource, points, pool);
    }
    judge_half_closed(lane, *process, pool);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "timeouts pile up " + piled_up_,
         .reason = "What the client holds grows with each call that times out.",
         .held = "sockets, descriptors and threads stay level",
         .none = fmt::format("{} timed out in one copy at most; {} are asked for",
                             counted(most_, "call"), calls_ + warm_up_)});
  }

 private:
  void judge(int lane, const Resource& resource, const std::vector<statistics::Point>& points,
             std::uint64_t pool) {
    if (points.size() < kStates) {
      tally_.open("the client's process was seen too rarely",
                  said(fmt::format("copy {}: {} between its timeouts", lane,
                                   counted(points.size(), "look"))));
      return;
    }
    const double slope = statistics::theil_sen_slope_of(points);
    const double rise = points.back().y - points.front().y;
    const bool is_steep = slope > kSlope;
    const bool is_more = rise > static_cast<double>(pool);
    const Witness cited = said(fmt::format(
        "copy {}: {:.0f} {} after {:.0f} timeouts, {:.0f} after {:.0f}: {:+.2f} for each ({} "
        "{:.2f}), {:+.0f} in all ({} {})",
        lane, points.front().y, resource.name, points.front().x, points.back().y, points.back().x,
        slope, is_steep ? ">" : "<=", kSlope, rise, is_more ? ">" : "<=", pool));
    const std::string other =
        is_steep && is_more ? other_reason(case_, lane, resource, slope) : std::string();
    if (!other.empty()) {
      tally_.open(other, cited);
    } else if (is_steep && is_more) {
      piled_up_ += (piled_up_.empty() ? "" : ", ") + std::string(resource.name);
      tally_.broke(cited);
    } else if (is_more) {
      tally_.open(fmt::format("there are more {} than before, but they do not grow with each call",
                              resource.name),
                  cited);
    } else {
      tally_.held(cited);
    }
  }

  // A pool may not have looked yet; more at one time than it holds are forgotten.
  void judge_half_closed(int lane, const ProcessFacts& process, std::uint64_t pool) {
    const std::uint64_t count = most_forgotten(process.sockets);
    if (count == 0) return;
    std::string what = fmt::format("copy {}: {} that the server had ended kept for more than {}{}",
                                   lane, counted(count, "socket"), seconds(kHalfClosed),
                                   count == 1 ? "" : " at one time");
    if (count <= pool) return tally_.warn(std::move(what));
    piled_up_ += (piled_up_.empty() ? "" : ", ") + std::string("half-closed sockets");
    tally_.broke(said(fmt::format("{}: {} > {}", what, count, pool)));
  }

  const Case& case_;
  std::size_t calls_;
  std::size_t warm_up_;
  std::size_t most_ = 0;
  std::string piled_up_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  if (!c.recording.child) {
    return not_observed("the client is not our child: what it holds is unknown");
  }
  Judge judge(c, params);
  for (const auto& [lane, timeouts] : timeouts_of(c.history)) judge.look_at(lane, timeouts);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kNoResourceLeak = {
    .name = "no_resource_leak",
    .summary = "repeated timeouts pile nothing up",
    .rule =
        "sockets, descriptors and threads at rest grow by <= 0.02 for each call that times out "
        "(Theil-Sen), or by <= max(5, calls at once) in all; no more sockets than that half-closed "
        "for over 5 s at one time",
    .judged =
        "copies of which 55 calls timed out, the first 5 to warm up; threads, and what may come "
        "with them, where they do not grow so with the calls of the healthy control",
    .why = "An outage of the vendor ends; a worker that has run out of descriptors stays down.",
    .change = "Make one client and use it again, and close what a timeout leaves behind.",
    .source = "RFC 9112 section 9.5; Sen, Estimates of the regression coefficient (1968)",
    .since = "0.1",
    .params = {{.name = "calls",
                .type = ParamType::Integer,
                .default_text = "50",
                .range = "10..100000",
                .help = "calls that must time out behind the warm-up"},
               {.name = "warm_up",
                .type = ParamType::Integer,
                .default_text = "5",
                .range = "0..100000",
                .help = "calls that time out before it is looked at"}},
    .severity = 56,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
