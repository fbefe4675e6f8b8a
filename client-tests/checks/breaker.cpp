#include "client-tests/checks/breaker.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/calls_in_vain.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/lane_health.h"

namespace mishap::client_tests {

namespace {

using Lines = std::vector<const OutcomeLine*>;

constexpr Duration kSampled = std::chrono::seconds(30);  // what a breaker by time looks back on
constexpr std::size_t kKnown = 5;  // calls before the first failure, for their pace

// At one instant what was seen comes before what was done.
enum class What { Failed, Lost, Succeeded, Sent };  // lost: an operation that failed for good
struct Event {
  Duration at{};
  What what = What::Sent;
  std::size_t index = 0;  // of the line
};

std::vector<Event> events_of(const Case& c, const CallLine& line) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < line.sent.size(); ++i) {
    const Attempt& attempt = *line.sent[i].attempt;
    events.push_back({line.sent[i].at, What::Sent, i});
    if (line.sent[i].begins) {
      const auto lost = failed_for_good_at(c, *line.sent[i].operation);
      if (lost) events.push_back({*lost, What::Lost, i});
    }
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
  const Duration open = promised / 2;  // what was under way when it opened takes its part of it
  const std::size_t before = line.first_from(first_failure);
  if (before < kKnown) return open;
  const Duration span = line.sent[before - 1].at - line.sent.front().at;
  return std::max(open, 5 * span / static_cast<Duration::rep>(before - 1));
}

// Between its attempts too: what waits for the next one may hold what others are sent with.
Duration under_way_until(const Operation& operation) {
  Duration until{};
  for (const Attempt& attempt : operation.attempts) {
    until = std::max(until, seen_to_end(attempt).value_or(Duration::max()));
  }
  return until;
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
  Teller(const CallLine& line, const Unsent& unsent, const LaneHealth& health,
         std::size_t min_calls)
      : unsent_(unsent), health_(health), min_calls_(min_calls) {
    story_.line = &line;
  }

  BreakerStory tell(const Case& c, Duration promised) {
    const CallLine& line = *story_.line;
    const auto events = events_of(c, line);
    const auto failure = std::ranges::find(events, What::Failed, &Event::what);
    if (failure == events.end()) return story_;
    story_.first_failure = failure->at;
    shortest_ = shortest_silence(line, failure->at, promised);
    for (const Event& event : events) take(event);
    if (!failing_.empty()) look_back(own_until(c.recording, line.lane), line.sent.size());
    return story_;
  }

 private:
  void take(const Event& event) {
    switch (event.what) {
      case What::Failed:
        ++story_.failures;
        ++failures_;
        failing_.insert(story_.line->sent[event.index].operation->number);
        return;
      case What::Lost:
        return lost_.push_back(event.at);
      case What::Succeeded:
        failing_.clear();
        return begin_stretch();
      case What::Sent:
        if (!failing_.empty()) look_back(event.at, event.index);
        return send(event);
    }
  }

  void send(const Event& event) {
    const Sent& sent = story_.line->sent[event.index];
    last_ = event.at;
    if (failures_ >= min_calls_) story_.attempts.see(++attempts_, event.index);
    if (!sent.begins) return;
    busy_until_ = std::max(busy_until_, under_way_until(*sent.operation));
    if (had_to_be_open(event.at)) story_.operations.see(++operations_, event.index);
  }

  bool had_to_be_open(Duration at) {
    while (!lost_.empty() && lost_.front() < at - kSampled) lost_.pop_front();
    return lost_.size() >= min_calls_ &&
           health_.is_mostly_ill(story_.line->lane, at - kSampled, at);
  }

  void look_back(Duration at, std::size_t next) {
    if (at - last_ < shortest_) return;
    if (at - busy_until_ >= shortest_) add_silence(at, next);
    begin_stretch();
  }

  void add_silence(Duration at, std::size_t next) {
    const CallLine& line = *story_.line;
    const Lines told = unsent_.between(line.lane, busy_until_, at);
    Silence silence{busy_until_, at, next, failing_.size(), told.size(), typical_of(told)};
    silence.other_trouble =
        silence.looks_open() && health_.is_another_in_trouble(line, busy_until_, at);
    story_.silences.push_back(silence);
  }

  void begin_stretch() {
    lost_.clear();
    failures_ = attempts_ = operations_ = 0;
  }

  BreakerStory story_;
  const Unsent& unsent_;
  const LaneHealth& health_;
  std::size_t min_calls_;
  Duration shortest_{};
  Duration last_{};
  Duration busy_until_{};
  std::unordered_set<std::uint64_t> failing_;  // operations with a failure since the last success
  // In this stretch.
  std::deque<Duration> lost_;
  std::size_t failures_ = 0;
  std::size_t attempts_ = 0;
  std::size_t operations_ = 0;
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
  const LaneHealth health(c, lines);
  for (const CallLine& line : lines.all()) {
    BreakerStory story = Teller(line, unsent, health, min_calls).tell(c, promised);
    if (story.first_failure) stories.push_back(std::move(story));
  }
  return stories;
}

}  // namespace mishap::client_tests
