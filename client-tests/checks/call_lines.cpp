#include "client-tests/checks/call_lines.h"

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/control_habit.h"

namespace mishap::client_tests {

namespace {

constexpr std::size_t kPaced = 10;

// "/v1/bookings/bk_7" -> "/v1/bookings/:id". What has no digit in it may be a route of its own.
std::string collection_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return path;
  const bool has_digit = std::any_of(path.begin() + static_cast<std::ptrdiff_t>(slash), path.end(),
                                     [](char c) { return c >= '0' && c <= '9'; });
  return has_digit ? path.substr(0, slash) + "/:id" : path;
}

}  // namespace

double seconds_of(Duration value) {
  return std::chrono::duration<double>(value).count();
}

std::size_t CallLine::first_from(Duration instant) const {
  const auto found = std::ranges::lower_bound(sent, instant, {}, &Sent::at);
  return static_cast<std::size_t>(found - sent.begin());
}

std::size_t CallLine::sent_between(Duration from, Duration to) const {
  const std::size_t first = first_from(from);
  const std::size_t end = first_from(to);
  return end > first ? end - first : 0;
}

std::optional<Pace> pace_of(const CallLine& line) {
  Pace pace;
  Duration first{};
  Duration last{};
  for (const Sent& sent : line.sent) {
    if (!sent.begins) continue;
    if (pace.operations == 0) first = sent.at;
    last = sent.at;
    ++pace.operations;
  }
  pace.span = last - first;
  if (pace.operations < kPaced || pace.span < std::chrono::seconds(1)) return std::nullopt;
  pace.per_second = static_cast<double>(pace.operations - 1) / seconds_of(pace.span);
  return pace;
}

CallLines::CallLines(const History& history) {
  for (const Operation& operation : history.operations) {
    if (operation.attempts.empty() || is_lookup(operation)) continue;
    std::tuple key(operation.lane, operation.method, collection_of(operation.path));
    const auto [place, is_new] = places_.try_emplace(std::move(key), lines_.size());
    if (is_new) {
      const auto& [lane, method, path] = place->first;
      lines_.push_back({lane, method, path, {}});
    }
    bool begins = true;
    for (const Attempt& attempt : operation.attempts) {
      if (attempt.transport_resend) continue;
      lines_[place->second].sent.push_back(
          {attempt.exchange->first_byte, &operation, &attempt, begins});
      begins = false;
    }
  }
  for (CallLine& line : lines_) std::ranges::stable_sort(line.sent, {}, &Sent::at);
}

const CallLine* CallLines::find(int lane, const std::string& method,
                                const std::string& path) const {
  const auto found = places_.find({lane, method, path});
  return found == places_.end() ? nullptr : &lines_[found->second];
}

const CallLine* usual_line(const Case& c, const CallLines& control, const CallLine& line) {
  return control.find(lane_in_control(c, line.lane), line.method, line.path);
}

std::optional<Duration> seen_to_end(const Attempt& attempt) {
  if (attempt.failed_at) return attempt.failed_at;
  return answered(attempt) ? attempt.exchange->receipt.last_write : attempt.abandoned_at;
}

Stretch stretches_of(const std::vector<Duration>& instants, Duration length) {
  if (instants.empty() || instants.back() - instants.front() < length) return {};
  Stretch stretch{.fewest = instants.size(), .most = 0};
  std::size_t within = 0;  // the first that is behind [from, from + length)
  std::size_t behind = 0;  // the first that is behind (from, from + length]
  for (std::size_t i = 0; i < instants.size(); ++i) {
    const Duration end = instants[i] + length;
    while (within < instants.size() && instants[within] < end) ++within;
    while (behind < instants.size() && instants[behind] <= end) ++behind;
    stretch.most = std::max(stretch.most, within - i);
    if (end <= instants.back()) stretch.fewest = std::min(stretch.fewest, behind - i - 1);
  }
  return stretch;
}

std::vector<Duration> begins_of(const CallLine& line) {
  std::vector<Duration> begins;
  for (const Sent& sent : line.sent) {
    if (sent.begins) begins.push_back(sent.at);
  }
  return begins;
}

Witness witness_of(const CallLine& line, std::size_t first, std::size_t end,
                   std::string statement) {
  constexpr std::size_t kCited = 4;
  Witness made;
  made.statement = std::move(statement);
  end = std::min({end, line.sent.size(), first + kCited});
  for (std::size_t i = first; i < end; ++i) {
    made.exchanges.push_back(line.sent[i].attempt->exchange->number);
  }
  if (first < end) made.operation = line.sent[first].operation->number;
  return made;
}

}  // namespace mishap::client_tests
