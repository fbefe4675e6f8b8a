#include <algorithm>
#include <map>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/operation_end.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/observe/backoff.h"
#include "client-tests/statistics/sample.h"
#include "mishap/observed.h"

namespace mishap::client_tests {

namespace {

double number(Duration value) {
  return std::chrono::duration<double>(value).count();
}

// What the attempt met, in a word that does not depend on when it was.
std::string failure_of(const Attempt& attempt) {
  if (attempt.result == Result::Success || attempt.result == Result::Redirect) return {};
  if (attempt.result == Result::Broken) {
    return attempt.exchange->receipt.ending == server::Ending::Reset ? "reset" : "close";
  }
  const bool is_unanswered =
      attempt.result == Result::Abandoned || attempt.result == Result::Unanswered;
  if (is_unanswered) return "no answer";
  return std::to_string(status_of(attempt));
}

// The one failure of all its attempts, where they have but one and a rule made it; else empty.
std::string only_failure_of(const std::vector<const Attempt*>& attempts) {
  if (attempts.empty()) return {};
  const std::string first = failure_of(*attempts.front());
  for (const Attempt* attempt : attempts) {
    if (!was_faulted(*attempt) || failure_of(*attempt) != first) return {};
  }
  return first;
}

bool asks_to_wait(const Recording& recording, const Attempt& attempt) {
  const auto asked = retry_after(recording, *attempt.exchange);
  return asked && asked->asks_to_wait();
}

// An operation that failed in one way until it was given up, or until the client was ended.
struct Failed {
  const Operation* operation = nullptr;
  std::vector<const Attempt*> attempts{};
  std::string failure{};
  bool given_up = false;
  bool was_told_to_wait = false;
  bool uncertain = false;
  double length = 0;  // from its first byte until it was over for the client
};

std::optional<Failed> failed(const Case& c, const Operation& operation) {
  if (operation.polled || is_lookup(operation) || repeats_by_habit(c, operation)) return {};
  Failed one{.operation = &operation, .attempts = policy_attempts(operation)};
  one.failure = only_failure_of(one.attempts);
  if (one.failure.empty()) return {};
  const Attempt& last = *one.attempts.back();
  const Duration began = one.attempts.front()->exchange->first_byte;
  one.given_up =
      last.result != Result::Unanswered &&
      is_closed_after(c, operation.lane, last_activity_of(operation)) &&
      (!was_killed(c.recording, operation.lane) || moved_on_at(c, operation).has_value());
  one.was_told_to_wait = asks_to_wait(c.recording, *one.attempts.front());
  one.uncertain = hidden_calls(c, operation) > 0;
  const OperationEnd end = end_of(c, operation);
  one.length = number(std::max(end.at, last.failed_at.value_or(end.at)) - began);
  return one;
}

class Observer {
 public:
  explicit Observer(const Suite& suite) : suite_(suite) {}

  Observed observe() {
    for (const Recording& control : suite_.controls) look_at_control(control);
    // First what shows how often it tries, then what shows that it stops before that.
    for (const Recording& recording : suite_.recordings) look_at(recording);
    for (const auto& [key, row] : rows_) made_.attempts.push_back(row);
    made_.attempt_timeout = span_of(timeouts_);
    if (no_timeout_within_ > 0 && timeouts_.empty()) made_.no_timeout_within = no_timeout_within_;
    find_deadline();
    if (longest_ > 0) made_.longest_operation = longest_;
    return std::move(made_);
  }

 private:
  void look_at_control(const Recording& control) {
    calls_ = 0;
    for (const Operation& operation : make_history(control).operations) {
      ++calls_;
      const bool creates =
          operation.klass == OperationClass::Keyed || operation.klass == OperationClass::Unkeyed;
      if (!creates) continue;
      ++made_.keys.creates;
      if (!operation.keys.empty()) ++made_.keys.with_key;
    }
  }

  const Recording* control_of(const Recording& recording) const {
    const auto found = std::ranges::find_if(suite_.controls, [&](const Recording& control) {
      return control.scenario.name == recording.control;
    });
    return found == suite_.controls.end() ? nullptr : &*found;
  }

  void look_at(const Recording& recording) {
    if (!recording.not_run.empty()) return;
    if (!recording.trouble.empty()) {
      made_.notes.push_back(recording.scenario.name + ": " + recording.trouble);
      return;
    }
    const Recording* control = control_of(recording);
    const History history = make_history(recording);
    const History of_control = control ? make_history(*control) : History{};
    const Case c{.recording = recording,
                 .history = history,
                 .control = control,
                 .control_history = control ? &of_control : nullptr,
                 .bounds = bounds_of(recording.scenario.promise)};
    look_at_refusals(recording);
    for (const Operation& operation : history.operations) {
      count_keys(operation);
      if (const auto one = failed(c, operation)) look_at(c, *one);
    }
    const auto backoff = backoff_seen(c);
    if (backoff && (!made_.backoff || better(*backoff, *made_.backoff))) made_.backoff = backoff;
  }

  static bool better(const BackoffSeen& a, const BackoffSeen& b) {
    return std::pair(a.calls, a.medians.size()) > std::pair(b.calls, b.medians.size());
  }

  void look_at_refusals(const Recording& recording) {
    if (recording.journal.spells.empty()) return;
    const auto is_whole = [](const server::ListenerSpell& spell) {
      return spell.what == "refused" && spell.heard && !spell.ended;
    };
    if (!std::ranges::all_of(recording.journal.spells, is_whole)) return;
    made_.refused = RefusedSeen{recording.journal.turned_away.size(), calls_};
  }

  void count_keys(const Operation& operation) {
    if (operation.keys.empty() || operation.policy_attempts < 2 || operation.overlapping) return;
    ++made_.keys.repeated;
    if (operation.keys.size() == 1) ++made_.keys.stable;
  }

  void look_at(const Case& c, const Failed& one) {
    if (one.given_up) longest_ = std::max(longest_, one.length);
    look_at_waiting(c, one);
    if (one.was_told_to_wait) {
      look_at_retry_after(c, one);
    } else {
      count_attempts(one);
    }
    if (one.given_up) given_up_.push_back(told_of(c, one));
  }

  void count_attempts(const Failed& one) {
    const std::uint64_t attempts = one.attempts.size();
    auto& row = rows_[{one.failure, one.operation->method}];
    row.failure = one.failure;
    row.method = one.operation->method;
    row.least = row.calls == 0 ? attempts : std::min(row.least, attempts);
    row.most = std::max(row.most, attempts);
    ++row.calls;
    row.stopped = row.stopped || !one.given_up;
    row.uncertain = row.uncertain || one.uncertain;
  }

  void look_at_waiting(const Case& c, const Failed& one) {
    if (one.failure != "no answer") return;
    const Duration own = own_until(c.recording, one.operation->lane);
    const bool killed = was_killed(c.recording, one.operation->lane);
    for (const Attempt* attempt : one.attempts) {
      const Duration sent = attempt->exchange->first_byte;
      if (attempt->abandoned_at && (!killed || *attempt->abandoned_at < own)) {
        timeouts_.push_back(number(*attempt->abandoned_at - sent));
      } else {
        no_timeout_within_ = std::max(no_timeout_within_, number(own - sent));
      }
    }
  }

  void look_at_retry_after(const Case& c, const Failed& one) {
    for (std::size_t i = 0; i < one.attempts.size(); ++i) {
      const auto asked = retry_after(c.recording, *one.attempts[i]->exchange);
      if (!asked || !asked->asks_to_wait()) continue;
      if (i + 1 == one.attempts.size()) {
        if (one.given_up) ++made_.retry_after.gave_up;
        continue;
      }
      const bool waited =
          one.attempts[i + 1]->gap && *one.attempts[i + 1]->gap + kEarly >= asked->wait;
      ++(waited ? made_.retry_after.waited : made_.retry_after.early);
    }
  }

  // What an operation that was given up says of a deadline.
  struct GivenUp {
    std::string method;
    std::uint64_t attempts = 0;
    double at = 0;           // since its first byte: the last failure
    double length = 0;       // until it was over
    double next_wait = 0;    // that it was asked for then; 0: it was not
    double last_waited = 0;  // its last attempt, where that was not answered; 0: it was
  };

  static GivenUp told_of(const Case& c, const Failed& one) {
    const Attempt& last = *one.attempts.back();
    const Duration began = one.attempts.front()->exchange->first_byte;
    GivenUp told{.method = one.operation->method, .attempts = one.attempts.size()};
    told.at = number(last.failed_at.value_or(began) - began);
    told.length = one.length;
    const auto asked = retry_after(c.recording, *last.exchange);
    const bool waits = one.attempts.size() > 1 && asked && asked->asks_to_wait();
    if (waits) told.next_wait = number(asked->wait);
    if (last.abandoned_at)
      told.last_waited = number(*last.abandoned_at - last.exchange->first_byte);
    return told;
  }

  std::uint64_t most_attempts_of(const std::string& method) const {
    std::uint64_t most = 0;
    for (const auto& [key, row] : rows_) {
      if (row.method == method) most = std::max(most, row.most);
    }
    return most;
  }

  // It stopped before its attempts were used up: rather than wait as long as it was asked to, or in
  // the middle of an attempt that it gave less time than the others.
  void find_deadline() {
    const double usual = statistics::median(timeouts_);
    const double own_wait = made_.backoff ? made_.backoff->longest : 0;
    for (const GivenUp& one : given_up_) {
      if (one.attempts >= most_attempts_of(one.method)) continue;
      const bool was_cut = one.last_waited > 0 && one.last_waited < kCut * usual;
      if (was_cut) {
        note_deadline(one.at, std::max(one.at, one.length));
      } else if (one.next_wait > 0) {
        note_deadline(one.at, std::max(one.at + one.next_wait + own_wait, one.length));
      }
    }
  }

  void note_deadline(double at_least, double at_most) {
    if (!made_.deadline) made_.deadline = DeadlineSeen{at_least, at_most};
    made_.deadline->at_least = std::max(made_.deadline->at_least, at_least);
    made_.deadline->at_most = std::max(made_.deadline->at_most, at_most);
  }

  static std::optional<SpanSeen> span_of(const statistics::Sample& sample) {
    if (sample.empty()) return {};
    const auto [least, most] = std::ranges::minmax_element(sample);
    return SpanSeen{sample.size(), *least, statistics::median(sample), *most};
  }

  static constexpr double kCut = 0.9;

  const Suite& suite_;
  Observed made_;
  std::map<std::pair<std::string, std::string>, AttemptsSeen> rows_;
  std::vector<GivenUp> given_up_;
  statistics::Sample timeouts_;
  double no_timeout_within_ = 0;
  double longest_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace

Observed observe(const Suite& suite) {
  return Observer(suite).observe();
}

}  // namespace mishap::client_tests
