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

// An odd Retry-After neither crashes the client nor stalls it nor makes it run hot.
namespace mishap::client_tests {

namespace {

bool may_be_immediate_once(const RetryAfter& asked) {
  return asked.form != RetryAfter::Form::Odd && asked.wait <= Duration{};
}

class Judge {
 public:
  Judge(const Case& c, Duration floor) : case_(c), floor_(floor) {}

  void look_at(const Operation& operation) {
    const auto attempts = policy_attempts(operation);
    std::vector<Witness> hot;
    const Attempt* last_odd = nullptr;
    bool immediate_before = false;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const auto asked = odd_value(*attempts[i]);
      if (!asked) continue;
      last_odd = attempts[i];
      value_ = asked->text;
      if (i + 1 == attempts.size()) continue;
      ++returns_;
      judge_return(operation, i, *asked, immediate_before, hot);
    }
    if (!last_odd) return;
    if (hot.size() > hidden_calls(case_, operation)) {
      hot_.insert(hot_.end(), hot.begin(), hot.end());
    }
    last_odd == attempts.back() ? judge_end(operation, *last_odd)
                                : judge_later(operation, *last_odd);
  }

  Finding settle() {
    // With full jitter one tiny wait is chance (checks.md, check 23): all must be, and more than
    // one.
    const bool is_hot = at_once_ > 1 && at_once_ == returns_;
    for (const auto& witness : hot_) {
      is_hot ? tally_.broke(witness) : tally_.warn(witness.statement);
    }
    return std::move(tally_).settle(
        {.failed = "an odd Retry-After is not survived",
         .reason = fmt::format("Retry-After: {} must neither crash the client, "
                               "nor stall it, nor make it run hot.",
                               shown()),
         .held = fmt::format("Retry-After: {} survived", shown()),
         .none = "no answer carried an odd Retry-After"});
  }

 private:
  std::string shown() const { return value_.empty() ? "(empty)" : value_; }

  std::optional<RetryAfter> odd_value(const Attempt& attempt) const {
    if (!answered(attempt) || status_of(attempt) < 400) return std::nullopt;
    const auto asked = retry_after(case_.recording, *attempt.exchange);
    if (!asked || !is_unusual(*asked, case_.bounds.deadline)) return std::nullopt;
    return asked;
  }

  void judge_return(const Operation& operation, std::size_t index, const RetryAfter& asked,
                    bool& immediate_before, std::vector<Witness>& hot) {
    const auto attempts = policy_attempts(operation);
    const Attempt& next = *attempts[index + 1];
    if (!next.gap || *next.gap >= floor_) return;
    ++at_once_;
    const bool first = !immediate_before;
    immediate_before = true;
    if (first && may_be_immediate_once(asked)) return;
    const auto own = own_delay(case_, operation.method, index + 1);
    if (first && own && *own < floor_) return;  // its habit at this retry, not the header's doing
    hot.push_back(witness(operation, {attempts[index], &next},
                          fmt::format("{}: gap {} < {} after Retry-After: {}", operation.name,
                                      seconds(*next.gap), seconds(floor_), shown())));
  }

  // The client went on after it.
  void judge_later(const Operation& operation, const Attempt& odd) {
    if (!judge_crash(operation, odd)) {
      tally_.held(
          witness(operation, {&odd},
                  fmt::format("{}: went on after Retry-After: {}", operation.name, shown())));
    }
  }

  // It was the last that the client heard about the operation.
  void judge_end(const Operation& operation, const Attempt& odd) {
    if (judge_crash(operation, odd)) return;
    const std::string begin =
        fmt::format("{}: Retry-After: {}, no further attempt", operation.name, shown());
    switch (end_of(case_, operation).how) {
      case OperationEnd::How::StillOpen:
        return judge_waiting(operation, odd, begin);
      case OperationEnd::How::FellSilent:
        tally_.open(begin + "; nothing tells whether it gave up or still waits",
                    witness(operation, {&odd}, begin));
        return;
      case OperationEnd::How::Ended:
      case OperationEnd::How::MovedOn:
      case OperationEnd::How::DriveEnded:
        if (!operation.outcomes.empty() || !writes_outcomes_for(case_, operation)) break;
        tally_.broke(witness(operation, {&odd},
                             fmt::format("{} and no outcome reported; {}", begin,
                                         how_it_ended(case_.recording, operation.lane))));
        return;
      default:
        break;
    }
    if (own_delay(case_, operation.method, policy_attempts(operation).size())) {
      tally_.warn(begin + ", though without the header it retries");
    }
    tally_.held(witness(operation, {&odd}, begin + ": gave up"));
  }

  bool judge_crash(const Operation& operation, const Attempt& odd) {
    const ProcessFacts* process = process_of(case_.recording, operation.lane);
    if (!process || !crashed(*process)) return false;
    tally_.broke(witness(operation, {&odd},
                         fmt::format("{}: Retry-After: {}; {}", operation.name, shown(),
                                     how_it_ended(case_.recording, operation.lane))));
    return true;
  }

  void judge_waiting(const Operation& operation, const Attempt& odd, const std::string& begin) {
    const Duration waited =
        own_until(case_.recording, operation.lane) - *odd.exchange->receipt.last_write;
    const Duration window = quiet_window(case_, operation.lane);
    const Witness cited = witness(
        operation, {&odd},
        fmt::format("{}: still waiting {} {} {} after Retry-After: {}", operation.name,
                    seconds(waited), waited >= window ? ">=" : "<", seconds(window), shown()));
    if (process_of(case_.recording, operation.lane) && waited >= window) {
      tally_.broke(cited);
    } else {
      tally_.open(fmt::format("{}; {}", begin, how_it_ended(case_.recording, operation.lane)),
                  cited);
    }
  }

  const Case& case_;
  Duration floor_;
  std::string value_;
  std::size_t at_once_ = 0;
  std::size_t returns_ = 0;   // attempts after an odd value
  std::vector<Witness> hot_;  // those that came at once
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  Judge judge(c, params.duration("min_delay"));
  for (const auto& operation : c.history.operations) judge.look_at(operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kRetryAfterRobust = {
    .name = "retry_after_robust",
    .summary = "an odd Retry-After neither crashes, stalls nor heats the client",
    .rule =
        "it ends by itself, not by a signal, with an outcome where it reports any; not all of two "
        "or more returns come in less than 50 ms (0 and a past date may do so once)",
    .judged =
        "answers from 400 on whose Retry-After is 0, past, malformed, doubled, or longer than "
        "the deadline",
    .why = "One strange header value must not take the job down or make it sleep for ever.",
    .change =
        "Take a value that is no plain number and no date for absent, and one beyond your "
        "deadline as a reason to give up.",
    .source = "RFC 9110 sections 10.2.3 and 5.6.7; RateLimit header draft (cap absurd values)",
    .since = "0.1",
    .params = {{.name = "min_delay",
                .type = ParamType::Duration,
                .default_text = "50ms",
                .help = "a shorter wait is none"}},
    .severity = 65,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
