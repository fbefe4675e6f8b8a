#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/rate_limit.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/checks/tally.h"

// Hints of the quota are used.
namespace mishap::client_tests {

namespace {

using server::Exchange;

constexpr Duration kWholeSecond = std::chrono::seconds(1);  // t has no fractions

// Whether, and for how long, an answer says that nothing is left.
std::optional<Duration> pause_of(const Recording& recording, const Exchange& exchange) {
  if (!exchange.receipt.last_write || exchange.receipt.delivery != server::Delivery::Complete) {
    return std::nullopt;
  }
  if (retry_after(recording, exchange)) return std::nullopt;  // which wins
  const auto limit = rate_limit(exchange);
  if (!limit || limit->remaining != 0 || limit->reset <= kWholeSecond) return std::nullopt;
  return limit->reset;
}

const Exchange* next_of_lane(const std::deque<Exchange>& exchanges, const Exchange& told) {
  const Exchange* next = nullptr;
  for (const Exchange& exchange : exchanges) {
    if (exchange.lane != told.lane || exchange.api != told.api) continue;
    if (exchange.first_byte <= *told.receipt.last_write) continue;
    if (!next || exchange.first_byte < next->first_byte) next = &exchange;
  }
  return next;
}

Finding evaluate(const Case& c, const Params&) {
  Tally tally;
  for (const Exchange& exchange : c.recording.journal.exchanges) {
    const auto pause = pause_of(c.recording, exchange);
    const Exchange* next = pause ? next_of_lane(c.recording.journal.exchanges, exchange) : nullptr;
    if (!next) continue;
    const Duration waited = next->first_byte - *exchange.receipt.last_write;
    const bool kept = waited >= *pause - kWholeSecond;
    Witness cited =
        said(fmt::format("#{} said that nothing is left for {}: #{} came after {} {} {}",
                         exchange.number, seconds(*pause), next->number, seconds(waited),
                         kept ? ">=" : "<", seconds(*pause - kWholeSecond)));
    cited.exchanges = {exchange.number, next->number};
    kept ? tally.held(std::move(cited)) : tally.broke(std::move(cited));
  }
  return tally.settle(
      {.failed = "the quota's own hints are not used",
       .reason = "The vendor had said that nothing was left, and the next call came.",
       .held = counted(tally.judged(), "pause") + " kept",
       .none = "no answer said that nothing is left of a quota and for how long"});
}

}  // namespace

const CheckDescriptor kRateLimitRespected = {
    .name = "rate_limit_respected",
    .summary = "hints of the quota are used before it is exceeded",
    .rule =
        "after RateLimit with r=0 and t=T the next request of the copy comes no sooner than T - 1 "
        "s",
    .judged =
        "complete answers with a RateLimit field that can be read and no Retry-After, which would "
        "win, when another request followed",
    .why = "Running into the limit costs a failed call, and with many vendors a penalty.",
    .change =
        "Read RateLimit; when nothing remains wait until it is reset, up to a limit of your own.",
    .source = "draft-ietf-httpapi-ratelimit-headers",
    .since = "0.1",
    .advisory = true,
    .timing = true,
    .severity = 28,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
