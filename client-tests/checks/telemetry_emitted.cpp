#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/lives.h"
#include "client-tests/checks/tally.h"

// What the client counts of itself is what happened, and it calls for help when it should.
namespace mishap::client_tests {

namespace {

// One operation in trouble is no news, half of all given up is; between them, where much was
// retried and got well for instance, it is a matter of taste.
constexpr std::size_t kFewestOperations = 10;

struct Counted {
  std::int64_t operations = 0;
  std::int64_t attempts = 0;
  std::int64_t retries = 0;
  // What was given up after a failure that may pass, and what ended without a success at all: what
  // a client takes for one that may pass is its own to say for an answer that it cannot read.
  std::int64_t exhausted = 0;
  std::int64_t without_success = 0;
  std::int64_t troubled = 0;  // met a failure, whatever became of it
};

Counted count(const History& history, int lane) {
  Counted all;
  for (const Operation* operation : operations_of(history, lane)) {
    if (is_lookup(*operation)) continue;
    const auto attempts = policy_attempts(*operation);
    if (attempts.empty()) continue;
    ++all.operations;
    all.attempts += static_cast<std::int64_t>(attempts.size());
    all.retries += static_cast<std::int64_t>(attempts.size()) - 1;
    const auto is_failure = [](const Attempt& one) { return one.result != Result::Success; };
    if (std::ranges::any_of(operation->attempts, is_failure)) ++all.troubled;
    const Attempt& last = *attempts.back();
    if (last.result != Result::Success) ++all.without_success;
    const bool may_pass = is_transient(last) && !is_optional_transient(last);
    if (may_pass && operation->lookups.empty()) ++all.exhausted;
  }
  return all;
}

// A connect that came to nothing is an attempt to whoever made it, and no request.
bool may_have_missed_attempts(const Recording& recording, int lane) {
  const auto& journal = recording.journal;
  return journal.lost > 0 || !journal.turned_away.empty() ||
         std::ranges::any_of(journal.connections, [&](const server::Connection& connection) {
           return connection.lane == lane && connection.exchanges == 0 && !connection.rules.empty();
         });
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Telemetry& told) {
    const std::string who = fmt::format("copy {}: ", told.copy);
    if (was_killed(case_.recording, told.copy)) {
      return tally_.open(how_it_ended(case_.recording, told.copy), said(who + "not at its end"));
    }
    if (!told.trouble.empty()) return tally_.broke(said(who + told.trouble));
    if (may_have_missed_attempts(case_.recording, told.copy)) {
      return tally_.open("attempts may have left no request", said(who + "not comparable"));
    }
    const Counted seen = count(case_.history, told.copy);
    compare(told, "attempts", seen.attempts, seen.attempts);
    compare(told, "retries", seen.retries, seen.retries);
    compare(told, "exhausted", seen.exhausted, seen.without_success);
    judge_alerts(told, seen);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "its counters are not what happened",
         .reason = "Whoever watches the counters is told something else than what happened.",
         .held = counted(tally_.judged(), "figure") + " as they were seen",
         .none =
             "the telemetry file has none of the counters attempts, retries, exhausted, alerts"});
  }

 private:
  void compare(const Telemetry& told, const std::string& name, std::int64_t least,
               std::int64_t most) {
    const auto found = told.counters.find(name);
    if (found == told.counters.end()) return;
    const bool is_right = found->second >= least && found->second <= most;
    const std::string seen =
        least == most ? std::to_string(least) : fmt::format("{}..{}", least, most);
    Witness cited = said(fmt::format("copy {}: {} {} {} {} seen", told.copy, name, found->second,
                                     is_right ? "=" : "!=", seen));
    is_right ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  void judge_alerts(const Telemetry& told, const Counted& seen) {
    const auto alerts = told.counters.find("alerts");
    if (alerts == told.counters.end()) return;
    const bool is_single = seen.operations > 1 && seen.troubled <= 1;
    const bool is_outage = seen.operations >= static_cast<std::int64_t>(kFewestOperations) &&
                           2 * seen.exhausted >= seen.operations;
    if (!is_single && !is_outage) return;
    const bool is_right = is_outage ? alerts->second > 0 : alerts->second == 0;
    Witness cited = said(fmt::format(
        "copy {}: {} of {} {}, alerts {} {} 0", told.copy,
        is_outage ? seen.exhausted : seen.troubled,
        counted(static_cast<std::size_t>(seen.operations), "operation"),
        is_outage ? "given up" : "met a failure", alerts->second, alerts->second > 0 ? ">" : "="));
    is_right ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  const Case& case_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (!c.recording.claims.telemetry) return not_applicable("the client claims no telemetry");
  if (!c.recording.child) return not_observed("the client is not ours, nor is its state folder");
  Judge judge(c);
  for (const Telemetry& told : c.recording.telemetry) {
    // What a life has counted went with it.
    if (!Lives(c.recording, told.copy).any_followed()) judge.look_at(told);
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kTelemetryEmitted = {
    .name = "telemetry_emitted",
    .summary = "the client's own counters say what happened, and it calls when it should",
    .rule =
        "attempts, retries and exhausted = what was seen (lookups aside); alerts = 0 where at most "
        "one operation met a failure, alerts > 0 where half of ten or more were given up",
    .judged =
        "clients that claim telemetry (client: {telemetry: FILE}), for the counters that it has, "
        "where no attempt may have left no request",
    .why = "A rising rate of retries is the first sign of an outage, and nobody sees it.",
    .change =
        "Count attempts, retries and what was given up where they happen; alert on a change of the "
        "rate, not on single failures.",
    .source = "Polly, telemetry; mission A11, B50, C31, C32, C33",
    .since = "0.1",
    .advisory = true,
    .severity = 25,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
