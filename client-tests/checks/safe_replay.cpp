#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/first_run.h"
#include "client-tests/checks/surplus_creations.h"
#include "client-tests/checks/tally.h"

// A run that is made once more makes nothing twice.
namespace mishap::client_tests {

namespace {

bool is_create(const Operation& operation) {
  return operation.klass == OperationClass::Keyed || operation.klass == OperationClass::Unkeyed;
}

class Judge {
 public:
  // `all`: with every run; `began`: the second.
  Judge(const Case& all, Duration began) : case_(all), began_(began) {}

  void look_at(const Operation& operation) {
    if (!is_create(operation)) return;
    const auto effects = standing_creations(case_.history, operation);
    if (effects.size() > 1 && effects.back()->at >= began_) return judge_double(operation, effects);
    if (!was_open(operation) || !was_taken_up(operation)) return;
    judge_word(operation, effects);
  }

  void look_at(const SurplusCreations& surplus) {
    const bool is_new = std::ranges::any_of(
        surplus.effects, [&](const server::Effect* effect) { return effect->at >= began_; });
    if (!is_new) return;
    Witness cited =
        said(fmt::format("{} things made {} > {} in the control", surplus.effects.size(),
                         surplus.equal ? "by equal requests" : "in all runs", surplus.usual));
    for (const auto* effect : surplus.effects) cited.effects.push_back(effect->number);
    if (surplus.equal) return tally_.broke(std::move(cited));
    tally_.open(
        "more was made than in the healthy control; whether one of it is another one again cannot "
        "be told: give each create a key, or a reference that the api names",
        std::move(cited));
  }

  bool any_broken() const { return tally_.any_broken(); }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a second run does it again",
         .reason = "What had been done in an earlier run was done once more, or is told wrongly.",
         .held = fmt::format("{} taken up again, each done once",
                             counted(tally_.judged(), "open operation")),
         .none = "no later run took up a create that the first one had left open"});
  }

 private:
  Witness cite(const Operation& operation, const std::vector<const server::Effect*>& effects,
               std::string statement) const {
    Witness made = witness(operation, std::move(statement));
    for (const auto* effect : effects) made.effects.push_back(effect->number);
    return made;
  }

  void judge_double(const Operation& operation, const std::vector<const server::Effect*>& effects) {
    const auto late = std::ranges::count_if(
        effects, [&](const server::Effect* effect) { return effect->at >= began_; });
    tally_.broke(cite(operation, effects,
                      fmt::format("{}: {} effects > 1, {} of them made by a later run",
                                  operation.name, effects.size(), late)));
  }

  // Not known to be done when the first run ended.
  bool was_open(const Operation& operation) const {
    const OutcomeLine* last = nullptr;
    for (const OutcomeLine* line : operation.outcomes) {
      if (line->at < began_) last = line;
    }
    if (last) return last->outcome != OutcomeKind::Succeeded;
    return std::ranges::none_of(operation.attempts, [&](const Attempt& attempt) {
      return attempt.exchange->first_byte < began_ && attempt.result == Result::Success;
    });
  }

  bool was_taken_up(const Operation& operation) const {
    const auto is_later = [&](const server::Exchange* exchange) {
      return exchange->first_byte >= began_;
    };
    return std::ranges::any_of(operation.attempts, is_later, &Attempt::exchange) ||
           std::ranges::any_of(operation.lookups, is_later);
  }

  void judge_word(const Operation& operation, const std::vector<const server::Effect*>& effects) {
    const OutcomeLine* last = operation.outcomes.empty() ? nullptr : operation.outcomes.back();
    const bool is_told = last && last->at >= began_;
    const bool is_wrong =
        is_told &&
        ((last->outcome == OutcomeKind::Failed && !effects.empty()) ||
         (last->outcome == OutcomeKind::Succeeded && effects.empty() && !confirmed_at(operation)));
    Witness cited =
        cite(operation, effects,
             fmt::format(
                 "{}: {} after {}{}", operation.name, counted(effects.size(), "effect"),
                 story_of(operation),
                 is_told ? fmt::format(", reported {}", to_string(last->outcome)) : std::string()));
    is_wrong ? tally_.broke(std::move(cited)) : tally_.held(std::move(cited));
  }

  const Case& case_;
  Duration began_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (auto none = no_second_run(c)) return std::move(*none);
  const Case all = of_all_runs(c);
  Judge judge(all, *second_run_began(all.recording));
  for (const Operation& operation : all.history.operations) judge.look_at(operation);
  if (!judge.any_broken()) {
    for (const auto& surplus : surplus_creations(all)) judge.look_at(surplus);
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kSafeReplay = {
    .name = "safe_replay",
    .summary = "a second run makes nothing twice",
    .rule =
        "effects of one operation over all runs <= 1, no more by equal requests than in the "
        "healthy control, and the last line says what the ledger says",
    .judged =
        "scenarios that have the client run again (then: ..), where the first run left a create "
        "open and a later one took it up",
    .why = "Whoever repeats a failed job by hand must not have to look up first what it did.",
    .change =
        "Store each operation with its key; a second run goes on under the old key, or looks up "
        "what was left open, before it sends anything.",
    .source = "mission B45, B77, C30; Stripe, Idempotent requests",
    .since = "0.1",
    .severity = 95,
    .families = {Family::SecondEffect},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
