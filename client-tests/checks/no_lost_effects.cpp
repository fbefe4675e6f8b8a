#include <fmt/format.h>

#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/first_run.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"

// What was handed in is done in the end, or somebody is told that it is not.
namespace mishap::client_tests {

namespace {

bool is_create(const Operation& operation) {
  return operation.klass == OperationClass::Keyed || operation.klass == OperationClass::Unkeyed;
}

// A call that leaves no trace in the ledger, such as a login, cannot lose one.
bool leaves_effects(const Case& c, const Operation& operation) {
  return call_table(c.history).like(operation).creates ||
         (c.control_history && call_table(*c.control_history).like(operation).creates);
}

// Without trouble nothing gets lost, and nothing is proven.
bool had_trouble(const Operation& operation) {
  return operation.attempts.front().result != Result::Success;
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    if (!is_create(operation) || !had_trouble(operation)) return;
    if (!leaves_effects(case_, operation)) return;
    if (!operation.effects.empty()) {
      tally_.held(cite(operation, "it took effect"));
    } else if (in_doubt_upstream(operation) > 0) {
      tally_.open(
          fmt::format("{}: the upstream did not say whether it took effect", operation.name),
          cite(operation, "an effect in doubt"));
    } else if (!operation.outcomes.empty()) {
      judge_word(operation, *operation.outcomes.back());
    } else if (!as_much_as_usual(case_, operation)) {
      judge_silence(operation);
    }
  }

  Finding settle() {
    if (unobserved_ && tally_.judged() == 0 && !tally_.any_open()) {
      return not_observed(
          "the client writes no outcome lines and has no exit code of its own: what it made of a "
          "create without effect is not told");
    }
    return std::move(tally_).settle(
        {.failed = "an operation got lost",
         .reason = "It was sent, had no effect in the end, and nothing says so.",
         .held =
             fmt::format("nothing lost of {} in trouble", counted(tally_.judged(), "operation")),
         .none = "no create that leaves an effect met any trouble"});
  }

 private:
  static Witness cite(const Operation& operation, const std::string& what) {
    Witness made = witness(
        operation, fmt::format("{}: {} after {}", operation.name, what, story_of(operation)));
    for (const auto* effect : operation.effects) made.effects.push_back(effect->number);
    return made;
  }

  void judge_word(const Operation& operation, const OutcomeLine& line) {
    if (line.outcome != OutcomeKind::Succeeded) {
      tally_.held(
          cite(operation, "no effect, and reported " + std::string(to_string(line.outcome))));
    } else if (!confirmed_at(operation)) {
      tally_.broke(cite(operation, "no effect, and reported succeeded"));
    }
  }

  // Without a line the exit code is the word for the whole run. A service that was stopped, or a
  // client that somebody else runs, has none.
  void judge_silence(const Operation& operation) {
    const ProcessFacts* process = process_of(case_.recording, operation.lane);
    if (!process || was_stopped(case_.recording, operation.lane)) {
      unobserved_ = true;
    } else if (!ended_by_itself(case_.recording, operation.lane)) {
      tally_.open(fmt::format("{} had no effect yet: {}", operation.name,
                              how_it_ended(case_.recording, operation.lane)),
                  cite(operation, "no effect"));
    } else if (process->stop == Stop::Exited && process->exit_code == 0) {
      tally_.broke(cite(operation, "no effect, no word of it, and exit code 0"));
    } else {
      tally_.held(cite(operation, "no effect; " + how_it_ended(case_.recording, operation.lane)));
    }
  }

  const Case& case_;
  Tally tally_;
  bool unobserved_ = false;
};

Finding evaluate(const Case& c, const Params&) {
  const Case all = of_all_runs(c);
  Judge judge(all);
  for (const auto& operation : all.history.operations) judge.look_at(operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kNoLostEffects = {
    .name = "no_lost_effects",
    .summary = "nothing that was submitted disappears",
    .rule =
        "every create that met trouble has an effect in the ledger, or a line that says failed or "
        "pending, or (without lines) an exit code other than 0; succeeded => effect",
    .judged =
        "creates whose first attempt did not succeed, on paths where creates leave effects, after "
        "the client ended by itself, and was run again where the scenario says so",
    .why = "The booking does not exist, and nobody knows that it does not.",
    .change =
        "Keep what was not confirmed after the last retry where it is found again, report it as "
        "failed or pending, and end with another code than 0.",
    .source = "Jepsen's set checker (lost elements)",
    .since = "0.1",
    .severity = 89,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
