#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/retry_wave.h"
#include "client-tests/checks/tally.h"
#include "client-tests/checks/waits.h"

// A common failure does not come back as a spike.
namespace mishap::client_tests {

namespace {

using statistics::Decision;

Finding too_few(const Case& c, std::size_t waited) {
  const bool was_asked = static_cast<std::size_t>(c.recording.scenario.copies) >= kHerd;
  const std::string text =
      fmt::format("{} copies failed at one time and waited, not {}", waited, kHerd);
  return waited > 0 && was_asked ? inconclusive(text) : not_applicable(text);
}

std::size_t count(const std::vector<RetryWave>& waves, Decision herd) {
  return static_cast<std::size_t>(
      std::ranges::count_if(waves, [&](const RetryWave& w) { return w.wave.herd == herd; }));
}

// One wave that comes back at once is allowed, as one immediate retry is; half of them are not.
Finding judge(const std::vector<Waits>& waits, const std::vector<RetryWave>& waves) {
  const std::size_t herds = count(waves, Decision::Yes), spread = count(waves, Decision::No);
  Tally tally;
  for (const RetryWave& wave : waves) {
    const Witness cited = witness_of(waits, told(wave));
    if (2 * herds >= waves.size()) {
      if (wave.wave.herd == Decision::Yes) tally.broke(cited);
    } else if (2 * spread >= waves.size()) {
      if (wave.wave.herd == Decision::No) tally.held(cited);
      if (wave.wave.herd == Decision::Yes) tally.warn(told(wave));
    } else {
      tally.open("waves are spread a little: neither a herd nor none", cited);
    }
  }
  return tally.settle(
      {.failed = "a common failure comes back as a herd",
       .reason = fmt::format("Of {} copies that failed in one moment most came back in one moment.",
                             waits.size()),
       .held = fmt::format("{} of {} spread", counted(spread, "wave"), waves.size())});
}

Finding evaluate(const Case& c, const Params&) {
  const auto waits = parallel_waits(c, 1);
  if (waits.size() < kHerd) return too_few(c, waits.size());
  if (!failed_in_one_moment(waits)) {
    return not_applicable("the copies did not fail within 20 ms of one another");
  }
  const auto waves = retry_waves(waits);
  if (waves.empty()) {
    return not_applicable("all waits were shorter than 0.20 s: too short to be spread in");
  }
  return judge(waits, waves);
}

}  // namespace

const CheckDescriptor kNoThunderingHerd = {
    .name = "no_thundering_herd",
    .summary = "a common failure does not come back as a spike",
    .rule =
        "largest share of a wave of retries within max(50 ms, 5 % of the wait): >= 80 % in half of "
        "the waves: fail, <= 55 %: pass",
    .judged =
        "30 or more copies, or calls of one, that failed within 20 ms (fault barrier); waves after "
        "waits of less than four such windows are not looked at",
    .why = "The vendor gets the whole load of the outage once more, in one moment, at every retry.",
    .change = "Full jitter on every wait; a fixed extra of some milliseconds is not enough.",
    .source =
        "AWS Architecture Blog, Exponential Backoff And Jitter; Azure, Retry Storm antipattern",
    .since = "0.1",
    .timing = true,
    .severity = 54,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
