#include "server/engine/rule_book.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace mishap::server {
namespace {

using scenarios::Count;

constexpr std::size_t kPoints = static_cast<std::size_t>(Point::Idle) + 1;
constexpr std::size_t kMoments = static_cast<std::size_t>(Moment::Apply) + 1;

std::string text_of(std::string_view name, const std::optional<Count>& count) {
  if (!count) return {};
  return fmt::format(" {}={}..{}/{}", name, count->first, count->last, count->every);
}

// Two rules of one name and one content are told apart by their order among themselves alone.
std::string stream_of(const CompiledRule& compiled) {
  const scenarios::When& when = compiled.rule.when;
  std::string text = fmt::format("{} {} at {} on {}", compiled.rule.name, compiled.fault->name,
                                 scenarios::to_string(compiled.point), compiled.rule.on.text);
  text += text_of("op", when.op) + text_of("attempt", when.attempt);
  text += text_of("request", when.request) + text_of("connection", when.connection);
  text += text_of("request_on_connection", when.request_on_connection);
  text += text_of("copy", when.copy) + " " + when.during_phase;
  if (when.during) {
    text += fmt::format(" {}..{}", when.during->first.count(), when.during->second.count());
  }
  return text;
}

bool allows(const std::optional<Count>& count, std::optional<std::uint64_t> number) {
  return !count || (number && count->contains(*number));
}

Moment moment_of_decision(const std::vector<BookedRule>& rules,
                          const std::vector<std::size_t>& at_point) {
  Moment earliest = Moment::Request;
  for (const std::size_t index : at_point) {
    for (const Moment moment : rules[index].compiled.moments) earliest = std::min(earliest, moment);
  }
  return earliest;
}

}  // namespace

RuleBook::RuleBook(const scenarios::Scenario& scenario)
    : timeline_(scenario.timeline, scenario.timeline_repeats),
      by_point_(kPoints),
      decided_at_(kMoments) {
  Diagnostics diagnostics;  // the scenario has passed check_scenario
  std::map<std::string, int> seen;
  for (CompiledRule& compiled : compile_rules(scenario, diagnostics)) {
    std::string stream = stream_of(compiled);
    const int before = seen[stream]++;
    if (before > 0) stream += fmt::format(" #{}", before + 1);
    const std::size_t matcher = share(compiled.rule.on);
    const auto point = static_cast<std::size_t>(compiled.point);
    by_point_[point].push_back(rules_.size());
    matchers_[matcher].by_point[point].push_back(rules_.size());
    rules_.push_back({std::move(compiled), matcher, std::move(stream)});
  }
  sort_points();
}

std::size_t RuleBook::share(const scenarios::Matcher& matcher) {
  const auto known = std::ranges::find_if(
      matchers_, [&](const Shared& shared) { return is_equal(shared.matcher.source(), matcher); });
  if (known != matchers_.end()) return static_cast<std::size_t>(known - matchers_.begin());
  matchers_.push_back({RequestMatcher(matcher), ByPoint(kPoints)});
  paths_.add(matchers_.back().matcher.path(), matchers_.size() - 1);
  return matchers_.size() - 1;
}

void RuleBook::sort_points() {
  for (std::size_t i = 0; i < kPoints; ++i) {
    if (by_point_[i].empty()) continue;
    const Moment moment = moment_of_decision(rules_, by_point_[i]);
    decided_at_[static_cast<std::size_t>(moment)].push_back(static_cast<Point>(i));
  }
}

const std::vector<Point>& RuleBook::points_decided_at(Moment moment) const {
  return decided_at_[static_cast<std::size_t>(moment)];
}

const std::vector<std::size_t>& RuleBook::rules_at(Point point) const {
  return by_point_[static_cast<std::size_t>(point)];
}

const std::vector<std::size_t>& RuleBook::rules_at(Point point, std::size_t matcher) const {
  return matchers_[matcher].by_point[static_cast<std::size_t>(point)];
}

double RuleBook::rate(const scenarios::When& when, Duration elapsed) const {
  if (!when.rate_at_end) return when.rate;
  const auto span = timeline_.span_at(when, elapsed);
  if (!span) return when.rate;
  using Seconds = std::chrono::duration<double>;
  const double gone = Seconds(elapsed - span->first) / Seconds(span->second - span->first);
  return when.rate + (*when.rate_at_end - when.rate) * gone;
}

bool RuleBook::holds(const scenarios::When& when, const Occasion& occasion) const {
  return allows(when.op, occasion.op) && allows(when.attempt, occasion.attempt) &&
         allows(when.request, occasion.request) && allows(when.connection, occasion.connection) &&
         allows(when.request_on_connection, occasion.request_on_connection) &&
         allows(when.copy, static_cast<std::uint64_t>(occasion.copy)) &&
         timeline_.holds(when, occasion.elapsed);
}

}  // namespace mishap::server
