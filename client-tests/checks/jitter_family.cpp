#include <fmt/format.h>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/waits.h"
#include "client-tests/statistics/family.h"

// Which kind of jitter it is; nothing that anybody could do wrong.
namespace mishap::client_tests {

namespace {

constexpr std::size_t kCopies = 30;
constexpr std::size_t kRetries = 3;

Finding evaluate(const Case& c, const Params&) {
  const auto waits = parallel_waits(c, kRetries);
  if (waits.size() < kCopies) {
    return not_applicable(fmt::format("{} copies waited {} times at one time, not {}", waits.size(),
                                      kRetries, kCopies));
  }
  const auto seen = statistics::guess_family(table_of(waits));
  const bool is_named = seen.family != statistics::JitterFamily::Undecided;
  Finding named = passed(is_named ? "jitter: " + std::string(to_string(seen.family))
                                  : "the kind of jitter cannot be told");
  named.witnesses.push_back(witness_of(
      waits, fmt::format("spread / wait {:.2f}, correlation of successive waits {:.2f}, shortest / "
                         "wait {:.2f}",
                         seen.relative_spread, seen.correlation, seen.least_share)));
  return named;
}

}  // namespace

const CheckDescriptor kJitterFamily = {
    .name = "jitter_family",
    .summary = "names the kind of jitter: fixed, proportional, equal, full, decorrelated",
    .rule =
        "(q90 - q10) / median < 0.02 fixed, 0.10 to 0.37 proportional, 0.38 to 0.62 equal, > 0.9 "
        "full or decorrelated, which successive waits and the shortest tell apart; it never fails",
    .judged = "30 or more copies that failed at one time and waited three times",
    .why = "The kind decides how far a herd is pulled apart; full spreads most.",
    .change = "Nothing: this is information.",
    .source = "AWS Architecture Blog, Exponential Backoff And Jitter (its simulator)",
    .since = "0.1",
    .advisory = true,
    .timing = true,
    .severity = 1,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
