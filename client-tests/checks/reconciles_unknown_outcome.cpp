#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/first_run.h"
#include "client-tests/checks/tally.h"

// An open question gets closed: asked under the same key, or looked up, until it is answered.
namespace mishap::client_tests {

namespace {

using server::Exchange;

// It took effect, or was going to, and no usable answer told of it.
const Attempt* first_question(const Operation& operation) {
  for (const Attempt& attempt : operation.attempts) {
    const bool happens = attempt.truth == Truth::Effect || attempt.truth == Truth::EffectLater;
    if (happens && attempt.knowable == Knowable::Ambiguous) return &attempt;
  }
  return nullptr;
}

// What the client did about it: the same key again, or reads that could have found it.
struct FollowUp {
  std::vector<const Exchange*> asked;
  std::size_t absent = 0;  // lookups that validly showed nothing
  std::optional<Duration> confirmed;
};

void add(FollowUp& done, const Exchange& exchange, bool confirms) {
  done.asked.push_back(&exchange);
  const auto& told = exchange.receipt.last_write;
  if (confirms && told && (!done.confirmed || *told < *done.confirmed)) done.confirmed = told;
}

FollowUp follow_up(const Operation& operation, const Attempt& question) {
  FollowUp done;
  const Duration since = question.exchange->first_byte;
  for (const Attempt& attempt : operation.attempts) {
    const Exchange& exchange = *attempt.exchange;
    const std::string& key = exchange.request.key;
    const bool is_replay =
        exchange.first_byte > since && !key.empty() && key == question.exchange->request.key;
    if (is_replay) add(done, exchange, attempt.result == Result::Success);
  }
  for (const Exchange* lookup : operation.lookups) {
    if (lookup->first_byte <= since) continue;
    const bool is_valid = is_valid_lookup(*lookup);
    if (is_valid && !lookup->found) ++done.absent;
    add(done, *lookup, is_valid && lookup->found);
  }
  return done;
}

bool has_rule(const Exchange& exchange) {
  return std::ranges::any_of(exchange.rules, [](const server::RuleHit& hit) { return hit.fired; });
}

// Every way that it tried was spoilt by the scenario: then pending is all that it can say.
bool was_denied(const FollowUp& done) {
  return !done.confirmed && std::ranges::all_of(done.asked, [](const Exchange* exchange) {
    return has_rule(*exchange);
  });
}

bool looks_up(const History* history) {
  return history && std::ranges::any_of(history->operations, [](const Operation& operation) {
           return !operation.lookups.empty();
         });
}

class Judge {
 public:
  Judge(const Case& c, Duration within, bool was_run_again)
      : case_(c),
        within_(within),
        was_run_again_(was_run_again),
        looks_up_(looks_up(&c.history) || looks_up(c.comparison_history)) {}

  void look_at(const Operation& operation) {
    const bool is_create =
        operation.klass == OperationClass::Keyed || operation.klass == OperationClass::Unkeyed;
    const Attempt* question =
        is_create && !operation.overlapping ? first_question(operation) : nullptr;
    if (!question) return;
    const FollowUp done = follow_up(operation, *question);
    // Without a key, and where it never looks anything up, the client may have no way to ask.
    const bool has_way = !question->exchange->request.key.empty() || looks_up_;
    if (done.asked.empty()) {
      if (has_way) judge_unasked(operation, *question);
    } else if (done.confirmed) {
      judge_closed(operation, *question, done);
    } else if (was_run_again_ || !was_denied(done)) {
      judge_open(operation, done);
    }
  }

  Finding settle() {
    if (unobserved_ && tally_.judged() == 0 && !tally_.any_open()) {
      return not_observed("the client writes no outcome lines: what it concluded is not told");
    }
    return std::move(tally_).settle(
        {.failed = "an unknown outcome was not cleared up",
         .reason = "It took effect, the client could have found out, and said something else.",
         .held = counted(tally_.judged(), "open question") + " closed",
         .none = "no create took effect without the client being told, or it had no way to ask"});
  }

 private:
  static Witness cite(const Operation& operation, const FollowUp& done, std::string_view what) {
    Witness made = witness(
        operation, fmt::format("{}: {} after {}", operation.name, what, story_of(operation)));
    for (const Exchange* exchange : done.asked) {
      const bool is_new =
          std::ranges::find(made.exchanges, exchange->number) == made.exchanges.end();
      if (is_new) made.exchanges.push_back(exchange->number);
    }
    for (const auto* effect : operation.effects) made.effects.push_back(effect->number);
    return made;
  }

  // With a second run, in which the vendor was well, there is nothing to wait for any more.
  void leave_open(const Operation& operation, const Witness& cited) {
    if (was_run_again_) return tally_.broke(cited);
    tally_.open(operation.name +
                    " took effect and was left pending; there was no second run in "
                    "which it could have been cleared up",
                cited);
  }

  void judge_unasked(const Operation& operation, const Attempt& question) {
    const Duration since = question.failed_at.value_or(question.exchange->first_byte);
    const bool is_closed = !was_killed(case_.recording, operation.lane) &&
                           is_closed_after(case_, operation.lane, since);
    if (!is_closed) {
      tally_.open(fmt::format("{} was still open: {}", operation.name,
                              how_it_ended(case_.recording, operation.lane)),
                  cite(operation, {}, "not asked again"));
    } else if (operation.outcomes.empty()) {
      unobserved_ = true;
    } else if (operation.outcomes.back()->outcome == OutcomeKind::Failed) {
      tally_.broke(cite(operation, {}, "not asked again, reported failed"));
    } else if (operation.outcomes.back()->outcome == OutcomeKind::Pending) {
      leave_open(operation, cite(operation, {}, "not asked again, reported pending"));
    }
  }

  void judge_closed(const Operation& operation, const Attempt& question, const FollowUp& done) {
    const bool is_failed =
        !operation.outcomes.empty() && operation.outcomes.back()->outcome == OutcomeKind::Failed;
    const bool is_pending =
        !operation.outcomes.empty() && operation.outcomes.back()->outcome == OutcomeKind::Pending;
    if (is_failed) {
      tally_.broke(cite(operation, done, "shown to be done, reported failed"));
    } else if (is_pending) {
      leave_open(operation, cite(operation, done, "shown to be done, reported pending"));
    } else {
      const Duration took = *done.confirmed - question.exchange->first_byte;
      const bool is_late = took > within_ && !was_run_again_;
      if (is_late) {
        tally_.warn(fmt::format("{}: known after {} > {}", operation.name, seconds(took),
                                seconds(within_)));
      }
      tally_.held(cite(operation, done, "known"));
    }
  }

  // It asked and got no proof. What may come late has to be looked for more than once.
  void judge_open(const Operation& operation, const FollowUp& done) {
    if (operation.outcomes.empty()) {
      unobserved_ = true;
      return;
    }
    const Witness cited = cite(
        operation, done,
        fmt::format("{}, {} absent, reported {}", counted(done.asked.size(), "further question"),
                    done.absent, to_string(operation.outcomes.back()->outcome)));
    if (operation.outcomes.back()->outcome == OutcomeKind::Failed && done.absent < 2) {
      tally_.broke(cited);
    } else if (operation.outcomes.back()->outcome != OutcomeKind::Succeeded) {
      leave_open(operation, cited);
    }
  }

  const Case& case_;
  Duration within_;
  bool was_run_again_;
  bool looks_up_;
  Tally tally_;
  bool unobserved_ = false;
};

Finding evaluate(const Case& c, const Params& params) {
  const auto& scenario = c.recording.scenario;
  if (!scenario.offers_lookup && !scenario.offers_keys) {
    return not_applicable("the vendor offers neither keys nor a lookup");
  }
  const Case all = of_all_runs(c);
  Judge judge(all, params.duration("within"), c.whole && !no_second_run(c));
  for (const Operation& operation : all.history.operations) judge.look_at(operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kReconcilesUnknownOutcome = {
    .name = "reconciles_unknown_outcome",
    .summary = "an unknown outcome is cleared up",
    .rule =
        "after an effect without a usable answer: the same key again, or a lookup; the last line "
        "says what the ledger says; a lookup that shows nothing is repeated before it counts as "
        "absent",
    .judged =
        "creates that took effect while the answer was lost, of a client that sends keys or looks "
        "up; left pending is inconclusive, unless a second run came (then: ..): it has to settle "
        "what "
        "was left. A client that has no way to "
        "ask is not judged",
    .why = "The customer has two bookings, or none, until somebody compares lists by hand.",
    .change =
        "Send the same request with the same key until it is answered, or look it up; look again "
        "later before you believe that it is not there.",
    .source = "RFC 9110 section 9.2.2; draft-ietf-httpapi-idempotency-key-header",
    .since = "0.1",
    .params = {{.name = "within",
                .type = ParamType::Duration,
                .default_text = "30s",
                .help = "from the first attempt to the proof; later is a warning"}},
    .severity = 87,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
