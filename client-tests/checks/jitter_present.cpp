#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/noise_floor.h"
#include "client-tests/checks/tally.h"
#include "client-tests/checks/waits.h"
#include "client-tests/statistics/jitter.h"

// Copies that fail together do not come back together.
namespace mishap::client_tests {

namespace {

using statistics::Decision;
using statistics::Jitter;

struct AtIndex {
  std::size_t retry = 0;  // from 1
  Jitter jitter;
};

// Retries of which enough copies made one, and whose waits are long enough to see something.
std::vector<AtIndex> look(const std::vector<Waits>& waits, double noise) {
  std::vector<AtIndex> seen;
  statistics::Table table;
  for (const Waits& of_one : waits) table.push_back(of_one.seconds);
  for (std::size_t i = 0; statistics::column(table, i).size() >= kInstances; ++i) {
    const Jitter jitter = statistics::find_jitter(statistics::column(table, i), noise);
    if (!jitter.blind) seen.push_back({i + 1, jitter});
  }
  return seen;
}

std::string inequality(const AtIndex& at) {
  const Jitter& jitter = at.jitter;
  const std::string measured = fmt::format("retry {}: spread {} of waits of {}", at.retry,
                                           in_seconds(jitter.spread), in_seconds(jitter.median));
  switch (jitter.decision) {
    case Decision::Yes:
      return fmt::format("{} >= {}", measured, in_seconds(jitter.enough));
    case Decision::No:
      return fmt::format("{} <= {}", measured, in_seconds(jitter.flat));
    case Decision::Undecided:
      return fmt::format("{} lies between {} and {}", measured, in_seconds(jitter.flat),
                         in_seconds(jitter.enough));
  }
  return measured;
}

std::size_t count(const std::vector<AtIndex>& seen, Decision decision) {
  return static_cast<std::size_t>(std::ranges::count_if(
      seen, [&](const AtIndex& at) { return at.jitter.decision == decision; }));
}

Finding too_few(const Case& c, std::size_t waited) {
  const bool was_asked = static_cast<std::size_t>(c.recording.scenario.copies) >= kInstances;
  if (waited == 0 || !was_asked) {
    return not_applicable(fmt::format(
        "{} copies of the client failed at one time and waited, not {}", waited, kInstances));
  }
  return inconclusive(fmt::format("only {} of {} copies waited, and {} are needed", waited,
                                  c.recording.scenario.copies, kInstances));
}

Finding evaluate(const Case& c, const Params& params) {
  const auto waits = parallel_waits(c, 1);
  if (waits.size() < kInstances) return too_few(c, waits.size());
  const double least = std::chrono::duration<double>(params.duration("noise")).count();
  const double noise = std::max(least, noise_of_copies(c).value_or(0));
  const auto seen = look(waits, noise);
  if (seen.empty() && look(waits, least).empty()) {
    return not_applicable("the waits are so short that jitter would not show");
  }
  if (seen.empty()) {
    return inconclusive(fmt::format(
        "noise of {} hides what the waits could show: the machine is busy", in_seconds(noise)));
  }
  const std::size_t jittered = count(seen, Decision::Yes), flat = count(seen, Decision::No);
  Tally tally;
  for (const AtIndex& at : seen) {
    const Witness cited = witness_of(waits, inequality(at));
    if (2 * jittered >= seen.size()) {
      if (at.jitter.decision != Decision::No) tally.held(cited);
    } else if (flat == seen.size()) {
      tally.broke(cited);
    } else {
      tally.open("some waits are spread, others are not: more copies would tell", cited);
    }
  }
  return tally.settle(
      {.failed = "all copies wait equally long",
       .reason = fmt::format("{} copies that failed together came back together.", waits.size()),
       .held = fmt::format("waits of {} copies are spread at {} of {} retries", waits.size(),
                           jittered, seen.size())});
}

}  // namespace

const CheckDescriptor kJitterPresent = {
    .name = "jitter_present",
    .summary = "copies that fail together do not come back together",
    .rule =
        "q90 - q10 of the waits of parallel copies at one retry >= max(5 x noise, 5 % of the wait) "
        "at half of the retries: pass; <= max(3 x noise, 2 %) at all of them: fail",
    .judged =
        "runs in which 20 or more copies, or calls of one, failed at one time and waited; not "
        "where 5 x noise exceeds 15 % of the waits, unless they are spread by half and 10 x noise. "
        "The noise is how far apart as many copies of a built-in client are that waits equally "
        "long",
    .why = "A thousand clients that wait exactly 2, 4, 8 s hit the vendor a thousand at a time.",
    .change =
        "Draw each wait anew, from zero to the ceiling (full jitter), from a generator that is "
        "seeded differently in every process.",
    .source = "AWS Architecture Blog, Exponential Backoff And Jitter; Google SRE book, chapter 22",
    .since = "0.1",
    .params = {{.name = "noise",
                .type = ParamType::Duration,
                .default_text = "5ms",
                .help = "spread that is taken for noise at least"}},
    .timing = true,
    .severity = 52,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
