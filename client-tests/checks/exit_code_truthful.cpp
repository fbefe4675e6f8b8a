#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/calls_in_vain.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"

// Exit code 0 means that all was done, and nothing else does.
namespace mishap::client_tests {

namespace {

// What there is against an exit code of 0, and against any other.
struct Evidence {
  std::vector<Witness> undone;   // an unsafe operation that did not happen
  std::vector<Witness> unsaid;   // reported failed or pending by the client itself
  std::vector<Witness> unread;   // a read that never got a valid answer
  std::vector<Witness> unknown;  // whether it took effect, or was called for, cannot be known
  std::size_t operations = 0;
  bool all_confirmed = true;  // every operation, to the client, validly
};

bool is_pending(const Operation& operation) {
  return !operation.outcomes.empty() && operation.outcomes.back()->outcome == OutcomeKind::Pending;
}

bool is_failed(const Operation& operation) {
  return !operation.outcomes.empty() && operation.outcomes.back()->outcome == OutcomeKind::Failed;
}

// The user's next equal call may have succeeded where the one before had failed for good.
bool may_hide_a_failed_call(const Case& c, const Operation& operation) {
  return operation.attempts.size() > 1 && hidden_calls(c, operation) > 0;
}

void add(const Case& c, const Operation& operation, bool pending_counts, Evidence& evidence) {
  ++evidence.operations;
  const bool confirmed = confirmed_at(operation).has_value();
  evidence.all_confirmed = evidence.all_confirmed && confirmed && !is_pending(operation) &&
                           !is_failed(operation) && !may_hide_a_failed_call(c, operation);
  const auto cite = [&](std::string_view what) {
    return witness(operation,
                   fmt::format("{}: {} after {}", operation.name, what, story_of(operation)));
  };
  if (is_failed(operation)) evidence.unsaid.push_back(cite("reported failed"));
  if (is_pending(operation) && pending_counts) evidence.unsaid.push_back(cite("reported pending"));
  if (confirmed) return;
  if (operation.klass == OperationClass::Safe) {
    evidence.unread.push_back(cite("never read"));
  } else if (!has_effect(c.history, operation) && in_doubt_upstream(operation) > 0) {
    evidence.unknown.push_back(cite("the upstream did not say whether it took effect"));
  } else if (!has_effect(c.history, operation) && !as_much_as_usual(c, operation)) {
    evidence.undone.push_back(cite("no effect"));
  }
}

// What the client tells of and nobody saw.
void add_unheard(const Case& c, int lane, bool pending_counts, Evidence& evidence) {
  for (const OutcomeLine* line : unheard_operations(c, lane)) {
    ++evidence.operations;
    evidence.all_confirmed = false;
    const bool pending = line->outcome == OutcomeKind::Pending && pending_counts;
    if (line->outcome != OutcomeKind::Failed && !pending) continue;
    evidence.unsaid.push_back(said(fmt::format("{}: reported {}, and nothing of it came",
                                               line->operation, to_string(line->outcome))));
  }
}

// Fewer calls than on the good day, and somebody was turned away.
void add_missing(const Case& c, int lane, Evidence& evidence) {
  // Where the client has words of its own for them, those are judged.
  if (!unheard_operations(c, lane).empty() || turned_away(c.recording, lane).empty()) return;
  if (!c.control) return;
  const CallCount count = count_calls(c, lane);
  // What one copy does on the good day says little of what the others would do.
  if (count.seen >= count.usual || lane >= c.control->scenario.copies) return;
  const std::string text =
      fmt::format("{} of {} came; {}", count.seen, counted(count.usual, "operation"),
                  turned_away_words(c.recording, lane));
  // Who did nothing at all has not done what it does on the good day.
  if (count.seen == 0) {
    evidence.operations += count.usual;
    evidence.undone.push_back(said(text));
  } else {
    evidence.unknown.push_back(said(text + ": whether one was lost cannot be told"));
  }
}

Evidence gather(const Case& c, int lane, bool pending_counts) {
  Evidence evidence;
  for (const Operation* operation : operations_of(c.history, lane)) {
    if (!is_lookup(*operation)) add(c, *operation, pending_counts, evidence);
  }
  add_unheard(c, lane, pending_counts, evidence);
  add_missing(c, lane, evidence);
  return evidence;
}

Witness cite_exit(const ProcessFacts& process, const Witness& cause) {
  Witness made = cause;
  made.statement = fmt::format("exit code {}, but {}", process.exit_code, cause.statement);
  return made;
}

void judge_zero(const ProcessFacts& process, const Evidence& evidence, Tally& tally) {
  for (const auto& cause : evidence.undone) tally.broke(cite_exit(process, cause));
  for (const auto& cause : evidence.unsaid) tally.broke(cite_exit(process, cause));
  for (const auto& cause : evidence.unknown) tally.open(cause.statement, cause);
  // A client may live without one of its reads; if all that it did was in vain it may not say 0.
  const bool in_vain = evidence.unread.size() == evidence.operations;
  for (const auto& cause : evidence.unread) {
    in_vain ? tally.broke(cite_exit(process, cause))
            : tally.warn(cite_exit(process, cause).statement);
  }
  if (!tally.any_broken()) {
    tally.held(
        said(fmt::format("exit code 0, {} done", counted(evidence.operations, "operation"))));
  }
}

bool control_ended_with_zero(const Case& c) {
  return !c.control || std::all_of(c.control->processes.begin(), c.control->processes.end(),
                                   [](const ProcessFacts& process) {
                                     return process.stop == Stop::Exited && process.exit_code == 0;
                                   });
}

bool is_more_than_asked(const Case& c) {
  return std::any_of(c.history.operations.begin(), c.history.operations.end(),
                     [&](const Operation& operation) {
                       return standing_creations(c.history, operation).size() > 1;
                     });
}

// A call that was not let in leaves no operation behind that could be seen to fail.
bool may_miss_a_call(const Case& c, int lane) {
  return may_have_called_in_vain(c.recording, lane) && !none_is_missing(c, lane);
}

// What was never begun, as by who has no worker free for it, leaves nothing behind to be seen.
bool did_less_than_usual(const Case& c, int lane) {
  if (!c.control || lane >= c.control->scenario.copies) return false;
  const CallCount count = count_calls(c, lane);
  return count.seen < count.usual;
}

// Other than 0 is wrong only where nothing at all speaks for it. What a client that was killed had
// been told died with it.
void judge_other(const Case& c, const ProcessFacts& process, const Evidence& evidence,
                 Tally& tally) {
  const bool baseless = evidence.all_confirmed && c.history.unmatched.empty() &&
                        control_ended_with_zero(c) && !is_more_than_asked(c) &&
                        !may_miss_a_call(c, process.copy) &&
                        !did_less_than_usual(c, process.copy) && process.life == 1;
  const std::string what = how_it_ended(c.recording, process.copy);
  if (baseless) {
    tally.broke(said(fmt::format("{}, but all of {} succeeded", what,
                                 counted(evidence.operations, "operation"))));
  } else {
    tally.held(said(what + ", and not all is known to be done"));
  }
}

bool any_service(const Recording& recording) {
  return std::any_of(
      recording.processes.begin(), recording.processes.end(),
      [](const ProcessFacts& process) { return process.role == ProcessRole::Service; });
}

Finding evaluate(const Case& c, const Params& params) {
  if (!c.recording.child && c.recording.processes.empty()) {
    return not_observed("the client is not a child of mishap, and no exit code was handed in");
  }
  const bool pending_counts = params.text("pending") == "nonzero";
  Tally tally;
  for (const auto& process : c.recording.processes) {
    // A service is asked to do things while it runs, and tells each caller; its exit code is about
    // itself. Nor is what drives it judged: a test-suite's exit code is the sum of assertions that
    // may be about anything, and a caller may rightly be told 202 of what is not done yet.
    if (process.role == ProcessRole::Service) continue;
    if (process.stop != Stop::Exited && process.stop != Stop::Signalled) continue;
    const Evidence evidence = gather(c, process.copy, pending_counts);
    if (evidence.operations == 0) continue;
    if (process.stop == Stop::Exited && process.exit_code == 0) {
      judge_zero(process, evidence, tally);
    } else {
      judge_other(c, process, evidence, tally);
    }
  }
  return std::move(tally).settle(
      {.failed = "the exit code does not tell the truth",
       .reason = "Scripts take exit code 0 for done and anything else for not done.",
       .held = "exit code true",
       .none = any_service(c.recording) ? "a service does not tell by its exit code"
                                        : "no client ended by itself after an operation"});
}

}  // namespace

const CheckDescriptor kExitCodeTruthful = {
    .name = "exit_code_truthful",
    .summary = "scripts can trust the exit code",
    .rule = "exit code 0 <=> every operation was done; pending counts as not done",
    .judged = "clients that ended by themselves after at least one operation",
    .why = "A script that trusts a false 0 goes on without the booking.",
    .change = "End with another code than 0 when any operation failed or is pending.",
    .source = "POSIX exit status convention",
    .since = "0.1",
    .params = {{.name = "pending",
                .type = ParamType::Choice,
                .default_text = "nonzero",
                .choices = "nonzero|any",
                .help = "which exit code a pending operation asks for"}},
    .severity = 70,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
