#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/calls_in_vain.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/operation_end.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/checks/rule_reach.h"
#include "client-tests/checks/tally.h"

// It does retry where it should: without this a client that never retries passes everything else.
namespace mishap::client_tests {

namespace {

// Giving up is a right answer to a longer wait (checks.md, retry_after_honored).
constexpr Duration kReasonableWait = std::chrono::seconds(5);

bool is_retryable_class(const Operation& operation) {
  return operation.klass != OperationClass::Unkeyed;
}

// A failure that a fault made and after which the vendor would have been well again.
bool is_occasion(const Case& c, const Attempt& failure) {
  if (!is_transient(failure) || !was_faulted(failure)) return false;
  if (would_fail_again(c.recording, failure)) return false;
  const auto asked = retry_after(c.recording, *failure.exchange);
  // A value that asks for nothing is no header (RFC 9110 section 10.2.3): the own delay applies.
  return !asked || !asked->asks_to_wait() || asked->wait <= kReasonableWait;
}

// A lookup after the failure that found the effect settles an unsafe call as well as a repetition.
bool was_found_after(const Operation& operation, const Attempt& failure) {
  return std::any_of(operation.lookups.begin(), operation.lookups.end(), [&](const auto* lookup) {
    return lookup->found && is_valid_lookup(*lookup) &&
           lookup->first_byte > failure.exchange->first_byte;
  });
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    // Equal calls in flight at once: which of them is whose retry cannot be told.
    if (operation.overlapping || may_have_retried_apart(case_, operation)) return;
    const auto attempts = policy_attempts(operation);
    const Attempt& last = *attempts.back();
    if (operation.attempts.back().result == Result::Success) {
      judge_recovery(operation, attempts);
    } else if (was_ended_by_scenario(case_.recording, operation.lane)) {
      return;
    } else if (is_occasion(case_, last) && !out_of_attempts(attempts.size()) &&
               !out_of_time(operation, last)) {
      judge_giving_up(operation, last, attempts.size());
    }
  }

  // Connects that were turned away while a later one would have been let in.
  void look_at_lane(int lane) {
    const auto connects = turned_away(case_.recording, lane);
    if (connects.empty() || !would_have_been_let_in(*connects.back())) return;
    const auto unheard = unheard_operations(case_, lane);
    const std::string words = turned_away_words(case_.recording, lane);
    if (!unheard.empty()) {
      judge_unheard(unheard, connects);
    } else if (none_is_missing(case_, lane)) {
      ++recovered_;
      tally_.held(said(words + ", and no call was lost"));
    } else if (const CallCount count = count_calls(case_, lane);
               case_.control && count.seen >= count.usual) {
      return;  // as many as usual, though one of them may have been for something else
    } else if (case_.bounds.retries) {
      tally_.open(words + ": whether a call was given up then cannot be told", said(words));
    } else {
      tally_.warn(words + ": whether a call was given up then cannot be told");
    }
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a passing failure was not retried",
         .reason = "The next attempt would have succeeded, but it was not made.",
         .held = held_words(),
         .none = "no operation met a failure that would have passed"});
  }

 private:
  std::string held_words() const {
    if (recovered_ > 0) return counted(recovered_, "operation") + " recovered";
    return tried_again_ > 0 ? "tried again while nobody was let in"
                            : "nothing promised, and nothing retried";
  }

  void judge_recovery(const Operation& operation, const std::vector<const Attempt*>& attempts) {
    const bool failed_first =
        std::any_of(attempts.begin(), attempts.end(), [&](const Attempt* attempt) {
          return attempt != &operation.attempts.back() && is_transient(*attempt) &&
                 was_faulted(*attempt);
        });
    // The client's own next equal call may be what looks like the retry.
    if (!failed_first || repeats_by_habit(case_, operation)) return;
    ++recovered_;
    tally_.held(witness(operation, fmt::format("{}: {}", operation.name, story_of(operation))));
  }

  void judge_giving_up(const Operation& operation, const Attempt& last, std::size_t attempts) {
    const std::string text =
        fmt::format("{}: {}, no further attempt", operation.name, story_of(operation));
    const Witness cited = witness(operation, text);
    if (was_found_after(operation, last)) {
      ++recovered_;
      tally_.held(cited);
    } else if (!is_over(operation, last)) {
      tally_.open(fmt::format("{}: {} before it could be seen whether it retries", operation.name,
                              how_it_ended(case_.recording, operation.lane)),
                  cited);
    } else if (is_optional_transient(last) || attempts > 1 || !case_.bounds.retries) {
      tally_.warn(text);
      tally_.held(cited);
    } else {
      tally_.broke(cited);
    }
  }

  // For good, or longer than the client has time: then it is right to give up. Where another rule
  // refuses too nobody knows who would have been let in.
  bool would_have_been_let_in(const server::TurnedAway& connect) const {
    const auto& rules = case_.recording.scenario.rules;
    if (std::ranges::count(rules, "refuse", &RuleFacts::fault) > 1) return false;
    const auto& spells = case_.recording.journal.spells;
    const auto spell = std::ranges::find(spells, connect.spell, &server::ListenerSpell::number);
    return spell != spells.end() && spell->what == "refused" && spell->until &&
           *spell->until - connect.at < case_.bounds.deadline - case_.bounds.deadline / 5;
  }

  std::size_t missing_calls(const std::vector<const OutcomeLine*>& unheard) const {
    const CallCount count = count_calls(case_, unheard.front()->copy);
    return std::max(unheard.size(), count.usual - std::min(count.usual, count.seen));
  }

  // Whether none of them was tried again; nothing where that cannot be told. One connect alone is
  // one try. Of a client that does one thing after the other as many connects as calls are missing
  // are a try each, where there is one before its word about each; others may have tried one call
  // twice and another not at all (a breaker). More connects than calls are tries again.
  std::optional<bool> tried_once_each(
      const std::vector<const OutcomeLine*>& unheard,
      const std::vector<const server::TurnedAway*>& connects) const {
    const int lane = unheard.front()->copy;
    const std::size_t missing = missing_calls(unheard);
    if (connects.size() > missing) return false;
    if (!all_heard(case_.recording, lane)) return std::nullopt;
    if (connects.size() == 1 && unheard.size() == 1) return true;
    if (connects.size() < missing || !works_in_sequence(case_, lane)) return std::nullopt;
    return has_one_before_each_word(unheard, connects) ? std::optional(true) : std::nullopt;
  }

  // The kernel tells of a socket's end some time after it, the client's line is seen sooner.
  static bool has_one_before_each_word(const std::vector<const OutcomeLine*>& unheard,
                                       const std::vector<const server::TurnedAway*>& connects) {
    constexpr Duration kToldLate = std::chrono::milliseconds(20);
    std::vector<Duration> free;
    for (const auto* connect : connects) free.push_back(connect->at);
    for (const OutcomeLine* line : unheard) {
      const auto before =
          std::ranges::find_if(free, [&](Duration at) { return at <= line->at + kToldLate; });
      if (before == free.end()) return false;
      free.erase(before);
    }
    const bool at_once = unheard.size() > 1 &&
                         unheard.back()->at - unheard.front()->at < std::chrono::milliseconds(1);
    return !at_once;  // written together at the end, they say nothing of the order
  }

  void judge_unheard(const std::vector<const OutcomeLine*>& unheard,
                     const std::vector<const server::TurnedAway*>& connects) {
    const int lane = unheard.front()->copy;
    const std::string text = fmt::format(
        "{}: {} for {} that never came", unheard.front()->operation,
        turned_away_words(case_.recording, lane), counted(missing_calls(unheard), "call"));
    const auto once = tried_once_each(unheard, connects);
    if (once == false) {
      ++tried_again_;
      tally_.held(said(text));
    } else if (!case_.bounds.retries || out_of_attempts(1)) {
      tally_.warn(text + (once ? ", none was tried again" : ""));
      tally_.held(said(text));
    } else if (!once) {
      const std::string open = text + ", and whether it was tried again cannot be told";
      tally_.open(open, said(open));
    } else if (!ended_by_itself(case_.recording, lane)) {
      tally_.open(text + "; " + how_it_ended(case_.recording, lane), said(text));
    } else {
      tally_.broke(said(text + ", none was tried again"));
    }
  }

  bool is_over(const Operation& operation, const Attempt& last) const {
    const Duration since = last.failed_at.value_or(last.exchange->first_byte);
    return end_of(case_, operation).how == OperationEnd::How::Told ||
           is_closed_after(case_, operation.lane, since);
  }

  bool out_of_attempts(std::size_t attempts) const {
    return case_.bounds.max_attempts_promised &&
           attempts >= static_cast<std::size_t>(case_.bounds.max_attempts);
  }

  // Trap 24: when the deadline bites first there is no room for another attempt.
  bool out_of_time(const Operation& operation, const Attempt& last) const {
    const Duration begin = operation.attempts.front().exchange->first_byte;
    const Duration until = last.failed_at.value_or(last.exchange->first_byte);
    return until - begin >= case_.bounds.deadline - case_.bounds.deadline / 5;
  }

  const Case& case_;
  std::size_t recovered_ = 0;
  std::size_t tried_again_ = 0;  // lanes whose refused calls were tried more than once
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (c.bounds.retries == std::optional(false)) {
    return not_applicable("your client promises not to retry");
  }
  Judge judge(c);
  for (const auto& operation : c.history.operations) {
    if (is_retryable_class(operation)) judge.look_at(operation);
  }
  for (int lane = 0; lane < c.recording.scenario.copies; ++lane) judge.look_at_lane(lane);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kRecoversFromTransient = {
    .name = "recovers_from_transient",
    .summary = "passing failures are retried",
    .rule =
        "a retryable failure that would have passed is followed by another attempt (or by a "
        "lookup that found the effect); where no retries are promised: a warning",
    .judged =
        "safe, idempotent and keyed operations under a fault that stops, and connects that were "
        "refused meanwhile; 500 and 408 need not be retried, a Retry-After beyond 5 s need not be "
        "waited for",
    .why =
        "A client that gives up at the first hiccup loses work that a second try would have "
        "done.",
    .change =
        "Retry 429, 502, 503, 504, broken connections and timeouts a few times, with backoff.",
    .source = "storage conformance scenarios 1 and 2; RFC 9110 section 9.2.2",
    .since = "0.1",
    .severity = 50,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
