#include <utility>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/permanent_stop.h"

// What is refused for good is sent once.
namespace mishap::client_tests {

namespace {

Finding evaluate(const Case& c, const Params&) {
  Tally tally;
  for (const auto& operation : c.history.operations) {
    if (first_refusal(c, operation) == std::optional<std::size_t>(0)) {
      judge_after_refusal(c, operation, 0, tally);
    }
  }
  return std::move(tally).settle(
      {.failed = "a permanent error was retried",
       .reason = "The answer would be the same each time.",
       .held = counted(tally.judged(), "refusal") + " taken as final",
       .none = "no operation was refused for good at its first attempt"});
}

}  // namespace

const CheckDescriptor kNoRetryOnPermanentError = {
    .name = "no_retry_on_permanent_error",
    .summary = "what is refused for good is sent once",
    .rule =
        "attempts after 400, 401, 403, 404, 405, 406, 410, 411, 412, 413, 414, 415, 417, 422, "
        "428, 431, 451, 501, 505 or 511 = 0",
    .judged =
        "operations whose first answer is one of these; after a 401 one attempt with another "
        "credential is right, after others one with that changed which they are about (Accept, the "
        "condition, Expect); a 413 with Retry-After, a 404 of the healthy vendor and one that "
        "passes do not count",
    .why = "It costs time and quota and hides the real error.",
    .change =
        "Retry only what can pass: 408, 425, 429, 502, 503, 504, broken connections, "
        "timeouts.",
    .source = "RFC 9110 section 15.5; storage conformance scenario 5",
    .since = "0.1",
    .severity = 62,
    .families = {Family::Permanent},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
