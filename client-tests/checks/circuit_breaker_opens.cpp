#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "client-tests/checks/breaker.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// After enough failures calls stop.
namespace mishap::client_tests {

namespace {

constexpr std::size_t kMoreCalls = 50;  // beyond the fewest that a breaker looks at

class Judge {
 public:
  Judge(const Case& c, std::size_t min_calls) : case_(c), min_calls_(min_calls) {}

  void look_at(const BreakerStory& story) {
    const CallLine& line = *story.line;
    const auto& silences = story.silences;
    const auto open = std::ranges::find_if(silences, &Silence::is_open);
    if (open != silences.end()) return judge_open(line, *open);
    const auto doubtful = std::ranges::find_if(silences, &Silence::is_doubtful);
    if (doubtful != silences.end()) return leave_open(line, *doubtful, std::string(kDoubtful));
    // Before a breaker has to open a pause is one between retries.
    const auto quiet = std::ranges::find_if(
        silences, [&](const Silence& silence) { return silence.failed >= min_calls_; });
    if (quiet != silences.end()) return look_at_quiet(line, *quiet);
    judge_regardless(story);
  }

  Finding settle() && {
    if (tally_.judged() == 0 && is_unheard_) {
      return not_observed("what is not sent is seen only in outcome lines (MISHAP_OUTCOMES)");
    }
    const std::string none =
        most_failures_ == 0
            ? "no call failed"
            : fmt::format(
                  "{} failed; a breaker that does not open is seen by {} in a row and {} more",
                  counted(most_failures_, "call"), min_calls_, kMoreCalls);
    return std::move(tally_).settle(
        {.failed = "the breaker does not open",
         .reason = "Most calls failed, and the client went on as before.",
         .held = "calls stop while most of them fail",
         .none = none});
  }

 private:
  void judge_open(const CallLine& line, const Silence& silence) {
    const Duration limit = case_.bounds.attempt_timeout / 10;
    std::string said =
        fmt::format("{}: nothing was under way for {} while {} operations were begun", line.name(),
                    seconds(silence.to - silence.from), silence.unsent);
    const bool is_fast = !silence.typical || *silence.typical < limit;
    if (silence.typical) {
      said += fmt::format("; they failed within {} {} {}", seconds(*silence.typical),
                          is_fast ? "<" : ">=", seconds(limit));
    } else {
      tally_.warn("how fast calls fail while the breaker is open is not told (duration_ms)");
    }
    Witness cited = witness_of(line, silence.next == 0 ? 0 : silence.next - 1, silence.next, said);
    is_fast ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  // Without operations it may have had nothing to do.
  void look_at_quiet(const CallLine& line, const Silence& silence) {
    if (!writes_outcomes(case_)) {
      is_unheard_ = true;
      return;
    }
    leave_open(line, silence,
               "nothing was sent for a while, and nothing says that the client had more to do");
  }

  void leave_open(const CallLine& line, const Silence& silence, std::string why) {
    tally_.open(std::move(why),
                witness_of(line, silence.next == 0 ? 0 : silence.next - 1, silence.next,
                           fmt::format("{}: nothing was under way for {}; {} told of and not sent",
                                       line.name(), seconds(silence.to - silence.from),
                                       counted(silence.unsent, "operation"))));
  }

  void judge_regardless(const BreakerStory& story) {
    const CallLine& line = *story.line;
    const auto& [count, last] = story.operations;
    if (count >= kMoreCalls) {
      return tally_.broke(witness_of(
          line, last, last + 1,
          fmt::format("{}: after {} operations in a row that failed within 30 s {} more were begun "
                      "(>= {}), and no pause",
                      line.name(), min_calls_, count, kMoreCalls)));
    }
    if (story.attempts.count < kMoreCalls) {
      most_failures_ = std::max(most_failures_, story.failures);
      return;
    }
    tally_.open(
        "many attempts failed, which one breaker counts and another does not: too few operations "
        "failed for good within 30 s, or as many of the copy succeeded",
        witness_of(line, story.attempts.last, story.attempts.last + 1,
                   fmt::format("{}: after {} failures in a row {} more attempts came, and {} {} of "
                               "operations that any breaker had to stop",
                               line.name(), min_calls_, story.attempts.count, count,
                               count == 1 ? "beginning" : "beginnings")));
  }

  const Case& case_;
  std::size_t min_calls_;
  std::size_t most_failures_ = 0;
  bool is_unheard_ = false;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  const auto& promised = c.recording.scenario.promise.breaker;
  if (!promised) return not_applicable("no breaker is promised (--promise breaker=5s)");
  const auto min_calls = static_cast<std::size_t>(params.integer("min_calls"));
  Judge judge(c, min_calls);
  const CallLines lines(c.history);
  const Unsent unsent(c);
  for (const auto& story : tell_breakers(c, lines, unsent, *promised, min_calls)) {
    judge.look_at(story);
  }
  return std::move(judge).settle();
}

}  // namespace

const CheckDescriptor kCircuitBreakerOpens = {
    .name = "circuit_breaker_opens",
    .summary = "after enough failures calls stop",
    .rule =
        "behind 5 failed operations nothing is under way on a route for max(half of the promised "
        "time, five times the time between calls) while five operations or more are begun, and "
        "these fail within 10 % of the attempt timeout; 50 operations begun behind 100 in a row "
        "that failed for good within 30 s, without such a pause, and no more successes than "
        "failures of the copy in these: fail",
    .judged =
        "clients that promise a breaker, on routes on which calls failed; what was not sent while "
        "another route was in trouble is open to doubt",
    .why = "Calls to what is down hold threads and people, and keep it down.",
    .change =
        "Count the latest calls to each dependency, and fail at once for a while when half of them "
        "failed.",
    .source = "Polly and Resilience4j, circuit breaker; Azure, Circuit Breaker pattern",
    .since = "0.1",
    .params = {{.name = "min_calls",
                .type = ParamType::Integer,
                .default_text = "100",
                .range = "1..100000",
                .help = "the fewest calls that a breaker looks at"}},
    .severity = 44,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
