#include "client-tests/checks/expected_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "mishap/recorded_match.h"

namespace mishap::client_tests {

namespace {

using server::Exchange;
using Calls = std::vector<const Exchange*>;

constexpr auto kNoEnd = std::numeric_limits<std::uint64_t>::max();

// What an HTTP library sent again on its own is not another call of the client's.
bool is_call(const Exchange& exchange) {
  return exchange.request.complete && exchange.role != server::Role::TransportResend;
}

Calls calls_of(const Recording& recording, const scenarios::Matcher& on) {
  Calls calls;
  for (const Exchange& exchange : recording.journal.exchanges) {
    if (is_call(exchange) && server::matches(on, exchange)) calls.push_back(&exchange);
  }
  std::stable_sort(calls.begin(), calls.end(), [](const Exchange* a, const Exchange* b) {
    return a->first_byte < b->first_byte;
  });
  return calls;
}

const Exchange* first_of(const Calls& calls, int lane) {
  const auto found = std::find_if(calls.begin(), calls.end(),
                                  [&](const Exchange* call) { return call->lane == lane; });
  return found == calls.end() ? nullptr : *found;
}

bool is_answered(const Exchange& call) {
  return call.receipt.delivery == server::Delivery::Complete && call.receipt.last_write;
}

const Exchange* first_answered(const Calls& calls, int lane) {
  const Exchange* first = nullptr;
  for (const Exchange* call : calls) {
    if (call->lane != lane || !is_answered(*call)) continue;
    if (!first || *call->receipt.last_write < *first->receipt.last_write) first = call;
  }
  return first;
}

Witness cite(const Calls& calls) {
  Witness cited;
  for (const Exchange* call : calls) cited.exchanges.push_back(call->number);
  return cited;
}

void judge_order(const scenarios::ExpectedCall& expected, const Exchange& call,
                 const Calls& earlier, Tally& tally) {
  const std::string& on = expected.on.text;
  const std::string& after = expected.after->text;
  const Exchange* answered = first_answered(earlier, call.lane);
  const Exchange* shown = answered ? answered : first_of(earlier, call.lane);
  Witness cited;
  cited.exchanges = {call.number};
  if (shown && shown != &call) cited.exchanges.insert(cited.exchanges.begin(), shown->number);
  if (!answered) {
    cited.statement =
        fmt::format("{} at {}: no {} was answered completely", on, seconds(call.first_byte), after);
    return tally.broke(std::move(cited));
  }
  const Duration end = *answered->receipt.last_write;
  const bool in_order = call.first_byte >= end;
  cited.statement = fmt::format("{} at {} {} {} answered at {}", on, seconds(call.first_byte),
                                in_order ? ">=" : "<", after, seconds(end));
  in_order ? tally.held(std::move(cited)) : tally.broke(std::move(cited));
}

void judge_one(const Recording& recording, const scenarios::ExpectedCall& expected, Tally& tally) {
  const Calls calls = calls_of(recording, expected.on);
  judge_count("calls " + expected.on.text, calls.size(), expected.count, cite(calls), tally);
  if (!expected.after) return;
  const Calls earlier = calls_of(recording, *expected.after);
  std::set<int> lanes;
  for (const Exchange* call : calls) {
    if (lanes.insert(call->lane).second) judge_order(expected, *call, earlier, tally);
  }
}

}  // namespace

std::string text_of(const scenarios::Count& count) {
  if (count.every != 0) return fmt::format("every {}", count.every);
  if (count.last == kNoEnd) return fmt::format("{}..", count.first);
  if (count.first == count.last) return std::to_string(count.first);
  return fmt::format("{}..{}", count.first, count.last);
}

void judge_count(const std::string& what, std::uint64_t seen, const scenarios::Count& expected,
                 Witness cited, Tally& tally) {
  const bool as_expected = expected.contains(seen);
  cited.statement = fmt::format("{}: {} {} {}", what, seen, as_expected ? "is in" : "is not in",
                                text_of(expected));
  as_expected ? tally.held(std::move(cited)) : tally.broke(std::move(cited));
}

void judge_calls(const Case& c, Tally& tally) {
  for (const auto& expected : c.recording.scenario.counts.calls) {
    judge_one(c.recording, expected, tally);
  }
}

}  // namespace mishap::client_tests
