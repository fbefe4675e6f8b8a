#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/operation_end.h"
#include "client-tests/checks/own_delay.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/checks/tally.h"

// The wait that the server asks for is a floor.
namespace mishap::client_tests {

namespace {

// A client that gives up rather than wait that long has its reasons (checks.md, check 29).
constexpr Duration kReasonableWait = std::chrono::seconds(5);

// Dates have whole seconds, on both sides (trap 37): one that is nearer asks for nothing.
constexpr Duration kNearestDate = std::chrono::milliseconds(1500);

// A redirect asks for the wait before the redirected request.
bool may_ask_to_wait(const Attempt& attempt) {
  const StatusCode status = status_of(attempt);
  return status == 413 || status == 429 || status == 503 || attempt.result == Result::Redirect;
}

struct Ask {
  const Operation& operation;
  const Attempt& refused;
  std::size_t index;  // of the refused attempt, from 0
  RetryAfter asked;
  Duration sent{};
};

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    std::vector<Witness> early;
    const auto attempts = policy_attempts(operation);
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const auto ask = ask_of(operation, *attempts[i], i);
      if (!ask) continue;
      if (i + 1 == attempts.size()) {
        judge_giving_up(*ask);
      } else if (!attempts[i + 1]->hedged) {
        judge_return(*ask, *attempts[i + 1], early);
      }
    }
    // The user's next equal call looks like a retry that came early.
    if (early.size() <= hidden_calls(case_, operation)) return;
    for (auto& witness : early) tally_.broke(std::move(witness));
  }

  Finding settle() {
    return std::move(tally_).settle({.failed = "came back before Retry-After was over",
                                     .reason = "The vendor had said how long to wait.",
                                     .held = counted(tally_.judged(), "wait") + " kept",
                                     .none = none()});
  }

 private:
  std::optional<Ask> ask_of(const Operation& operation, const Attempt& attempt,
                            std::size_t index) const {
    if (!may_ask_to_wait(attempt)) return std::nullopt;
    const auto asked = retry_after(case_.recording, *attempt.exchange);
    if (!asked || !asked->asks_to_wait()) return std::nullopt;
    if (asked->form == RetryAfter::Form::Date && asked->wait < kNearestDate) return std::nullopt;
    return Ask{operation, attempt, index, *asked, *attempt.exchange->receipt.last_write};
  }

  std::string none() const {
    return gave_up_by_nature_ ? "your client does not retry"
                              : "no answer asked to wait for a plain time or date";
  }

  static Duration early_tolerance(const Ask& ask) {
    return ask.asked.form == RetryAfter::Form::Date ? kEarlyDate : kEarly;
  }

  std::string inequality(const Ask& ask, Duration gap, bool kept) const {
    const std::string what = ask.asked.form == RetryAfter::Form::Date
                                 ? fmt::format("the date {} ahead", seconds(ask.asked.wait))
                                 : fmt::format("Retry-After {} s", ask.asked.text);
    return fmt::format("{}: gap {} {} {} - {}", ask.operation.name, seconds(gap), kept ? ">=" : "<",
                       what, seconds(early_tolerance(ask)));
  }

  void judge_return(const Ask& ask, const Attempt& next, std::vector<Witness>& early) {
    // Whoever is started anew does not know what its last life was told.
    if (next.life != ask.refused.life) return;
    const Duration gap = next.exchange->first_byte - ask.sent;
    const bool kept = gap >= ask.asked.wait - early_tolerance(ask);
    const Witness cited = witness(ask.operation, {&ask.refused, &next}, inequality(ask, gap, kept));
    if (!kept) {
      early.push_back(cited);
      return;
    }
    if (ask.asked.form == RetryAfter::Form::Date && gap < ask.asked.wait) {
      tally_.warn(cited.statement + ": early, within the second that a date resolves");
    }
    if (gap > 2 * ask.asked.wait + case_.bounds.max_delay) {
      tally_.warn(cited.statement + ": much longer than asked");
    }
    discriminate(ask, cited);
  }

  // A client whose own delay is as long waits long enough without having read the header.
  void discriminate(const Ask& ask, const Witness& cited) {
    const auto own = own_delay(case_, ask.operation.method, ask.index + 1);
    if (!own) {
      tally_.warn(
          cited.statement +
          ": kept; whether it would have waited as long anyway is not known (compare_with says)");
      tally_.held(cited);
    } else if (*own <= ask.asked.wait / 2 + kEarly) {
      tally_.held(cited);
    } else {
      tally_.open(fmt::format("its own delay of {} is as long as the {} asked for", seconds(*own),
                              seconds(ask.asked.wait)),
                  cited);
    }
  }

  void judge_giving_up(const Ask& ask) {
    if (ask.refused.result == Result::Redirect) return;  // nobody has to follow
    if (has_reason_to_stop(ask) || was_ended_by_scenario(case_.recording, ask.operation.lane)) {
      return;
    }
    if (was_asked_for_instead(ask)) return;
    if (!ever_retries(case_)) {
      gave_up_by_nature_ = true;
      return;
    }
    const int lane = ask.operation.lane;
    const std::string text =
        fmt::format("{}: no attempt after Retry-After: {}", ask.operation.name, ask.asked.text);
    const Witness cited = witness(ask.operation, {&ask.refused}, text);
    const bool over = !ask.operation.outcomes.empty() || ended_by_itself(case_.recording, lane) ||
                      end_of(case_, ask.operation).how == OperationEnd::How::DriveEnded;
    if (!over) {
      tally_.open(fmt::format("{}; {}", text, how_it_ended(case_.recording, lane)), cited);
    } else if (ask.asked.wait > kReasonableWait) {
      tally_.held(cited);
    } else {
      tally_.open(fmt::format("{}: it gave up", text), cited);
    }
  }

  // It waited, and then looked whether it is done rather than send it again (its key is too old).
  static bool was_asked_for_instead(const Ask& ask) {
    const Duration earliest = ask.sent + ask.asked.wait - early_tolerance(ask);
    return std::ranges::any_of(ask.operation.lookups, [&](const server::Exchange* lookup) {
      return lookup->first_byte >= earliest;
    });
  }

  // Promised not to retry, out of attempts, or the wait would have passed the deadline.
  bool has_reason_to_stop(const Ask& ask) const {
    const Bounds& bounds = case_.bounds;
    if (bounds.retries == std::optional(false)) return true;
    if (bounds.max_attempts_promised &&
        ask.index + 1 >= static_cast<std::size_t>(bounds.max_attempts)) {
      return true;
    }
    const Duration begin = ask.operation.attempts.front().exchange->first_byte;
    return bounds.deadline_promised && ask.sent - begin + ask.asked.wait > bounds.deadline &&
           ask.asked.wait <= kReasonableWait;
  }

  const Case& case_;
  bool gave_up_by_nature_ = false;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (const auto& operation : c.history.operations) judge.look_at(operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kRetryAfterHonored = {
    .name = "retry_after_honored",
    .summary = "the wait that the server asks for is a floor",
    .rule = "gap >= Retry-After - 50 ms; for a date: first byte >= date - 1 s",
    .judged =
        "429, 503 and 413 with a plain number of seconds or a date ahead (all three forms), "
        "where the client's own delay is shorter, and redirects that are followed with the same "
        "unsafe request; giving up instead of waiting longer than 5 s is no violation",
    .why = "Coming back early prolongs the limit and can get the account blocked.",
    .change =
        "Read Retry-After on 429 and 503, as seconds and as a date, and wait at least that "
        "long; add jitter above it, not around it.",
    .source = "RFC 9110 section 10.2.3; RFC 6585 section 4",
    .since = "0.1",
    .timing = true,
    .severity = 55,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
