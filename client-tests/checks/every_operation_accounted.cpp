#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/calls_in_vain.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"

// One word about every operation that was submitted, and none about anything else.
namespace mishap::client_tests {

namespace {

bool is_reported_kind(const Case& c, const Operation& operation) {
  return operation.klass != OperationClass::Safe && writes_outcomes_for(c, operation);
}

// Operations by the client's own names, sent or told of.
std::set<std::string> accounted_names(const Case& c, const History& history) {
  std::set<std::string> names;
  for (const Operation& operation : history.operations) {
    if (is_reported_kind(c, operation)) names.insert(operation.name);
  }
  for (const OutcomeLine* line : history.orphan_outcomes) names.insert(line->operation);
  return names;
}

// A life that the scenario ended, and another followed, has no exit code of its own.
bool ended_with_zero(const Recording& recording) {
  return recording.child && !recording.processes.empty() &&
         std::ranges::all_of(recording.processes, [&](const ProcessFacts& process) {
           if (&process != process_of(recording, process.copy)) return true;
           return process.stop == Stop::Exited && process.exit_code == 0;
         });
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    if (!is_reported_kind(case_, operation)) return;
    const std::string text =
        fmt::format("{}: {} after {}", operation.name,
                    operation.outcomes.empty() ? "not a word" : "reported", story_of(operation));
    const Witness cited = witness(operation, text);
    if (!operation.outcomes.empty()) {
      tally_.held(cited);
    } else if (was_ended_by_scenario(case_.recording, operation.lane)) {
      return;  // whether it had time for a word is another check's
    } else if (!ended_by_itself(case_.recording, operation.lane)) {
      tally_.open(text + "; " + how_it_ended(case_.recording, operation.lane), cited);
    } else if (may_have_retried_apart(case_, operation)) {
      tally_.open(operation.name +
                      " may be one of several requests for one operation: its content "
                      "changed and nothing names it",
                  cited);
    } else {
      tally_.broke(cited);
    }
  }

  // Failed or pending before anything was sent is an honest word; done without a request is none.
  void look_at_orphan(const OutcomeLine& line) {
    if (line.outcome != OutcomeKind::Succeeded || !uses_wire_names(case_)) return;
    const Witness cited =
        said(fmt::format("{}: reported succeeded, and no such operation was sent", line.operation));
    // A request that was not read whole may be the one that a line is about.
    if (lane_lines(case_.history).of(line.copy).was_read_whole()) {
      tally_.broke(cited);
    } else {
      tally_.open(line.operation +
                      ": reported succeeded; a request was not read, so whether it "
                      "was sent cannot be told",
                  cited);
    }
  }

  // Fewer than on the good day, and yet all is said to be well: dropped, or put off? Whoever
  // stops early and says so by the exit code is within its rights.
  void compare_with_control() {
    if (!uses_wire_names(case_) || case_.recording.scenario.copies > 1) return;
    if (!ended_with_zero(case_.recording)) return;
    const auto usual = accounted_names(case_, *case_.control_history).size();
    const auto here = accounted_names(case_, case_.history).size();
    if (here >= usual) return;
    tally_.open(fmt::format("the healthy control accounted for {}, this run for {} and with exit "
                            "code 0: the others were dropped or put off",
                            counted(usual, "operation"), here),
                said(fmt::format("{} < {}", here, counted(usual, "operation"))));
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "an operation is not accounted for",
         .reason = "The client began an operation and never said what became of "
                   "it, or speaks of one that it never began.",
         .held = counted(tally_.judged(), "operation") + " accounted for",
         .none = "no unsafe operation whose outcome the client reports"});
  }

 private:
  const Case& case_;
  Tally tally_;
};

bool names_none(const History& history) {
  return std::ranges::all_of(history.operations,
                             [](const Operation& operation) { return operation.outcomes.empty(); });
}

Finding evaluate(const Case& c, const Params&) {
  if (!writes_outcomes(c)) return not_observed("the client writes no outcome lines");
  if (names_none(c.history) && (!c.control_history || names_none(*c.control_history))) {
    return not_observed("the outcome lines name no operation that was seen");
  }
  Judge judge(c);
  for (const auto& operation : c.history.operations) judge.look_at(operation);
  for (const auto* line : c.history.orphan_outcomes) judge.look_at_orphan(*line);
  judge.compare_with_control();
  return judge.settle();
}

}  // namespace

const CheckDescriptor kEveryOperationAccounted = {
    .name = "every_operation_accounted",
    .summary = "no operation is dropped in silence",
    .rule =
        "a line for every unsafe operation that was sent; no success of one that was never sent; "
        "with exit code 0 as many operations as in the healthy control",
    .judged =
        "clients that write outcome lines; one that ended by its own will, and stopped early only "
        "with another exit code than 0",
    .why = "What nobody mentions nobody looks for: the work is lost without an alarm.",
    .change =
        "Write a line for every operation, on every way out: also after the last retry, and where "
        "an exception is caught.",
    .source = "mission A10, A36; Jepsen's ok, fail and info",
    .since = "0.1",
    .severity = 83,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
