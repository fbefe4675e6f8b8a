#include "client-tests/checks/calls_in_vain.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_set>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"

namespace mishap::client_tests {

namespace {

bool was_shown_out(const server::Connection& connection, int lane) {
  return connection.lane == lane && connection.exchanges == 0 && !connection.rules.empty();
}

bool went_unheard(const server::ListenerSpell& spell, int lane) {
  return spell.lane == lane && spell.what != "limited" && !spell.heard;
}

// By method: what is in a path may be the client's new id.
std::map<std::string, std::size_t> calls_by_method(const History& history, int lane) {
  std::map<std::string, std::size_t> calls;
  for (const Operation* operation : operations_of(history, lane)) {
    if (!is_lookup(*operation)) ++calls[operation->method];
  }
  return calls;
}

// Its answer, or the client's word about it where that came later.
Duration over_at(const Operation& operation) {
  const server::Exchange& last = *operation.attempts.back().exchange;
  Duration over = last.receipt.last_write.value_or(last.first_byte);
  if (!operation.outcomes.empty()) over = std::max(over, operation.outcomes.back()->at);
  return over;
}

}  // namespace

std::vector<const server::TurnedAway*> turned_away(const Recording& recording, int lane) {
  std::vector<const server::TurnedAway*> found;
  for (const auto& one : recording.journal.turned_away) {
    if (one.lane == lane) found.push_back(&one);
  }
  return found;
}

std::string turned_away_words(const Recording& recording, int lane) {
  const auto all = turned_away(recording, lane);
  std::string how = "came to nothing";
  for (const auto& spell : recording.journal.spells) {
    if (all.empty() || spell.number != all.back()->spell) continue;
    if (spell.what == "refused") how = all.size() == 1 ? "was refused" : "were refused";
    if (spell.what == "unanswered")
      how = all.size() == 1 ? "was not answered" : "were not answered";
  }
  return counted(all.size(), "connect") + " " + how;
}

bool may_have_called_in_vain(const Recording& recording, int lane) {
  const auto& journal = recording.journal;
  return !turned_away(recording, lane).empty() ||
         std::ranges::any_of(journal.connections,
                             [&](const auto& one) { return was_shown_out(one, lane); }) ||
         std::ranges::any_of(journal.spells,
                             [&](const auto& spell) { return went_unheard(spell, lane); });
}

bool all_heard(const Recording& recording, int lane) {
  return std::ranges::none_of(recording.journal.spells,
                              [&](const auto& spell) { return went_unheard(spell, lane); });
}

bool works_in_sequence(const Case& c, int lane) {
  constexpr std::size_t kEnough = 3;
  if (!c.control_history) return false;
  std::vector<std::pair<Duration, Duration>> spans;
  for (const Operation* operation : operations_of(*c.control_history, lane_in_control(c, lane))) {
    spans.emplace_back(operation->attempts.front().exchange->first_byte, over_at(*operation));
  }
  std::ranges::sort(spans);
  if (spans.size() < kEnough) return false;
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second) return false;
  }
  return true;
}

bool uses_wire_names(const Case& c) {
  return c.control && !c.control->outcomes.empty() && c.control_history->orphan_outcomes.empty();
}

std::vector<const OutcomeLine*> unheard_operations(const Case& c, int lane) {
  // A request that was not read whole may be the one that a line is about.
  if (!uses_wire_names(c) || !lane_lines(c.history).of(lane).was_read_whole()) return {};
  std::vector<const OutcomeLine*> last;
  std::unordered_set<std::string_view> told;
  for (const OutcomeLine* line : c.history.orphan_outcomes | std::views::reverse) {
    if (line->copy == lane && told.insert(line->operation).second) last.push_back(line);
  }
  std::ranges::reverse(last);
  return last;
}

CallCount count_calls(const Case& c, int lane) {
  // Whatever they were for: a read of the good day looks for the effect where its create was in
  // doubt.
  CallCount count{.seen = operations_of(c.history, lane).size()};
  if (!c.control_history) return count;
  count.usual = operations_of(*c.control_history, lane_in_control(c, lane)).size();
  return count;
}

bool none_is_missing(const Case& c, int lane) {
  if (!c.control_history || !unheard_operations(c, lane).empty()) return false;
  const bool any_apart = std::ranges::any_of(
      operations_of(c.history, lane),
      [&](const Operation* operation) { return may_have_retried_apart(c, *operation); });
  if (any_apart) return false;
  const auto seen = calls_by_method(c.history, lane);
  const auto usual = calls_by_method(*c.control_history, lane_in_control(c, lane));
  return std::ranges::all_of(usual, [&](const auto& entry) {
    const auto found = seen.find(entry.first);
    return found != seen.end() && found->second >= entry.second;
  });
}

}  // namespace mishap::client_tests
