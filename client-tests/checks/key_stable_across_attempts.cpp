#include <fmt/format.h>

#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/tally.h"

// One operation, one key.
namespace mishap::client_tests {

namespace {

// A vendor stores the refusal with the key, so a corrected request needs a new one.
bool was_corrected(const Attempt& before, const Attempt& after) {
  return before.result == Result::ClientError &&
         before.exchange->request.content_hash != after.exchange->request.content_hash;
}

void judge(const Case& c, const Operation& operation, Tally& tally) {
  const auto keyed = keyed_attempts(operation);
  if (keyed.size() < 2) return;
  // Equal calls that the user makes on purpose, each with its key, may stand behind one operation.
  if (operation.keys.size() > 1 && operation.keys.size() <= 1 + hidden_calls(c, operation)) return;
  for (std::size_t i = 1; i < keyed.size(); ++i) {
    const auto& before = keyed[i - 1];
    const auto& after = keyed[i];
    if (before.key == after.key || was_corrected(*before.attempt, *after.attempt)) continue;
    tally.broke(
        witness(operation, {before.attempt, after.attempt},
                fmt::format("{}: key {} then {} after {}", operation.name, shown_key(before.key),
                            shown_key(after.key), ending_of(*before.attempt))));
    return;
  }
  tally.held(
      witness(operation, fmt::format("{}: one key on {} attempts", operation.name, keyed.size())));
}

Finding evaluate(const Case& c, const Params&) {
  Tally tally;
  for (const Operation* operation : keyable_operations(c.history)) judge(c, *operation, tally);
  return std::move(tally).settle(
      {.failed = "the key changed between attempts",
       .reason = "With another key the vendor takes a retry for a new request.",
       .held = "one key for all attempts of " + counted(tally.judged(), "operation"),
       .none = "no operation sent two attempts with keys"});
}

}  // namespace

const CheckDescriptor kKeyStableAcrossAttempts = {
    .name = "key_stable_across_attempts",
    .summary = "one operation, one key",
    .rule =
        "distinct keys over the attempts of one operation = 1 (a request that was corrected "
        "after a refusal aside)",
    .judged = "operations with two or more attempts that carry a key",
    .why = "A new key makes the vendor do it again.",
    .change = "Make the key outside of the retry loop, one for each operation.",
    .source = "draft-ietf-httpapi-idempotency-key-header section 2.2",
    .since = "0.1",
    .severity = 88,
    .families = {Family::SecondEffect, Family::Crash},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
