#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/lives.h"
#include "client-tests/checks/tally.h"

// Who is told to end while it waits, ends.
namespace mishap::client_tests {

namespace {

constexpr std::array<std::string_view, 2> kCancels{"SIGTERM", "SIGINT"};

struct Cancel {
  std::string signal;
  Duration at{};
  int life = 1;           // that it was for
  bool restarts = false;  // what is not settled goes on in the next one
};

std::optional<Cancel> first_cancel(const Case& c, int lane) {
  std::optional<Cancel> first;
  for (const server::Exchange* exchange : lane_lines(c.history).of(lane).exchanges()) {
    for (const server::ClientSignal& signal : exchange->receipt.signals) {
      const bool cancels = std::ranges::find(kCancels, signal.name) != kCancels.end();
      if (!cancels || !signal.sent) continue;
      if (first && *signal.sent >= first->at) continue;
      const int life = Lives(c.recording, lane).at(*signal.sent);
      first = Cancel{signal.name, *signal.sent, life, signal.restarts};
    }
  }
  return first;
}

bool was_over(const Operation& operation, Duration at) {
  return std::ranges::any_of(operation.outcomes, [&](const OutcomeLine* line) {
    return line->at <= at && line->outcome != OutcomeKind::Pending;
  });
}

// Between two attempts at that instant: the last one had failed in a way that is worth another.
bool was_waiting(const Operation& operation, Duration at) {
  const Attempt* last = nullptr;
  for (const Attempt& attempt : operation.attempts) {
    if (attempt.exchange->first_byte <= at) last = &attempt;
  }
  if (last == nullptr || was_over(operation, at)) return false;
  return is_transient(*last) && last->failed_at && *last->failed_at <= at;
}

class Judge {
 public:
  Judge(const Case& c, const Params& params)
      : case_(c), still_(params.duration("still")), end_(params.duration("end")) {}

  void look_at(int lane) {
    const auto cancel = first_cancel(case_, lane);
    if (!cancel) return;
    std::vector<const Operation*> waiting;
    for (const Operation* operation : operations_of(case_.history, lane)) {
      if (was_waiting(*operation, cancel->at)) waiting.push_back(operation);
    }
    if (waiting.empty()) {
      const std::string text = cancel->signal + " came while nothing waited for its next attempt";
      return tally_.open(text, said(text));
    }
    judge_attempts(lane, *cancel);
    judge_words(waiting, *cancel);
    judge_end(lane, *cancel);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a client that was told to end went on",
         .reason = "After the signal a request was sent, an operation got no last "
                   "word, or the process stayed.",
         .held = "ended in the middle of a wait",
         .none = "no scenario told the client to end"});
  }

 private:
  void judge_attempts(int lane, const Cancel& cancel) {
    for (const Operation* operation : operations_of(case_.history, lane)) {
      if (is_lookup(*operation)) continue;
      for (const Attempt& attempt : operation->attempts) {
        if (attempt.life != cancel.life) continue;
        if (attempt.exchange->first_byte <= cancel.at + still_) continue;
        return tally_.broke(witness(
            *operation, {&attempt},
            fmt::format("{}: #{} was sent {} after {} > {}", operation->name,
                        attempt.exchange->number, seconds(attempt.exchange->first_byte - cancel.at),
                        cancel.signal, seconds(still_))));
      }
    }
    tally_.held(said("no attempt later than " + seconds(still_) + " after " + cancel.signal));
  }

  void judge_words(const std::vector<const Operation*>& waiting, const Cancel& cancel) {
    if (!writes_outcomes(case_) || cancel.restarts) return;
    for (const Operation* operation : waiting) {
      Witness cited = witness(
          *operation,
          fmt::format("{}: waited for its next attempt at {}, {}", operation->name, cancel.signal,
                      operation->outcomes.empty() ? "and not a word of it" : "and was reported"));
      operation->outcomes.empty() ? tally_.broke(std::move(cited)) : tally_.held(std::move(cited));
    }
  }

  void judge_end(int lane, const Cancel& cancel) {
    const Lives lives(case_.recording, lane);
    const auto process = std::ranges::find(lives.all(), cancel.life, &ProcessFacts::life);
    if (process == lives.all().end()) return;
    const Duration took = (*process)->ended - cancel.at;
    const Witness cited = said(fmt::format("ended {} after {} {} {}", seconds(took), cancel.signal,
                                           took <= end_ ? "<=" : ">", seconds(end_)));
    took <= end_ ? tally_.held(cited) : tally_.broke(cited);
  }

  const Case& case_;
  Duration still_;
  Duration end_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  Judge judge(c, params);
  for (int lane = 0; lane < c.recording.scenario.copies; ++lane) judge.look_at(lane);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kCancellationStopsRetries = {
    .name = "cancellation_stops_retries",
    .summary = "a client that is told to end does not finish its retries first",
    .rule =
        "after SIGTERM or SIGINT: no attempt later than 1 s, a line for each operation that "
        "waited (of a client that writes them), the end within 5 s",
    .judged = "clients that a scenario signalled while an operation waited for its next attempt",
    .why = "A deploy kills what does not end in time, and nobody knows what became of its work.",
    .change =
        "Wait so that a signal ends the wait; then send nothing more, report what is not "
        "settled as pending, and exit.",
    .source = "SDKs that look at a cancelled context before they retry; twelve-factor app, IX",
    .since = "0.1",
    .params = {{.name = "still",
                .type = ParamType::Duration,
                .default_text = "1s",
                .help = "until when an attempt may still go out"},
               {.name = "end",
                .type = ParamType::Duration,
                .default_text = "5s",
                .help = "until when the process must have ended"}},
    .severity = 66,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
