#include "client-tests/verdict/timeline.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "client-tests/checks/history_index.h"
#include "client-tests/checks/lives.h"
#include "client-tests/verdict/timeline_text.h"

namespace mishap::client_tests {

using server::Ending;
using server::Exchange;

namespace {

constexpr std::size_t kOperationsShown = 3;
constexpr std::size_t kHeadShown = 14;
constexpr std::size_t kTailShown = 6;

using Lines = std::vector<TimelineLine>;

// Where those with these numbers stand, in the order of the journal.
template <typename Records>
std::vector<std::size_t> places_of(const ByNumber<Records>& records,
                                   const std::vector<std::uint64_t>& numbers) {
  std::vector<std::size_t> places;
  for (const std::uint64_t number : numbers) {
    if (const auto place = records.place_of(number)) places.push_back(*place);
  }
  std::ranges::sort(places);
  return places;
}

// The first operations that the finding names, in the order in which it names them. A finding may
// name a million.
class CitedOperations {
 public:
  CitedOperations(const Recording& recording, const History& history)
      : journal_(recording.journal),
        exchanges_(exchanges_by_number(history)),
        effects_(recording.journal.effects) {}

  std::vector<std::uint64_t> first_of(const Finding& finding) {
    for (const Witness& witness : finding.witnesses) {
      if (is_full()) break;
      cite(witness);
    }
    return cited_;
  }

 private:
  bool is_full() const { return cited_.size() == kOperationsShown; }

  void cite(std::uint64_t number) {
    const bool known = std::ranges::find(cited_, number) != cited_.end();
    if (number != 0 && !known && !is_full()) cited_.push_back(number);
  }

  void cite(const Witness& witness) {
    cite(witness.operation);
    for (const std::size_t place : places_of(exchanges_, witness.exchanges)) {
      const Exchange& exchange = journal_.exchanges[place];
      cite(exchange.identity.operation);
      if (witness.operation != 0) continue;
      for (const server::BatchItem& item : exchange.items) cite(item.identity.operation);
    }
    for (const std::size_t place : places_of(effects_, witness.effects)) {
      cite(journal_.effects[place].operation);
    }
  }

  const server::Journal& journal_;
  const ExchangesByNumber& exchanges_;
  ByNumber<decltype(server::Journal::effects)> effects_;
  std::vector<std::uint64_t> cited_;
};

std::unordered_set<std::uint64_t> cited_exchanges(const Finding& finding) {
  std::unordered_set<std::uint64_t> cited;
  for (const Witness& witness : finding.witnesses) {
    cited.insert(witness.exchanges.begin(), witness.exchanges.end());
  }
  return cited;
}

void add_strays(const Finding& finding, const History& history, Lines& lines) {
  if (history.unmatched.empty()) return;
  const auto cited = cited_exchanges(finding);
  for (const Exchange* stray : history.unmatched) {
    if (!cited.contains(stray->number)) continue;
    lines.push_back({stray->first_byte, stray->number, stray_text(*stray)});
  }
}

// An effect that the client could not have been told of stands apart, at its own time.
bool is_late(const server::Effect& effect, const Attempt& attempt) {
  return attempt.failed_at && effect.at > *attempt.failed_at;
}

void add_our_end(const Exchange& exchange, Lines& lines) {
  const auto& receipt = exchange.receipt;
  const bool ended = receipt.ending == Ending::Reset || receipt.ending == Ending::Closed;
  if (ended && receipt.ended) {
    lines.push_back({*receipt.ended, exchange.number, our_end_text(exchange)});
  }
}

// The driver's signal closes the client's sockets: that is no act of the client's.
bool was_our_doing(const Recording& recording, const Exchange& exchange) {
  constexpr Duration kGrace = std::chrono::milliseconds(700);  // from SIGTERM to SIGKILL and after
  const int life = Lives(recording, exchange.lane).at(exchange.first_byte);
  return std::ranges::any_of(recording.processes, [&](const ProcessFacts& process) {
    const bool by_itself = process.stop == Stop::Exited || process.stop == Stop::Signalled;
    return !by_itself && process.copy == exchange.lane && process.life == life &&
           *exchange.receipt.departed >= process.told_to_end.value_or(process.ended - kGrace);
  });
}

void add_departure(const Recording& recording, const Attempt& attempt, Lines& lines) {
  const Exchange& exchange = *attempt.exchange;
  const auto& receipt = exchange.receipt;
  if (!receipt.departed || receipt.departure == server::Departure::None) return;
  const bool owed = attempt.result == Result::Abandoned;
  if (attempt.cut_by_signal) return;  // the signal itself is told
  const auto text = was_our_doing(recording, exchange) ? std::string("mishap ended the client")
                                                       : departure_text(exchange, owed);
  lines.push_back({*receipt.departed, exchange.number, text});
}

void add_attempt(const Recording& recording, const Operation& operation, const Attempt& attempt,
                 Lines& lines) {
  const Exchange& exchange = *attempt.exchange;
  std::vector<const server::Effect*> in_time;
  for (const auto* effect : operation.effects) {
    if (effect->exchange != exchange.number) continue;
    if (is_late(*effect, attempt)) {
      lines.push_back({effect->at, exchange.number, effect_text(*effect) + ", afterwards"});
    } else {
      in_time.push_back(effect);
    }
  }
  const Exchange& first = *operation.attempts.front().exchange;
  lines.push_back({exchange.first_byte, exchange.number, request_text(attempt, first, in_time)});
  add_our_end(exchange, lines);
  add_departure(recording, attempt, lines);
}

void add_operation(const Recording& recording, const Operation& operation, Lines& lines) {
  for (const Attempt& attempt : operation.attempts) {
    add_attempt(recording, operation, attempt, lines);
  }
  for (const Exchange* lookup : operation.lookups) {
    lines.push_back({lookup->first_byte, lookup->number, lookup_text(*lookup)});
  }
  for (const OutcomeLine* line : operation.outcomes) {
    lines.push_back({line->at, 0, outcome_text(*line)});
  }
}

std::set<int> lanes_of(const History& history, const std::vector<std::uint64_t>& cited) {
  std::set<int> lanes;
  for (const Operation& operation : history.operations) {
    if (std::ranges::find(cited, operation.number) != cited.end()) lanes.insert(operation.lane);
  }
  return lanes;
}

// What the scenario did to the client of the cited operations; where none is cited, to all.
void add_lives(const Recording& recording, const std::set<int>& lanes, Lines& lines) {
  int run = 1;
  for (const ProcessFacts& process : recording.processes) {
    if (!lanes.empty() && !lanes.contains(process.copy)) continue;
    if (process.life == 1) continue;
    const bool is_next = process.run > run;
    run = std::max(run, process.run);
    lines.push_back({process.started, 0,
                     is_next ? "the client is run again, and nothing goes wrong any more"
                             : "the client is started again"});
  }
  for (const Exchange& exchange : recording.journal.exchanges) {
    if (!lanes.empty() && !lanes.contains(exchange.lane)) continue;
    for (const server::ClientSignal& signal : exchange.receipt.signals) {
      if (signal.sent) lines.push_back({*signal.sent, exchange.number, signal_text(signal)});
    }
  }
}

// Another spell of the same listener begins where this one ends.
bool gives_way(const Recording& recording, const server::ListenerSpell& spell) {
  constexpr Duration kOneInstant = std::chrono::milliseconds(5);
  return std::ranges::any_of(recording.journal.spells, [&](const server::ListenerSpell& other) {
    return other.number > spell.number && other.lane == spell.lane && other.api == spell.api &&
           other.began && *other.began - *spell.ended < kOneInstant;
  });
}

// What no operation stands for: who was turned away, and what is said of calls that never came.
// Told of the lanes of the cited operations; where none is cited, of all.
void add_turned_away(const Recording& recording, const History& history,
                     const std::vector<std::uint64_t>& cited, Lines& lines) {
  const std::set<int> lanes = lanes_of(history, cited);
  const auto is_told = [&](int lane) { return lanes.empty() || lanes.contains(lane); };
  for (const auto& spell : recording.journal.spells) {
    if (!is_told(spell.lane) || !spell.began) continue;
    lines.push_back({*spell.began, 0, spell_text(spell)});
    if (spell.ended && !gives_way(recording, spell)) {
      lines.push_back({*spell.ended, 0, "connections are taken again"});
    }
  }
  for (const auto& one : recording.journal.turned_away) {
    if (is_told(one.lane)) lines.push_back({one.at, 0, "a connect came to nothing"});
  }
  if (recording.journal.turned_away.empty()) return;
  for (const OutcomeLine* line : history.orphan_outcomes) {
    if (is_told(line->copy)) lines.push_back({line->at, 0, unheard_text(*line)});
  }
}

void cut_middle(Lines& lines) {
  if (lines.size() <= kHeadShown + kTailShown + 1) return;
  const auto left_out = lines.size() - kHeadShown - kTailShown;
  const auto first = lines.begin() + static_cast<std::ptrdiff_t>(kHeadShown);
  TimelineLine gap{first->at, 0, fmt::format("… {} moments left out", left_out)};
  lines.erase(first, first + static_cast<std::ptrdiff_t>(left_out));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(kHeadShown), std::move(gap));
}

bool is_lookup(const TimelineLine& line) {
  return line.text.find("  looks for it  -> ") != std::string::npos;
}

bool is_request(const TimelineLine& line) {
  return line.text.find("  -> ") != std::string::npos;
}

// A lookup that is cited itself and looked for a cited operation would be told twice, and what
// became of a batch once for each of its items that is told of.
bool says_the_same(const TimelineLine& one, const TimelineLine& other) {
  if (one.exchange == 0 || one.exchange != other.exchange || one.at != other.at) return false;
  if (one.text == other.text) return true;
  return is_request(one) && is_request(other) && (is_lookup(one) || is_lookup(other));
}

// They stand in order of time, and what says the same does so at the same time.
void drop_repeated(Lines& lines) {
  Lines kept;
  for (TimelineLine& line : lines) {
    const auto said_before = [&] {
      for (auto before = kept.rbegin(); before != kept.rend(); ++before) {
        if (before->at != line.at) return false;
        if (says_the_same(*before, line)) return true;
      }
      return false;
    };
    if (!said_before()) kept.push_back(std::move(line));
  }
  lines = std::move(kept);
}

}  // namespace

std::vector<TimelineLine> timeline_of(const Finding& finding, const Recording& recording,
                                      const History& history) {
  Lines lines;
  const auto cited = CitedOperations(recording, history).first_of(finding);
  for (const std::uint64_t number : cited) {
    for (const Operation& operation : history.operations) {
      if (operation.number == number) add_operation(recording, operation, lines);
    }
  }
  add_strays(finding, history, lines);
  add_lives(recording, lanes_of(history, cited), lines);
  if (!recording.journal.spells.empty()) add_turned_away(recording, history, cited, lines);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  drop_repeated(lines);
  cut_middle(lines);
  return lines;
}

}  // namespace mishap::client_tests
