#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/call_lines.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/tally.h"

// One stalled dependency does not starve another.
namespace mishap::client_tests {

namespace {

constexpr double kKept = 0.8;
constexpr double kPaced = 2;    // calls a second on a good day
constexpr double kEnough = 10;  // calls to be expected while the other stalls
constexpr std::size_t kAtOnce = 2;

struct Window {
  Duration from{};
  Duration to{};
  Duration length() const { return to - from; }
};

bool stalls(const Attempt& attempt) {
  return was_faulted(attempt) &&
         (attempt.result == Result::Abandoned || attempt.result == Result::Unanswered);
}

// From the first attempt that a fault left without an answer to the end of the last; nothing where
// never two of them were under way at once: then there is no pool.
std::optional<Window> stalled_window(const Case& c, const CallLine& line) {
  std::vector<std::pair<Duration, int>> changes;
  for (const Sent& sent : line.sent) {
    if (!stalls(*sent.attempt)) continue;
    changes.emplace_back(sent.at, 1);
    changes.emplace_back(sent.attempt->abandoned_at.value_or(own_until(c.recording, line.lane)),
                         -1);
  }
  if (changes.empty()) return std::nullopt;
  std::ranges::sort(changes);  // an end comes before a beginning
  int at_once = 0;
  int most = 0;
  for (const auto& change : changes) most = std::max(most, at_once += change.second);
  if (most < static_cast<int>(kAtOnce)) return std::nullopt;
  return Window{changes.front().first, changes.back().first};
}

bool was_ill(const CallLine& line, const Window& window) {
  return std::ranges::any_of(line.sent, [&](const Sent& sent) {
    return sent.at >= window.from && sent.at < window.to && was_faulted(*sent.attempt);
  });
}

std::size_t served(const CallLine& line, const Window& window) {
  return static_cast<std::size_t>(std::ranges::count_if(line.sent, [&](const Sent& sent) {
    const auto end = seen_to_end(*sent.attempt);
    return sent.attempt->result == Result::Success && end && *end >= window.from &&
           *end < window.to;
  }));
}

std::size_t begun(const CallLine& line) {
  return static_cast<std::size_t>(std::ranges::count(line.sent, true, &Sent::begins));
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c), lines_(c.history), usual_(*c.control_history) {}

  Finding judge() {
    std::map<int, std::vector<const CallLine*>> by_lane;
    for (const CallLine& line : lines_.all()) by_lane[line.lane].push_back(&line);
    for (const auto& [lane, lines] : by_lane) {
      const CallLine* stalled = nullptr;
      Window longest;
      for (const CallLine* line : lines) {
        const auto window = stalled_window(case_, *line);
        if (!window || (stalled && window->length() <= longest.length())) continue;
        stalled = line;
        longest = *window;
      }
      if (stalled) compare(*stalled, longest, lines);
    }
    return std::move(tally_).settle(
        {.failed = "one dependency that stalls starves another",
         .reason = "Calls to what was well waited for workers that were held by what was not.",
         .held = "other calls go on while one dependency stalls",
         .none = "no two calls stalled at once, and for long enough, beside another route that is "
                 "called "
                 "twice a second"});
  }

 private:
  void compare(const CallLine& stalled, const Window& window,
               const std::vector<const CallLine*>& lines) {
    for (const CallLine* other : lines) {
      if (other == &stalled || was_ill(*other, window)) continue;
      const CallLine* usual = usual_line(case_, usual_, *other);
      const auto pace = usual ? pace_of(*usual) : std::nullopt;
      if (!pace || pace->per_second < kPaced) continue;
      compare(stalled, *other, while_it_works(*other, *usual, window), *pace);
    }
  }

  // What has been begun as often as on the good day is done.
  static Window while_it_works(const CallLine& line, const CallLine& usual, Window window) {
    if (begun(line) >= begun(usual)) window.to = std::min(window.to, line.sent.back().at);
    return window;
  }

  void compare(const CallLine& stalled, const CallLine& other, const Window& window,
               const Pace& pace) {
    const double expected = pace.per_second * seconds_of(window.length());
    // A good day that is over sooner has no rate that could be kept up for so long.
    if (pace.span < window.length() || expected < kEnough) return;
    const std::size_t count = served(other, window);
    const bool kept = static_cast<double>(count) >= kKept * expected;
    Witness cited =
        witness_of(other, other.first_from(window.from), other.first_from(window.to),
                   fmt::format("{}: {} served in the {} in which {} stalled {} {:.0f} % of {:.0f}",
                               other.name(), count, seconds(window.length()), stalled.name(),
                               kept ? ">=" : "<", 100 * kKept, expected));
    kept ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  const Case& case_;
  CallLines lines_;
  CallLines usual_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (!c.control_history) return not_applicable("there is no healthy control to compare with");
  return Judge(c).judge();
}

}  // namespace

const CheckDescriptor kBulkheadIsolated = {
    .name = "bulkhead_isolated",
    .summary = "one stalled dependency does not starve another",
    .rule = "while one route stalls, calls served on another >= 80 % of the control's rate",
    .judged =
        "clients that had two calls or more stalled at once, and that call another route, which is "
        "well, at least twice a second and for as long on the good day",
    .why = "Where all share one pool, the slowest vendor decides for all of them.",
    .change = "Give each dependency workers or connections of its own, and refuse what finds none.",
    .source = "Azure, Bulkhead pattern; Resilience4j, bulkhead; Gremlin (bulkhead assertion)",
    .since = "0.1",
    .severity = 45,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
