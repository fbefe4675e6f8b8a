#include "docs/examples/extending/calm.h"

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/tally.h"

// No operation is tried more than `attempts` times within `window`.
namespace mishap::client_tests {
namespace {

std::size_t most_within(Duration window, const std::vector<const Attempt*>& attempts) {
  std::size_t most = 0;
  for (std::size_t first = 0, last = 0; last < attempts.size(); ++last) {
    const auto at = attempts[last]->exchange->first_byte;
    while (at - attempts[first]->exchange->first_byte > window) ++first;
    most = std::max(most, last - first + 1);
  }
  return most;
}

Finding evaluate(const Case& c, const Params& params) {
  const auto limit = static_cast<std::size_t>(params.integer("attempts"));
  const auto window = params.duration("window");
  Tally tally;
  for (const Operation& operation : c.history.operations) {
    const auto attempts = policy_attempts(operation);
    if (attempts.size() < 2) continue;  // no occasion
    const auto most = most_within(window, attempts);
    const auto statement = operation.name + ": " + counted(most, "attempt") + " within " +
                           seconds(window) + ", at most " + std::to_string(limit);
    const auto cited = witness(operation, statement);
    most > limit ? tally.broke(cited) : tally.held(cited);
  }
  return tally.settle({.failed = "too many attempts in a moment",
                       .reason = "An operation was tried more often than a calm client would.",
                       .held = "retries were spread out",
                       .none = "nothing was tried twice"});
}

}  // namespace

const CheckDescriptor kCalm = {
    .name = "calm",
    .summary = "retries do not come in a burst",
    .rule = "attempts of an operation within the window <= attempts",
    .judged = "operations with two attempts or more",
    .why = "A burst is what throttles a client.",
    .change = "Wait longer after each attempt.",
    .source = "an example",
    .since = "0.1",
    .params = {{.name = "attempts",
                .type = ParamType::Integer,
                .default_text = "3",
                .help = "how many are calm"},
               {.name = "window",
                .type = ParamType::Duration,
                .default_text = "1s",
                .help = "within which time"}},
    .advisory = true,
    .timing = true,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
