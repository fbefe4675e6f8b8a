#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/checks/tally.h"

// Failures are not hammered.
namespace mishap::client_tests {

namespace {

// From so many operations on a share says something (checks.md section 3.6).
constexpr std::size_t kSample = 20;
constexpr std::size_t kIndices = 2;  // one immediate retry is allowed

struct Gap {
  const Operation* operation = nullptr;
  const Attempt* attempt = nullptr;
};

// By index of the retry, from 1. Waits that the vendor asked for are judged elsewhere.
using GapsByIndex = std::map<std::uint64_t, std::vector<Gap>>;

void gather(const Case& c, const Operation& operation, GapsByIndex& gaps) {
  const auto attempts = policy_attempts(operation);
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    if (!attempts[i]->gap || retry_after(c.recording, *attempts[i - 1]->exchange)) continue;
    gaps[i].push_back({&operation, attempts[i]});
  }
}

std::size_t short_ones(const std::vector<Gap>& gaps, Duration floor) {
  return static_cast<std::size_t>(std::count_if(
      gaps.begin(), gaps.end(), [&](const Gap& gap) { return *gap.attempt->gap < floor; }));
}

// With full jitter a tiny wait now and then is chance: of one operation all must be short, of a few
// all at two indices, of many half at two indices.
bool is_hammering(const GapsByIndex& gaps, std::size_t operations, Duration floor) {
  std::size_t short_indices = 0;
  bool all = true;
  for (const auto& [index, at_index] : gaps) {
    const std::size_t fast = short_ones(at_index, floor);
    all = all && fast == at_index.size();
    const bool half = 2 * fast >= at_index.size();
    if (operations >= kSample ? half : fast == at_index.size()) ++short_indices;
  }
  if (operations == 1 && !all) return false;
  return short_indices >= kIndices;
}

std::string list_of(const GapsByIndex& gaps) {
  std::string text;
  for (const auto& [index, at_index] : gaps) {
    Duration shortest = *at_index.front().attempt->gap;
    for (const Gap& gap : at_index) shortest = std::min(shortest, *gap.attempt->gap);
    text += (text.empty() ? "" : ", ") + seconds(shortest);
  }
  return text;
}

Witness cite(const GapsByIndex& gaps, Duration floor, bool broken) {
  Witness made;
  made.statement = fmt::format("shortest waits before retry 1, 2 ...: {} {} {}", list_of(gaps),
                               broken ? "<" : "against", seconds(floor));
  const Operation& first = *gaps.begin()->second.front().operation;
  made.operation = first.number;
  for (const Attempt& attempt : first.attempts) {
    made.exchanges.push_back(attempt.exchange->number);
  }
  return made;
}

Finding evaluate(const Case& c, const Params& params) {
  const Duration floor = params.duration("min_delay");
  GapsByIndex gaps;
  std::size_t operations = 0;
  for (const auto& operation : c.history.operations) {
    if (repeats_by_habit(c, operation)) continue;
    GapsByIndex own;
    gather(c, operation, own);
    if (own.size() < kIndices) continue;
    // The first calls of other threads come at once and look like retries of this one.
    std::size_t fast = 0;
    for (const auto& [index, at_index] : own) fast += short_ones(at_index, floor);
    if (fast <= hidden_calls(c, operation)) fast = 0;
    if (fast == 0 && hidden_calls(c, operation) > 0) continue;
    ++operations;
    gather(c, operation, gaps);
  }
  if (operations == 0) return not_applicable("no operation waited twice by itself");
  Tally tally;
  const bool hammering = is_hammering(gaps, operations, floor);
  const Witness cited = cite(gaps, floor, hammering);
  hammering ? tally.broke(cited) : tally.held(cited);
  return std::move(tally).settle({.failed = "failures are retried at once",
                                  .reason = "More than one retry came without a pause.",
                                  .held = "waits " + list_of(gaps)});
}

}  // namespace

const CheckDescriptor kNoImmediateRetry = {
    .name = "no_immediate_retry",
    .summary = "failures are not hammered",
    .rule =
        "one operation: not all waits < 50 ms; 2 to 19: not all at two retries; from 20 on: not "
        "half of them at two retries",
    .judged =
        "operations with two or more waits that no Retry-After asked for; one immediate first "
        "retry is allowed, transport resends are not counted",
    .why = "Hundreds of clients that come back at once keep the vendor down.",
    .change = "Wait between attempts, longer each time, with jitter.",
    .source = "Azure Architecture Center, Retry Storm antipattern",
    .since = "0.1",
    .params = {{.name = "min_delay",
                .type = ParamType::Duration,
                .default_text = "50ms",
                .help = "a shorter wait is none"}},
    .timing = true,
    .severity = 60,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
