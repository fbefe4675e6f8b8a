#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"
#include "client-tests/checks/waits.h"

// What a client says of its own attempts and time is right.
namespace mishap::client_tests {

namespace {

constexpr double kLate = 0.25;  // seconds
constexpr double kLateShare = 0.05;

double number(Duration value) {
  return std::chrono::duration<double>(value).count();
}

// From the first byte to the last thing that the client could see of it.
double length_of(const Operation& operation) {
  const Attempt& last = operation.attempts.back();
  const auto& receipt = last.exchange->receipt;
  const Duration end =
      last.failed_at.value_or(receipt.last_write.value_or(last.exchange->first_byte));
  return number(end - operation.attempts.front().exchange->first_byte);
}

// Attempts that left no request: refused, cut before their first byte, in the TLS handshake.
bool may_have_tried_unseen(const Case& c, int lane) {
  const auto& journal = c.recording.journal;
  return !journal.spells.empty() || !journal.turned_away.empty() ||
         std::ranges::any_of(journal.connections, [&](const server::Connection& connection) {
           return connection.lane == lane && connection.exchanges == 0;
         });
}

bool is_countable(const Operation& operation) {
  const auto& attempts = operation.attempts;
  const bool has_redirect =
      std::ranges::any_of(attempts, [](const Attempt& a) { return a.result == Result::Redirect; });
  return attempts.front().life == attempts.back().life && !has_redirect &&
         operation.policy_attempts > 1;
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    if (operation.klass == OperationClass::Safe || operation.outcomes.empty()) return;
    if (!is_countable(operation) || hidden_calls(case_, operation) > 0) return;
    const OutcomeLine& line = *operation.outcomes.back();
    if (!line.attempts && !line.duration_ms) {
      ++silent_;
      return;
    }
    if (line.attempts) judge_attempts(operation, *line.attempts);
    if (line.duration_ms) judge_duration(operation, *line.duration_ms / 1000);
  }

  Finding settle() const {
    if (silent_ > 0 && tally_.judged() == 0) {
      return not_observed("the outcome lines have neither attempts nor duration_ms");
    }
    return tally_.settle({.failed = "the client's own account is wrong",
                          .reason = "Reported attempts or time are not those that were seen.",
                          .held = counted(tally_.judged(), "figure") + " right",
                          .none = "no reported operation that was tried more than once"});
  }

 private:
  void judge_attempts(const Operation& operation, std::int64_t reported) {
    const auto seen = static_cast<std::int64_t>(operation.policy_attempts);
    if (reported > seen && may_have_tried_unseen(case_, operation.lane)) return;
    const auto on_wire = static_cast<std::int64_t>(operation.attempts.size());
    const bool right = reported == seen || reported == on_wire;
    Witness cited =
        witness(operation, fmt::format("{}: reported {} attempts {} {} that were seen",
                                       operation.name, reported, right ? "=" : "!=", seen));
    right ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  // It may have begun before the first byte and ended after the last, so only less is wrong.
  void judge_duration(const Operation& operation, double reported) {
    const double length = length_of(operation);
    const double tolerance = std::max(kLate, kLateShare * length);
    if (length <= tolerance) return;
    const bool right = reported >= length - tolerance;
    Witness cited =
        witness(operation, fmt::format("{}: reported duration {} {} {} seen - {}", operation.name,
                                       in_seconds(reported), right ? ">=" : "<", in_seconds(length),
                                       in_seconds(tolerance)));
    right ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  const Case& case_;
  std::size_t silent_ = 0;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (!writes_outcomes(c)) return not_observed("the client writes no outcome lines");
  Judge judge(c);
  for (const Operation& operation : c.history.operations) judge.look_at(operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kAccountingAccurate = {
    .name = "accounting_accurate",
    .summary = "what the client says of its own attempts and time is right",
    .rule =
        "reported attempts = attempts seen; reported duration_ms >= first byte to last answer - "
        "max(250 ms, 5 %)",
    .judged =
        "operations that were tried more than once, of a client whose outcome lines have attempts "
        "or duration_ms; not where attempts may have left no request, or redirects were followed",
    .why = "Alarms and invoices for a slow vendor rest on these figures.",
    .change = "Count every attempt, and measure from the first one's beginning to the end.",
    .source = "Azure Architecture Center, Transient fault handling (log all attempts)",
    .since = "0.1",
    .severity = 35,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
