#include "client-tests/checks/breaker.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/calls_in_vain.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/history_index.h"

namespace mishap::client_tests {

namespace {

using Lines = std::vector<const OutcomeLine*>;

constexpr std::size_t kKnown = 5;  // calls before the first failure, for their pace

// At one instant what was seen comes before what was done.
enum class What { Failed, Succeeded, Sent };
struct Event {
  Duration at{};
  What what = What::Sent;
  std::size_t index = 0;  // of the line
};

std::vector<Event> events_of(const CallLine& line) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < line.sent.size(); ++i) {
    const Attempt& attempt = *line.sent[i].attempt;
    events.push_back({line.sent[i].at, What::Sent, i});
    const auto end = seen_to_end(attempt);
    if (!end) continue;
    if (is_transient(attempt)) events.push_back({*end, What::Failed, i});
    if (attempt.result == Result::Success) events.push_back({*end, What::Succeeded, i});
  }
  std::ranges::stable_sort(events, {}, [](const Event& event) {
    return std::pair(event.at, static_cast<int>(event.what));
  });
  return events;
}

Duration shortest_silence(const CallLine& line, Duration first_failure, Duration promised) {
  const Duration open = promised * 8 / 10;
  const std::size_t before = line.first_from(first_failure);
  if (before < kKnown) return open;
  const Duration span = line.sent[before - 1].at - line.sent.front().at;
  return std::max(open, 5 * span / static_cast<Duration::rep>(before - 1));
}

std::optional<Duration> typical_of(const Lines& lines) {
  std::vector<double> milliseconds;
  for (const OutcomeLine* line : lines) {
    if (line->duration_ms) milliseconds.push_back(*line->duration_ms);
  }
  if (milliseconds.empty()) return std::nullopt;
  const auto middle = milliseconds.begin() + static_cast<std::ptrdiff_t>(milliseconds.size() / 2);
  std::ranges::nth_element(milliseconds, middle);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(*middle));
}

class Teller {
 public:
  Teller(const CallLine& line, const Unsent& unsent, std::size_t min_calls)
      : unsent_(unsent), min_calls_(min_calls) {
    story_.line = &line;
  }

  BreakerStory tell(Duration promised, Duration end) {
    const auto events = events_of(*story_.line);
    const auto failure = std::ranges::find(events, What::Failed, &Event::what);
    if (failure == events.end()) return story_;
    story_.first_failure = failure->at;
    shortest_ = shortest_silence(*story_.line, failure->at, promised);
    for (const Event& event : events) take(event);
    if (failing_ > 0) end_silence(end, story_.line->sent.size());
    return story_;
  }

 private:
  void take(const Event& event) {
    if (event.what == What::Failed) {
      ++failing_;
      ++story_.failures;
    } else if (event.what == What::Succeeded) {
      failing_ = regardless_ = 0;
    } else {
      if (failing_ > 0) end_silence(event.at, event.index);
      last_ = event.at;
      if (failing_ >= min_calls_) ++regardless_;
      if (regardless_ > story_.regardless) {
        story_.regardless = regardless_;
        story_.last_of_these = event.index;
      }
    }
  }

  void end_silence(Duration at, std::size_t next) {
    if (at - last_ < shortest_) return;
    const Lines told = unsent_.between(story_.line->lane, last_, at);
    story_.silences.push_back({last_, at, next, failing_, told.size(), typical_of(told)});
    regardless_ = 0;
    failing_ = 1;  // what is sent next is sent to a vendor that is ill, as far as anybody knows
  }

  BreakerStory story_;
  const Unsent& unsent_;
  std::size_t min_calls_;
  Duration shortest_{};
  Duration last_{};
  std::size_t failing_ = 0;
  std::size_t regardless_ = 0;
};

}  // namespace

// One pass over all lines, however many copies wrote them.
Unsent::Unsent(const Case& c) {
  if (!uses_wire_names(c)) return;
  const LaneLines& lanes = lane_lines(c.history);
  std::map<int, std::unordered_set<std::string_view>> told;
  std::map<int, bool> is_seen;
  const auto& orphans = c.history.orphan_outcomes;
  for (auto line = orphans.rbegin(); line != orphans.rend(); ++line) {
    const int lane = (*line)->copy;
    const auto [seen, is_new] = is_seen.try_emplace(lane);
    // A request that was not read whole may be the one that a line is about.
    if (is_new) {
      seen->second = lanes.of(lane).was_read_whole() && !may_have_called_in_vain(c.recording, lane);
    }
    if (!seen->second) continue;
    if (told[lane].insert((*line)->operation).second) lines_[lane].push_back(*line);
  }
  for (auto& [lane, lines] : lines_) std::ranges::reverse(lines);
}

Lines Unsent::between(int lane, Duration from, Duration to) const {
  const auto lines = lines_.find(lane);
  if (lines == lines_.end()) return {};
  const auto first = std::ranges::lower_bound(lines->second, from, {}, &OutcomeLine::at);
  const auto end = std::ranges::lower_bound(lines->second, to, {}, &OutcomeLine::at);
  return first < end ? Lines(first, end) : Lines();
}

std::vector<BreakerStory> tell_breakers(const Case& c, const CallLines& lines, const Unsent& unsent,
                                        Duration promised, std::size_t min_calls) {
  std::vector<BreakerStory> stories;
  for (const CallLine& line : lines.all()) {
    Teller teller(line, unsent, min_calls);
    BreakerStory story = teller.tell(promised, own_until(c.recording, line.lane));
    if (story.first_failure) stories.push_back(std::move(story));
  }
  return stories;
}

}  // namespace mishap::client_tests
