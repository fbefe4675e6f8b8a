#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/creation_table.h"
#include "client-tests/checks/later_creations.h"
#include "client-tests/checks/lazy.h"
#include "client-tests/checks/surplus_creations.h"
#include "client-tests/checks/tally.h"

// At most one effect for one operation, whoever answered what.
namespace mishap::client_tests {

namespace {

// "2 bookings"; under `any` the resource is a path.
std::string amount_of(const std::vector<const server::Effect*>& effects) {
  const std::string resource = place_of(effects.front()->resource);
  return fmt::format("{} {}", effects.size(), resource.substr(resource.rfind('/') + 1));
}

Witness cite(const Operation& operation, const std::vector<const server::Effect*>& effects,
             std::string statement) {
  Witness made = witness(operation, std::move(statement));
  for (const auto* effect : effects) made.effects.push_back(effect->number);
  return made;
}

std::string ids_of(const std::vector<const server::Effect*>& effects) {
  std::string ids;
  for (const auto* effect : effects) ids += (ids.empty() ? "" : ", ") + effect->id;
  return ids;
}

// The temptation: it took effect and the client could not know.
const Attempt* tempting(const Operation& operation) {
  for (const Attempt& attempt : operation.attempts) {
    const bool happened = attempt.truth == Truth::Effect || attempt.truth == Truth::EffectLater;
    if (happened && attempt.knowable == Knowable::Ambiguous) return &attempt;
  }
  return nullptr;
}

void judge(const Case& c, const Operation& operation, const Lazy<LaterCreations>& later,
           std::string& headline, Tally& tally) {
  const auto effects = standing_creations(c.history, operation);
  if (effects.size() > 1) {
    // Equal calls that the client makes in the control as well may stand behind one operation.
    const auto usual = equal_calls(c, operation);
    if (usual > 1 && equal_creations(c, operation) <= usual) return;
    if (headline.empty()) headline = amount_of(effects) + " for one operation";
    tally.broke(cite(
        operation, effects,
        fmt::format("{}: {} effects ({}) > 1", operation.name, effects.size(), ids_of(effects))));
    return;
  }
  if (const auto unknown = in_doubt_upstream(operation);
      unknown > 0 && effects.size() + unknown > 1 && operation.klass != OperationClass::Safe) {
    return tally.open(fmt::format("{}: the upstream did not say of {} whether it took effect",
                                  operation.name, counted(unknown, "attempt")),
                      witness(operation, story_of(operation)));
  }
  const Attempt* attempt = operation.klass == OperationClass::Safe ? nullptr : tempting(operation);
  if (!attempt) return;
  const Duration last_call = operation.attempts.back().exchange->first_byte;
  const std::string text = fmt::format("{}: {} after {}", operation.name,
                                       counted(effects.size(), "effect"), story_of(operation));
  if (const auto more = more_than_usual(c, operation)) {
    // A client whose attempts share neither a reference nor a key nor their bytes hides a
    // duplicate.
    tally.open(
        fmt::format("{} were created where the healthy control created {}, after {} was left "
                    "in doubt; what belongs together cannot be told: give each create a "
                    "reference or one key",
                    more->made, more->usual, operation.name),
        cite(operation, effects, text));
  } else if (const auto after = later.get([&] { return LaterCreations(c); }).after(operation);
             after > 0) {
    tally.open(fmt::format("{} was left in doubt and {} more came after it; whether one of them is "
                           "it again cannot be told without a healthy run to compare with, or a "
                           "key or reference that comes again",
                           operation.name, after),
               cite(operation, effects, text));
  } else if (is_closed_after(c, operation.lane, last_call)) {
    tally.held(cite(operation, effects, text + watched_since(c, operation.lane, last_call)));
  } else if (was_ended_by_scenario(c.recording, operation.lane)) {
    return;  // there was nobody left to send it again
  } else {
    tally.open(fmt::format("{}: {}, {} after its last call, and {} of silence are needed to say "
                           "that it does not come again",
                           operation.name, how_it_ended(c.recording, operation.lane),
                           seconds(own_until(c.recording, operation.lane) - last_call),
                           seconds(quiet_window(c, operation.lane))),
               cite(operation, effects, text));
  }
}

Witness cite(const SurplusCreations& surplus, std::string statement) {
  Witness made = said(std::move(statement));
  for (const auto* effect : surplus.effects) {
    made.effects.push_back(effect->number);
    made.exchanges.push_back(effect->exchange);
  }
  return made;
}

// A second create that no attempt in doubt explains is an operation of its own to whoever counts
// attempts; only the good day tells that it is one too many.
void judge_surplus(const SurplusCreations& surplus, std::string& headline, Tally& tally) {
  const std::string amount = amount_of(surplus.effects);
  if (surplus.equal) {
    if (headline.empty()) {
      headline = fmt::format("{} from equal requests, {} in the control", amount, surplus.usual);
    }
    return tally.broke(cite(surplus, fmt::format("{} ({}) by equal requests > {} in the control",
                                                 amount, ids_of(surplus.effects), surplus.usual)));
  }
  tally.open(fmt::format("{} were created where the healthy control created {}; whether one of "
                         "them is another one again cannot be told: give each create a key, or a "
                         "reference that the api names",
                         amount, surplus.usual),
             cite(surplus, fmt::format("{} ({}) > {} in the control", amount,
                                       ids_of(surplus.effects), surplus.usual)));
}

Finding evaluate(const Case& c, const Params&) {
  Tally tally;
  std::string headline;
  const Lazy<LaterCreations> later;
  for (const auto& operation : c.history.operations) judge(c, operation, later, headline, tally);
  if (!tally.any_broken()) {
    for (const auto& surplus : surplus_creations(c)) judge_surplus(surplus, headline, tally);
  }
  return std::move(tally).settle(
      {.failed = headline,
       .reason = "An operation was carried out more than once.",
       .held = fmt::format("one effect each for {} left in doubt",
                           counted(tally.judged(), "operation")),
       .none = "no unsafe operation took effect without the client being told"});
}

}  // namespace

const CheckDescriptor kNoDuplicateEffects = {
    .name = "no_duplicate_effects",
    .summary = "at most one effect for one operation",
    .rule =
        "standing effects created by one operation <= 1, and no more by equal requests than in "
        "the healthy control",
    .judged =
        "every run for a fail; for a pass an unsafe operation must have taken effect while "
        "its answer was lost or unusable",
    .why = "A customer is booked or charged twice.",
    .change =
        "Send one idempotency key per operation, stored before the first call and repeated on "
        "every attempt; where the API takes no keys, look it up before sending it again.",
    .source = "draft-ietf-httpapi-idempotency-key-header; RFC 9110 section 9.2.2",
    .since = "0.1",
    .severity = 100,
    .families = {Family::SecondEffect, Family::Crash},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
