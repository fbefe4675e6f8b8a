#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/calls_in_vain.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// What the client says about an operation is what the ledger says, or "I do not know".
namespace mishap::client_tests {

namespace {

// Refused for good on every attempt that nevertheless took effect: no client could have known.
bool was_misled(const Operation& operation) {
  bool misled = false;
  for (const Attempt& attempt : operation.attempts) {
    const bool happened = attempt.truth == Truth::Effect || attempt.truth == Truth::EffectLater;
    if (!happened) continue;
    if (attempt.knowable != Knowable::NotProcessed) return false;
    misled = true;
  }
  return misled;
}

Witness cite(const Operation& operation, std::string statement) {
  Witness made = witness(operation, std::move(statement));
  for (const auto* effect : operation.effects) made.effects.push_back(effect->number);
  return made;
}

// What an upstream did not say is not known here either.
bool left_open(const Operation& operation, bool happened, std::string_view reported, Tally& tally) {
  if (happened || in_doubt_upstream(operation) == 0) return false;
  const std::string text = fmt::format(
      "{}: reported {}; the upstream did not say whether it took effect", operation.name, reported);
  tally.open(text, cite(operation, text));
  return true;
}

void judge_success(const Case& c, const Operation& operation, Tally& tally) {
  // A stateless route has no ledger; there the valid answer is all there is.
  const bool happened = has_effect(c.history, operation) || confirmed_at(operation);
  if (left_open(operation, happened, "succeeded", tally)) return;
  const Witness cited =
      cite(operation, fmt::format("{}: reported succeeded, {} after {}", operation.name,
                                  happened ? "done" : "no effect", story_of(operation)));
  happened ? tally.held(cited) : tally.broke(cited);
  const std::string& id = operation.outcomes.back()->id;
  const bool is_known =
      std::ranges::any_of(operation.effects, [&](const auto* effect) { return effect->id == id; });
  if (!id.empty() && !operation.effects.empty() && !is_known) {
    tally.warn(fmt::format("{}: reported with id {}, made was {}", operation.name, id,
                           operation.effects.front()->id));
  }
}

void judge_failure(const Case& c, const Operation& operation, Tally& tally) {
  const bool happened = has_effect(c.history, operation);
  if (left_open(operation, happened, "failed", tally)) return;
  const Witness cited = cite(
      operation, fmt::format("{}: reported failed, {} after {}", operation.name,
                             happened ? "but it took effect" : "no effect", story_of(operation)));
  if (happened && was_misled(operation)) {
    tally.warn(cited.statement + "; the vendor had refused it");
  } else {
    happened ? tally.broke(cited) : tally.held(cited);
  }
}

void judge_pending(const Operation& operation, const OutcomeLine& line, Tally& tally) {
  const std::string text =
      fmt::format("{}: reported pending after {}", operation.name, story_of(operation));
  const auto known = confirmed_at(operation);
  if (known && *known < line.at) tally.warn(text + ", although a valid answer had come");
  tally.held(cite(operation, text));
}

void judge_missing(const Case& c, const Operation& operation, Tally& tally) {
  if (!writes_outcomes_for(c, operation)) return;
  if (was_ended_by_scenario(c.recording, operation.lane)) return;
  const std::string text =
      fmt::format("{}: no outcome reported after {}", operation.name, story_of(operation));
  const Duration since = operation.attempts.back().exchange->first_byte;
  const bool may_follow =
      was_stopped(c.recording, operation.lane) && !is_closed_after(c, operation.lane, since);
  if (was_killed(c.recording, operation.lane) || may_follow || !c.recording.child) {
    tally.open(text + "; " + how_it_ended(c.recording, operation.lane), cite(operation, text));
  } else if (may_have_retried_apart(c, operation)) {
    // The line may be about another request of the same operation, which nothing joins with it.
    tally.open(text + "; another request may be it again", cite(operation, text));
  } else {
    tally.broke(cite(operation, text));
  }
}

void judge(const Case& c, const Operation& operation, Tally& tally) {
  if (operation.klass == OperationClass::Safe) return;
  if (operation.outcomes.empty()) return judge_missing(c, operation, tally);
  const OutcomeLine& last = *operation.outcomes.back();
  switch (last.outcome) {
    case OutcomeKind::Succeeded:
      return judge_success(c, operation, tally);
    case OutcomeKind::Failed:
      return judge_failure(c, operation, tally);
    case OutcomeKind::Pending:
      return judge_pending(operation, last, tally);
  }
}

// Lines about operations of which nothing came, each copy of the client looked at once.
class CallsInVain {
 public:
  explicit CallsInVain(const Case& c) : case_(c) {}

  // Its connects were turned away: nothing of it can have come.
  bool came_to_nothing(const OutcomeLine& line) {
    return line.outcome != OutcomeKind::Succeeded && of(line.copy).unheard.contains(line.operation);
  }

  // "2 connects were refused"; empty: nobody was turned away.
  const std::string& turned_away(int copy) { return of(copy).turned_away; }

 private:
  struct Copy {
    std::unordered_set<std::string_view> unheard;
    std::string turned_away;
  };

  const Copy& of(int copy) {
    const auto [found, is_new] = copies_.try_emplace(copy);
    if (!is_new || !may_have_called_in_vain(case_.recording, copy)) return found->second;
    for (const auto* line : unheard_operations(case_, copy)) {
      found->second.unheard.insert(line->operation);
    }
    if (!client_tests::turned_away(case_.recording, copy).empty()) {
      found->second.turned_away = turned_away_words(case_.recording, copy);
    }
    return found->second;
  }

  const Case& case_;
  std::map<int, Copy> copies_;
};

// Failed is true of it, and pending always allowed.
void judge_unheard(const Case& c, CallsInVain& in_vain, Tally& tally) {
  for (const auto* line : c.history.orphan_outcomes) {
    if (!in_vain.came_to_nothing(*line)) continue;
    std::string text = fmt::format("{}: reported {}, and nothing of it came", line->operation,
                                   to_string(line->outcome));
    const std::string& how = in_vain.turned_away(line->copy);
    tally.held(said(how.empty() ? std::move(text) : text + "; " + how));
  }
}

// What the client wrote and nobody could use.
std::vector<std::string> unusable_lines(const Case& c, CallsInVain& in_vain) {
  std::vector<std::string> lines;
  for (const auto& bad : c.recording.bad_outcome_lines) lines.push_back("outcome file: " + bad);
  for (const auto* orphan : c.history.orphan_outcomes) {
    if (in_vain.came_to_nothing(*orphan)) continue;
    lines.push_back("outcome file: \"" + orphan->operation +
                    "\" is neither the reference nor the key of an operation that was seen");
  }
  return lines;
}

Finding with_warnings(Finding finding, const std::vector<std::string>& warnings) {
  finding.warnings.insert(finding.warnings.end(), warnings.begin(), warnings.end());
  return finding;
}

Finding evaluate(const Case& c, const Params&) {
  CallsInVain in_vain(c);
  const auto unusable = unusable_lines(c, in_vain);
  if (!writes_outcomes(c)) {
    return with_warnings(
        not_observed(unusable.empty()
                         ? "the client writes no outcome lines"
                         : "none of the client's outcome lines could be read: " + unusable.front()),
        unusable);
  }
  Tally tally;
  for (const auto& operation : c.history.operations) judge(c, operation, tally);
  judge_unheard(c, in_vain, tally);
  if (tally.judged() == 0 && !tally.any_open() && !c.history.orphan_outcomes.empty()) {
    return with_warnings(not_observed("the outcome lines name no operation that was seen (\"" +
                                      c.history.orphan_outcomes.front()->operation + "\")"),
                         unusable);
  }
  for (const auto& line : unusable) tally.warn(line);
  return std::move(tally).settle({.failed = "the client says what is not so",
                                  .reason = "A reported outcome does not match what took effect.",
                                  .held = counted(tally.judged(), "outcome") + " true",
                                  .none = "no unsafe operation whose outcome the client reports"});
}

}  // namespace

const CheckDescriptor kOutcomeTruthful = {
    .name = "outcome_truthful",
    .summary = "reported outcomes match what took effect",
    .rule =
        "succeeded => it took effect; failed => nothing took effect; pending is always allowed; "
        "no line at all is not",
    .judged = "unsafe operations of a client that writes outcome lines",
    .why = "People act on what they are told: they book again, or do not come.",
    .change =
        "Report succeeded only for a confirmed answer and failed only where nothing can have "
        "happened; pending while it is not known, then look it up or repeat it with the same key.",
    .source = "Jepsen's ok, fail and info; RFC 9110 section 9.2.2",
    .since = "0.1",
    .severity = 90,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
