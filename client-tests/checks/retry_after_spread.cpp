#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/checks/retry_wave.h"
#include "client-tests/checks/tally.h"

// Obeying one common Retry-After does not itself make a herd.
namespace mishap::client_tests {

namespace {

constexpr Duration kOneMoment = std::chrono::milliseconds(400);

// What came back of an answer that asked to wait, per copy the first such.
struct Returned {
  const Operation* operation = nullptr;
  const Attempt* asked = nullptr;
  const Attempt* back = nullptr;
  Duration due{};  // when the wait was over
};

std::vector<Returned> first_returns(const Case& c) {
  std::vector<Returned> found;
  for (const Operation& operation : c.history.operations) {
    const auto attempts = policy_attempts(operation);
    for (std::size_t i = 1; i < attempts.size(); ++i) {
      const auto asked = retry_after(c.recording, *attempts[i - 1]->exchange);
      if (!asked || !asked->asks_to_wait() || attempts[i]->life != attempts[i - 1]->life) continue;
      const bool seen = std::ranges::any_of(
          found, [&](const Returned& r) { return r.operation->lane == operation.lane; });
      if (seen) break;
      const Duration due = *attempts[i - 1]->exchange->receipt.last_write + asked->wait;
      found.push_back({&operation, attempts[i - 1], attempts[i], due});
      break;
    }
  }
  return found;
}

// They were asked to come back at nearly one time: by a common moment, or by answers that went out
// together.
bool due_together(const std::vector<Returned>& returned) {
  const auto [first, last] = std::ranges::minmax_element(returned, {}, &Returned::due);
  return last->due - first->due <= kOneMoment;
}

Witness cite(const std::vector<Returned>& returned, std::string statement) {
  Witness made = said(std::move(statement));
  for (std::size_t i = 0; i < std::min<std::size_t>(3, returned.size()); ++i) {
    made.exchanges.push_back(returned[i].asked->exchange->number);
    made.exchanges.push_back(returned[i].back->exchange->number);
  }
  return made;
}

Finding judge(const std::vector<Returned>& returned) {
  statistics::Sample beyond, waits;
  for (const Returned& r : returned) {
    // Each from its own due moment: what the answers were apart is not the clients' doing.
    beyond.push_back(std::chrono::duration<double>(r.back->exchange->first_byte - r.due).count());
    waits.push_back(std::chrono::duration<double>(r.back->exchange->first_byte -
                                                  *r.asked->exchange->receipt.last_write)
                        .count());
  }
  RetryWave wave{1, statistics::median(waits), returned.size(), {}};
  wave.wave = statistics::measure_wave(beyond, wave.typical_wait);
  Tally tally;
  const Witness cited = cite(returned, told(wave));
  if (wave.wave.herd == statistics::Decision::Yes) tally.broke(cited);
  if (wave.wave.herd == statistics::Decision::No) tally.held(cited);
  if (wave.wave.herd == statistics::Decision::Undecided) {
    tally.open("the returns are spread a little: neither a herd nor none", cited);
  }
  return tally.settle(
      {.failed = "all copies come back the moment that Retry-After is over",
       .reason = "Copies that were told the same wait added nothing of their own to it.",
       .held = fmt::format("{} copies came back over time", returned.size())});
}

Finding evaluate(const Case& c, const Params&) {
  const auto returned = first_returns(c);
  if (returned.size() < kHerd) {
    return not_applicable(
        fmt::format("{} copies were asked to wait and came back, not {}", returned.size(), kHerd));
  }
  if (!due_together(returned)) return not_applicable("they were not asked to come back together");
  return judge(returned);
}

}  // namespace

const CheckDescriptor kRetryAfterSpread = {
    .name = "retry_after_spread",
    .summary = "obeying one common Retry-After does not itself make a herd",
    .rule =
        "largest share of the returns within max(50 ms, 5 % of the wait), each counted from the "
        "end "
        "of its own Retry-After: >= 80 %: fail, <= 55 %: pass",
    .judged = "30 or more copies that were told to wait until nearly the same moment",
    .why = "The vendor named one moment to all, and gets all of them in it.",
    .change = "Wait what is asked, and a random share of your own backoff on top of it.",
    .source = "draft-ietf-httpapi-ratelimit-headers, security considerations (resource exhaustion)",
    .since = "0.1",
    .advisory = true,
    .timing = true,
    .severity = 30,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
