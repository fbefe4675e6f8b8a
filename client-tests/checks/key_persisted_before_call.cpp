#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/lives.h"
#include "client-tests/checks/tally.h"

// What was under way in a crash goes on after it, under the same key.
namespace mishap::client_tests {

namespace {

const Attempt* cut_attempt(const Operation& operation) {
  const auto cut = std::ranges::find(operation.attempts, true, &Attempt::cut_by_signal);
  return cut == operation.attempts.end() ? nullptr : &*cut;
}

// The scenario ended the life that it was under way in, and another followed.
bool has_a_life_after(const Attempt& cut, const Lives& lives) {
  return !lives.all().empty() && cut.life < lives.all().back()->life;
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation) {
    const Attempt* cut = cut_attempt(operation);
    if (cut == nullptr) return;
    const Lives lives(case_.recording, operation.lane);
    const auto keyed = keyed_attempts(operation);
    const auto before = std::ranges::find(keyed, cut, &KeyedAttempt::attempt);
    if (!has_a_life_after(*cut, lives) || before == keyed.end()) return;
    const Duration reborn = lives.all().at(static_cast<std::size_t>(cut->life))->started;
    if (operation.attempts.back().life > cut->life) return judge_keys(operation, *cut, *before);
    judge_absence(operation, *cut, reborn);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a key does not survive a crash",
         .reason = "What was under way when the client was killed went on under another key, or "
                   "not at all.",
         .held = counted(tally_.judged(), "operation") + " went on after the crash",
         .none = "no call with a key was under way when the client was killed and started again"});
  }

 private:
  void judge_keys(const Operation& operation, const Attempt& cut, const KeyedAttempt& before) {
    const auto keyed = keyed_attempts(operation);
    for (const Attempt& attempt : operation.attempts) {
      if (attempt.life <= cut.life) continue;
      const auto after = std::ranges::find(keyed, &attempt, &KeyedAttempt::attempt);
      const bool is_same = after != keyed.end() && after->key == before.key;
      Witness cited = witness(
          operation, {&cut, &attempt},
          fmt::format(
              "{}: #{} with key {} was cut by the crash, #{} after it has {}", operation.name,
              cut.exchange->number, shown_key(before.key), attempt.exchange->number,
              after == keyed.end() ? "none" : (is_same ? "the same" : shown_key(after->key))));
      if (!is_same) return tally_.broke(std::move(cited));
      tally_.held(std::move(cited));
    }
  }

  // It may have asked instead of sending it again, or it knows that it does not know.
  void judge_absence(const Operation& operation, const Attempt& cut, Duration reborn) {
    const bool was_looked_for = std::ranges::any_of(
        operation.lookups,
        [&](const server::Exchange* lookup) { return lookup->first_byte >= reborn; });
    const bool was_told = std::ranges::any_of(
        operation.outcomes, [&](const OutcomeLine* line) { return line->at >= reborn; });
    const Witness cited = witness(
        operation, {&cut},
        fmt::format("{}: #{} was cut by the crash, and {}", operation.name, cut.exchange->number,
                    was_looked_for
                        ? "it was looked for after it"
                        : (was_told ? "reported after it" : "nothing came of it after it")));
    if (was_looked_for || was_told || says_by_its_exit_code(operation.lane)) {
      tally_.held(cited);
    } else if (is_closed_after(case_, operation.lane, reborn)) {
      tally_.broke(cited);
    } else {
      tally_.open(fmt::format("{}: {} before it could go on", operation.name,
                              how_it_ended(case_.recording, operation.lane)),
                  cited);
    }
  }

  // The word of a client that writes no lines.
  bool says_by_its_exit_code(int lane) const {
    const ProcessFacts* last = process_of(case_.recording, lane);
    return !writes_outcomes(case_) && last != nullptr && last->stop == Stop::Exited &&
           last->exit_code != 0;
  }

  const Case& case_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (const Operation* operation : keyable_operations(c.history)) judge.look_at(*operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kKeyPersistedBeforeCall = {
    .name = "key_persisted_before_call",
    .summary = "a key survives a crash of the client",
    .rule =
        "what was under way when the client was killed is sent again under its own key after its "
        "restart, or found by a lookup, or reported; a lookup that shows nothing is no leave to "
        "take a new key",
    .judged =
        "calls with a key that were under way when a scenario killed the client and had it "
        "started again",
    .why = "A key that only memory holds is gone with it, and the next start does it once more.",
    .change =
        "Store the key with the operation, durably, before the first attempt; at start go on "
        "with what is stored and not settled.",
    .source = "draft-ietf-httpapi-idempotency-key-header section 2.2; Stripe, Idempotent requests",
    .since = "0.1",
    .severity = 93,
    .families = {Family::SecondEffect, Family::Crash},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
