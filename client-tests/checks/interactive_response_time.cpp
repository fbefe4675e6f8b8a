#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/operation_end.h"
#include "client-tests/checks/tally.h"

// Who waits hears something soon, even when the dependency is ill.
namespace mishap::client_tests {

namespace {

constexpr Duration kAtItsEnd = std::chrono::milliseconds(500);
constexpr Duration kMoment = std::chrono::milliseconds(20);

double milliseconds_of(Duration value) {
  return std::chrono::duration<double, std::milli>(value).count();
}

class Judge {
 public:
  Judge(const Case& c, Duration within)
      : case_(c), within_(within), limit_(within + late_tolerance(within)) {}

  void look_at(const Operation& operation) {
    if (is_lookup(operation) || operation.polled) return;
    if (std::ranges::none_of(operation.attempts, was_faulted)) return;  // nothing was in the way
    begun_ = operation.attempts.front().exchange->first_byte;
    if (!operation.outcomes.empty()) return judge_line(operation);
    writes_outcomes_for(case_, operation) ? judge_silence(operation) : judge_end(operation);
  }

  Finding settle() && {
    if (tally_.judged() == 0 && !tally_.any_open() && is_unheard_) {
      return not_observed("when the first word came is seen only in outcome lines");
    }
    return std::move(tally_).settle(
        {.failed = "who waits hears nothing for too long",
         .reason = "The first word on an operation came later than a person was promised.",
         .held = counted(tally_.judged(), "operation") + " with a word in time",
         .none = "no fault met an operation"});
  }

 private:
  void judge_line(const Operation& operation) {
    const OutcomeLine& first = **std::ranges::min_element(
        operation.outcomes, {}, [](const OutcomeLine* line) { return line->at; });
    const bool is_late = first.at - begun_ > limit_;
    if (is_late && first.duration_ms && *first.duration_ms <= milliseconds_of(limit_)) {
      return tally_.held(witness(
          operation, fmt::format("{}: its line says {:.0f} ms, and came {} behind the first byte",
                                 operation.name, *first.duration_ms, seconds(first.at - begun_))));
    }
    const bool says_when = first.duration_ms || could_not_be_sooner(operation, first);
    if (is_late && !says_when && came_together(operation.lane)) {
      return tally_.open(
          "all its lines came at its end: when each was written is not known",
          witness(operation, fmt::format("{}: its line came after {}", operation.name,
                                         seconds(first.at - begun_))));
    }
    rule(operation, first.at, "the first word");
  }

  // A success is not known before its answer is there, and nobody tries again what has failed for
  // good.
  bool could_not_be_sooner(const Operation& operation, const OutcomeLine& line) const {
    if (line.outcome == OutcomeKind::Pending) return false;
    const auto known = confirmed_at(operation);
    const bool is_success = line.outcome == OutcomeKind::Succeeded;
    const Duration last = operation.attempts.back().exchange->first_byte;
    return (is_success && known ? *known : last) - begun_ > limit_;
  }

  // As where a file is written when it is closed: in one moment, at the end.
  bool came_together(int lane) const {
    const Duration end = own_until(case_.recording, lane);
    Duration first = end;
    Duration last{};
    for (const OutcomeLine& line : case_.recording.outcomes) {
      if (line.copy != lane) continue;
      first = std::min(first, line.at);
      last = std::max(last, line.at);
    }
    return first >= end - kAtItsEnd && last <= first + kMoment;
  }

  // It tells of others, and had the time to tell of this one.
  void judge_silence(const Operation& operation) {
    const Duration end = own_until(case_.recording, operation.lane);
    // What it had not written out yet went with it.
    if (!ended_by_itself(case_.recording, operation.lane) && came_together(operation.lane)) {
      is_unheard_ = true;
      return;
    }
    if (end < begun_ + limit_) return;  // who ends without a word fails every_operation_accounted
    rule(operation, end, "not a word");
  }

  // Without lines its end is the latest moment for a word; an earlier one is not seen.
  void judge_end(const Operation& operation) {
    const OperationEnd end = end_of(case_, operation);
    const bool is_over = end.how != OperationEnd::How::StillOpen;
    if (is_over && end.at - begun_ <= limit_) return rule(operation, end.at, "over");
    is_unheard_ = true;
  }

  void rule(const Operation& operation, Duration at, std::string_view what) {
    const Duration took = at - begun_;
    const bool kept = took <= limit_;
    Witness cited = witness(
        operation, fmt::format("{}: {} after {} {} {} ({})", operation.name, what, seconds(took),
                               kept ? "<=" : ">", seconds(within_), story_of(operation)));
    kept ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  const Case& case_;
  Duration within_;
  Duration limit_;
  Duration begun_{};
  bool is_unheard_ = false;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  const auto& within = c.recording.scenario.promise.answer_within;
  if (!within) {
    return not_applicable(
        "nobody waits for it, as far as is promised (--promise answer_within=5s)");
  }
  Judge judge(c, *within);
  for (const Operation& operation : c.history.operations) judge.look_at(operation);
  return std::move(judge).settle();
}

}  // namespace

const CheckDescriptor kInteractiveResponseTime = {
    .name = "interactive_response_time",
    .summary = "who waits hears something soon, even when the dependency is ill",
    .rule =
        "first outcome line of an operation, be it pending, - first byte <= answer_within + "
        "max(250 ms, 10 %); or so says the line itself (duration_ms)",
    .judged =
        "operations that a fault met, of clients that promise answer_within (the profile "
        "interactive does); without outcome lines only those that were over in time",
    .why = "A person who sees nothing presses the button again, or leaves.",
    .change =
        "Try once or twice within a few seconds; then say that it is pending, and let a queue go "
        "on.",
    .source = "Azure Architecture Center, Transient fault handling (interactive operations)",
    .since = "0.1",
    .severity = 50,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
