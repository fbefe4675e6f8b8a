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

// Each call of the one came behind an answer of the other, as often as both are made: it may need
// what the answer said, and then nothing can be done without it. Two that only take turns look
// alike.
bool may_need(const CallLine& line, const CallLine& other, std::size_t each) {
  std::vector<Duration> answers;
  for (const Sent& sent : other.sent) {
    const auto end = seen_to_end(*sent.attempt);
    if (end && sent.attempt->result == Result::Success) answers.push_back(*end);
  }
  std::ranges::sort(answers);
  const auto begins = begins_of(line);
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const std::size_t needed = k / each;
    if (needed >= answers.size() || begins[k] < answers[needed]) return false;
  }
  return true;
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
      const Window working = while_it_works(*other, *usual, window);
      // A good day that is over sooner has no rate that could be kept up for so long.
      if (working.length() <= Duration{} || pace->span < working.length()) continue;
      compare(stalled, *other, *usual, working);
    }
  }

  // On the good day and here.
  bool may_need_each_other(const CallLine& other, const CallLine& usual,
                           const CallLine& stalled) const {
    const CallLine* stalled_usual = usual_line(case_, usual_, stalled);
    if (stalled_usual == nullptr) return false;
    const std::size_t answers = std::max<std::size_t>(1, begun(*stalled_usual));
    const std::size_t each = (begun(usual) + answers - 1) / answers;
    return may_need(usual, *stalled_usual, each) && may_need(other, stalled, each);
  }

  // What has been begun as often as on the good day is done.
  static Window while_it_works(const CallLine& line, const CallLine& usual, Window window) {
    if (begun(line) >= begun(usual)) window.to = std::min(window.to, line.sent.back().at);
    return window;
  }

  void compare(const CallLine& stalled, const CallLine& other, const CallLine& usual,
               const Window& window) {
    const auto expected =
        static_cast<double>(stretches_of(begins_of(usual), window.length()).fewest);
    if (expected < kEnough) return;
    const std::size_t count = served(other, window);
    const bool kept = static_cast<double>(count) >= kKept * expected;
    Witness cited =
        witness_of(other, other.first_from(window.from), other.first_from(window.to),
                   fmt::format("{}: {} served in the {} in which {} stalled {} {:.0f} % of {:.0f}",
                               other.name(), count, seconds(window.length()), stalled.name(),
                               kept ? ">=" : "<", 100 * kKept, expected));
    if (kept) {
      tally_.held(std::move(cited));
    } else if (may_need_each_other(other, usual, stalled)) {
      tally_.open("each call came behind an answer of the route that stalled, and may need it",
                  std::move(cited));
    } else {
      tally_.broke(std::move(cited));
    }
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
    .rule =
        "while one route stalls, calls served on another >= 80 % of those of the control's "
        "emptiest "
        "stretch of that length",
    .judged =
        "clients that had two calls or more stalled at once, and that call another route, which is "
        "well, at least twice a second and for as long on the good day",
    .why = "Where all share one pool, the slowest vendor decides for all of them.",
    .change = "Give each dependency workers or connections of its own, and refuse what finds none.",
    .source = "Azure, Bulkhead pattern; Resilience4j, bulkhead; Gremlin (bulkhead assertion)",
    .since = "0.1",
    .timing = true,
    .severity = 45,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
