#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// An answer belongs to its own question.
namespace mishap::client_tests {

namespace {

constexpr std::size_t kTwo = 2;  // ids must differ to be mixed up

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {
    for (const server::Effect& effect : c.recording.journal.effects) {
      if (effect.kind == server::EffectKind::Created) ids_.insert(effect.id);
    }
  }

  void look_at(const Operation& operation) {
    if (operation.klass == OperationClass::Safe || operation.outcomes.empty()) return;
    const OutcomeLine& line = *operation.outcomes.back();
    if (line.outcome != OutcomeKind::Succeeded || !has_creation(operation)) return;
    if (in_doubt_upstream(operation) > 0) return;
    ++successes_;
    if (line.id.empty()) return;
    const bool is_own = is_own_id(operation, line.id);
    Witness cited = witness(
        operation, fmt::format("{}: reported with id {}, {}", operation.name, line.id,
                               is_own ? "which is its own" : "made was " + made_ids(operation)));
    for (const auto* effect : operation.effects) cited.effects.push_back(effect->number);
    is_own ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  Finding settle() const {
    if (successes_ > 0 && tally_.judged() == 0) {
      return not_observed("the outcome lines name no ids");
    }
    if (!tally_.any_broken() && ids_.size() < kTwo) {
      return not_applicable("fewer than two things were made, so that nothing could be mixed up");
    }
    return tally_.settle(
        {.failed = "the answer to another question was taken",
         .reason = "An operation is reported under an id that is not of what it made.",
         .held = counted(tally_.judged(), "id") + " right",
         .none = "no create was reported as succeeded"});
  }

 private:
  static bool has_creation(const Operation& operation) {
    return std::ranges::any_of(operation.effects, [](const server::Effect* effect) {
      return effect->kind == server::EffectKind::Created;
    });
  }

  // Or what another call for the same reference had made, and a lookup found.
  bool is_own_id(const Operation& operation, const std::string& id) const {
    if (std::ranges::any_of(operation.effects, [&](const auto* e) { return e->id == id; })) {
      return true;
    }
    if (operation.reference.empty()) return false;
    return std::ranges::any_of(case_.recording.journal.effects, [&](const server::Effect& effect) {
      return effect.id == id && effect.reference == operation.reference;
    });
  }

  static std::string made_ids(const Operation& operation) {
    std::string text;
    for (const server::Effect* effect : operation.effects) {
      text += (text.empty() ? "" : ", ") + effect->id;
    }
    return text;
  }

  const Case& case_;
  std::set<std::string> ids_;
  std::size_t successes_ = 0;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (!writes_outcomes(c)) return not_observed("the client writes no outcome lines");
  Judge judge(c);
  for (const Operation& operation : c.history.operations) judge.look_at(operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kResponseBoundToRequest = {
    .name = "response_bound_to_request",
    .summary = "answers are matched to their question",
    .rule = "the id in a line of success is that of what the operation made",
    .judged =
        "creates reported as succeeded with an id, where at least two things were made in the run",
    .why = "A booking that is stored under somebody else's number is cancelled with theirs.",
    .change =
        "Compare the reference in the answer with your own; close a connection on which an answer "
        "is left over.",
    .source = "RFC 9112 section 9.2 (associating a response to a request)",
    .since = "0.1",
    .severity = 87,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
