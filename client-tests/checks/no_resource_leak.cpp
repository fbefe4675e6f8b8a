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
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"
#include "client-tests/statistics/theil_sen.h"

// Timeouts that come again and again do not pile anything up.
namespace mishap::client_tests {

namespace {

constexpr double kSlope = 0.02;  // for each call that timed out
constexpr std::uint64_t kSomePool = 5;
constexpr std::size_t kStates = 10;  // fewer points make no line
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

// The most that the copy had under way at once: as many connections it may keep.
std::uint64_t most_at_once(const Case& c, int lane) {
  std::vector<std::pair<Duration, int>> turns;
  for (const server::Exchange* exchange : lane_lines(c.history).of(lane).exchanges()) {
    const auto& receipt = exchange->receipt;
    turns.emplace_back(exchange->first_byte, 1);
    turns.emplace_back(receipt.ended.value_or(receipt.departed.value_or(c.recording.length)), -1);
  }
  std::ranges::sort(turns);
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [at, turn] : turns) most = std::max(most, now += turn);
  return static_cast<std::uint64_t>(most);
}

// One point for each number of calls that had timed out: the least that was there meanwhile, since
// what a call needs while it runs is no leak.
std::vector<statistics::Point> at_rest(const std::vector<ProcessSample>& series,
                                       const std::vector<Duration>& timeouts, std::size_t warm_up,
                                       Duration until, std::uint64_t ProcessSample::*count) {
  std::vector<statistics::Point> points;
  for (const ProcessSample& sample : series) {
    if (sample.at > until) break;
    const auto over =
        static_cast<std::size_t>(std::ranges::upper_bound(timeouts, sample.at) - timeouts.begin());
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
    const std::uint64_t pool = std::max(kSomePool, most_at_once(case_, lane));
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
    if (is_steep && is_more) {
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

  // A pool may not have looked yet; more than it holds are forgotten.
  void judge_half_closed(int lane, const ProcessFacts& process, std::uint64_t pool) {
    const auto is_forgotten = [](const SocketSeen& socket) {
      return socket.half_closed_since && socket.last_seen - *socket.half_closed_since > kHalfClosed;
    };
    const auto count =
        static_cast<std::uint64_t>(std::ranges::count_if(process.sockets, is_forgotten));
    if (count == 0) return;
    std::string what = fmt::format("copy {}: {} that the server had ended kept for more than {}",
                                   lane, counted(count, "socket"), seconds(kHalfClosed));
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
        "for over 5 s",
    .judged = "copies of which 55 calls timed out, the first 5 to warm up",
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
