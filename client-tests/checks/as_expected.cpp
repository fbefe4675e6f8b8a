#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/expected_calls.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"

// The counts that the user's own scenario expects.
namespace mishap::client_tests {

namespace {

void judge_attempts(const Case& c, Tally& tally) {
  const auto& expected = c.recording.scenario.counts.attempts;
  if (!expected) return;
  for (const auto& operation : c.history.operations) {
    if (is_lookup(operation)) continue;
    judge_count(operation.name + ": attempts", operation.policy_attempts, *expected,
                witness(operation, ""), tally);
  }
}

// Under `any` a collection is named by its path; its last segment will do.
bool is_resource(const std::string& resource, const std::string& name) {
  return resource == name || (resource.starts_with('/') && resource.ends_with("/" + name));
}

// "bookings", or "pay bookings" where those of one api are meant.
bool is_named(const History& history, const server::Effect& effect, const std::string& name) {
  const auto blank = name.find(' ');
  if (blank == std::string::npos) return is_resource(effect.resource, name);
  const server::Exchange* made_by = exchanges_by_number(history).find(effect.exchange);
  return made_by != nullptr && made_by->api == name.substr(0, blank) &&
         is_resource(effect.resource, name.substr(blank + 1));
}

void judge_effects(const Case& c, Tally& tally) {
  for (const auto& [resource, expected] : c.recording.scenario.counts.effects) {
    Witness cited;
    for (const auto& effect : c.recording.journal.effects) {
      if (is_named(c.history, effect, resource)) cited.effects.push_back(effect.number);
    }
    const auto seen = cited.effects.size();
    judge_count("effects on " + resource, seen, expected, std::move(cited), tally);
  }
}

void judge_answers(const Recording& recording, Tally& tally) {
  for (const auto& [status, expected] : recording.scenario.counts.seen) {
    Witness cited;
    for (const auto& exchange : recording.journal.exchanges) {
      if (exchange.receipt.delivery != server::Delivery::Complete) continue;
      // What a batch tells of its items are answers as well.
      auto times = std::ranges::count(exchange.items, status, &server::BatchItem::status);
      if (exchange.answer.status == status) ++times;
      cited.exchanges.insert(cited.exchanges.end(), static_cast<std::size_t>(times),
                             exchange.number);
    }
    const auto seen = cited.exchanges.size();
    judge_count(fmt::format("answers {}", status), seen, expected, std::move(cited), tally);
  }
}

void judge_outcomes(const Case& c, Tally& tally) {
  const std::string& expected = c.recording.scenario.counts.outcome;
  if (expected.empty()) return;
  std::size_t told = 0;
  for (const auto& operation : c.history.operations) {
    if (operation.outcomes.empty()) continue;
    ++told;
    const auto outcome = to_string(operation.outcomes.back()->outcome);
    const bool as_expected = outcome == expected;
    Witness cited = witness(operation, fmt::format("{}: outcome {} {} {}", operation.name, outcome,
                                                   as_expected ? "is" : "is not", expected));
    as_expected ? tally.held(std::move(cited)) : tally.broke(std::move(cited));
  }
  if (told == 0) tally.open("the client reported no outcome", {});
}

// What did not come may still have come, had the driver waited.
void judge_end(const Recording& recording, Tally& tally) {
  for (const auto& process : recording.processes) {
    if (was_killed(recording, process.copy)) tally.open(how_it_ended(recording, process.copy), {});
  }
}

Finding evaluate(const Case& c, const Params&) {
  if (!c.recording.scenario.counts.any()) return not_applicable("the scenario expects no counts");
  Tally tally;
  judge_outcomes(c, tally);
  judge_attempts(c, tally);
  judge_effects(c, tally);
  judge_answers(c.recording, tally);
  judge_calls(c, tally);
  judge_end(c.recording, tally);
  return std::move(tally).settle(
      {.failed = "not as the scenario expects",
       .reason = "A count that the scenario's `expect` names is another one.",
       .held = "as expected",
       .none = "there was no operation to count attempts of"});
}

}  // namespace

const CheckDescriptor kAsExpected = {
    .name = "as_expected",
    .summary = "outcome, attempts, effects, answers and calls are as the scenario says",
    .rule =
        "each count in the range that `expect` names; a call that comes `after` another begins "
        "when that one was answered completely",
    .judged = "scenarios with `outcome`, `attempts`, `effects`, `seen` or `calls` under `expect`",
    .why = "It is what the author of the scenario relies on.",
    .change = "Compare the counts with what the scenario was written for.",
    .source = "the scenario itself",
    .since = "0.1",
    .severity = 40,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
