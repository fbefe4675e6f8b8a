#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/checks/tally.h"

// 409 "the first one with this key is still running" is waited out.
namespace mishap::client_tests {

namespace {

constexpr StatusCode kConflict = 409;

// Another request with its key had come whole and was not carried out yet when this one was
// answered: the well vendor's 409 then says so by its problem type.
bool was_still_running(const Operation& operation, const Attempt& conflict) {
  const auto& told = conflict.exchange->receipt.first_write;
  return told && std::ranges::any_of(operation.attempts, [&](const Attempt& other) {
           const server::Exchange& first = *other.exchange;
           const bool is_earlier = first.request_read && *first.request_read < *told;
           const bool is_open = !first.applied || *first.applied > *told;
           return &other != &conflict && first.request.complete && is_earlier && is_open &&
                  first.request.key == conflict.exchange->request.key;
         });
}

class Judge {
 public:
  Judge(const Case& c, const Params& params)
      : case_(c),
        scripted_too_(params.boolean("scripted")),
        min_delay_(params.duration("min_delay")) {}

  void look_at(const Operation& operation) {
    if (may_be_several_calls(operation)) return;
    const auto attempts = policy_attempts(operation);
    std::vector<const Attempt*> hot;  // the conflict and the attempt that came at once
    std::vector<Witness> early;       // before Retry-After was over
    bool is_fine = true;
    bool any = false;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      if (!is_in_progress(operation, *attempts[i])) continue;
      any = true;
      const bool goes_on = i + 1 < attempts.size();
      const bool was_good = goes_on
                                ? judge_next(operation, *attempts[i], *attempts[i + 1], hot, early)
                                : judge_end(operation, *attempts[i]);
      is_fine = is_fine && was_good;
    }
    // What a queue delivers again by habit looks like a retry that came early.
    if (early.size() > hidden_calls(case_, operation)) {
      for (Witness& witness : early) tally_.broke(std::move(witness));
    }
    if (!any || judge_pace(operation, hot) || !is_fine) return;
    tally_.held(witness(operation, fmt::format("{}: {}", operation.name, story_of(operation))));
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a 409 for a request still running was not waited out",
         .reason = "The first request under the key was still being processed; the same key asked "
                   "again a little later gives its answer.",
         .held = counted(tally_.judged(), "conflict") + " waited out",
         .none = "no request was told that the one before with its key is still running"});
  }

 private:
  // Equal calls that the user makes on purpose, each with its key, may stand behind one operation.
  bool may_be_several_calls(const Operation& operation) const {
    return operation.keys.size() > 1 && operation.keys.size() <= 1 + hidden_calls(case_, operation);
  }

  // The vendor's own conflicts are known; what a fault answers only its author can tell.
  bool is_in_progress(const Operation& operation, const Attempt& attempt) const {
    if (status_of(attempt) != kConflict || attempt.exchange->request.key.empty()) return false;
    return attempt.exchange->answer.healthy ? was_still_running(operation, attempt) : scripted_too_;
  }

  bool judge_next(const Operation& operation, const Attempt& conflict, const Attempt& next,
                  std::vector<const Attempt*>& hot, std::vector<Witness>& early) {
    const std::string& key = conflict.exchange->request.key;
    const std::string& other = next.exchange->request.key;
    if (key != other) {
      tally_.broke(witness(
          operation, {&conflict, &next},
          fmt::format("{}: {} after 409 for key {}, which was still running", operation.name,
                      other.empty() ? "no key" : "key " + shown_key(other), shown_key(key))));
      return false;
    }
    if (!next.gap) return true;
    const auto asked = retry_after(case_.recording, *conflict.exchange);
    const bool has_floor =
        asked && asked->form == RetryAfter::Form::Seconds && asked->asks_to_wait();
    if (has_floor && *next.gap < asked->wait - kEarly) {
      early.push_back(witness(operation, {&conflict, &next},
                              fmt::format("{}: again {} after 409 < Retry-After {}", operation.name,
                                          seconds(*next.gap), seconds(asked->wait))));
      return false;
    }
    if (!has_floor && *next.gap < min_delay_) hot.insert(hot.end(), {&conflict, &next});
    return true;
  }

  // One immediate repetition may be a habit; several are no waiting.
  bool judge_pace(const Operation& operation, const std::vector<const Attempt*>& hot) {
    if (hot.empty()) return false;
    const std::size_t times = hot.size() / 2;
    const std::string text =
        fmt::format("{}: {} at once after 409 (gap {} < {})", operation.name,
                    counted(times, "attempt"), seconds(*hot[1]->gap), seconds(min_delay_));
    if (times < 2) {
      tally_.warn(text);
      return false;
    }
    tally_.broke(witness(operation, hot, text));
    return true;
  }

  // No further attempt: what did the client make of it?
  bool judge_end(const Operation& operation, const Attempt& conflict) {
    const Duration since = *conflict.exchange->receipt.last_write;
    const std::string text =
        fmt::format("{}: {}, no further attempt", operation.name, story_of(operation));
    if (was_found(operation, since)) return true;
    if (!operation.outcomes.empty()) return judge_word(operation, text);
    if (!is_closed_after(case_, operation.lane, since)) {
      tally_.open(fmt::format("{} was still in conflict: {}", operation.name,
                              how_it_ended(case_.recording, operation.lane)),
                  witness(operation, {&conflict}, text));
    } else {
      // It may have told its user that the booking failed, which is made a moment later.
      tally_.open(fmt::format("{} was given up at a 409 while it was still running, and what was "
                              "made of that is not told: ask again with the same key, or write "
                              "outcome lines (MISHAP_OUTCOMES)",
                              operation.name),
                  witness(operation, {&conflict}, text));
    }
    return false;
  }

  bool judge_word(const Operation& operation, const std::string& text) {
    switch (operation.outcomes.back()->outcome) {
      case OutcomeKind::Failed:
        tally_.broke(witness(operation, text + ", reported failed"));
        return false;
      case OutcomeKind::Pending:
        tally_.warn(text + ", left pending");
        return true;
      case OutcomeKind::Succeeded:
        return false;  // other checks ask what that rests on
    }
    return false;
  }

  static bool was_found(const Operation& operation, Duration since) {
    return std::ranges::any_of(operation.lookups, [&](const server::Exchange* lookup) {
      return lookup->found && is_valid_lookup(*lookup) && lookup->first_byte > since;
    });
  }

  const Case& case_;
  bool scripted_too_;
  Duration min_delay_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  Judge judge(c, params);
  for (const Operation& operation : c.history.operations) {
    if (!operation.overlapping) judge.look_at(operation);
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kInProgressConflictHandled = {
    .name = "in_progress_conflict_handled",
    .summary = "a 409 for a request that is still running is waited out",
    .rule =
        "after it the same key again, not before Retry-After (or not twice within min_delay); no "
        "new key; not reported failed",
    .judged =
        "keyed operations answered 409 (problem type in-progress) by the vendor itself while an "
        "earlier request with the key was not carried out yet; other conflicts are no occasion",
    .why =
        "The booking is being made: whoever calls it failed, or asks under a new key, makes a "
        "second one.",
    .change =
        "Tell this 409 by its problem type, wait, and send the same request with the same key "
        "again; its answer is the one you missed.",
    .source = "draft-ietf-httpapi-idempotency-key-header section 2.7",
    .since = "0.1",
    .params = {{.name = "scripted",
                .type = ParamType::Boolean,
                .default_text = "false",
                .help = "a 409 that a fault answers means in progress as well"},
               {.name = "min_delay",
                .type = ParamType::Duration,
                .default_text = "50ms",
                .help = "a shorter wait is none, where no Retry-After asks for one"}},
    .severity = 85,
    .families = {Family::SecondEffect, Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
