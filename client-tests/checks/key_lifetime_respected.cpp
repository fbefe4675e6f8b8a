#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/tally.h"

// A key protects as long as the vendor remembers it.
namespace mishap::client_tests {

namespace {

class Judge {
 public:
  Judge(const Case& c, Duration lifetime)
      : case_(c), lifetime_(lifetime), bound_(lifetime + late_tolerance(lifetime)) {}

  void look_at(const Operation& operation) {
    const auto keyed = keyed_attempts(operation);
    if (keyed.empty()) return;
    // Of each key: its first use, as the vendor may count it at the earliest.
    std::map<std::string_view, const Attempt*> first_uses;
    for (const auto& [attempt, key] : keyed) {
      const Attempt& first = *first_uses.try_emplace(key, attempt).first->second;
      const Duration age = attempt->exchange->first_byte - first.exchange->first_byte;
      if (age <= bound_) continue;
      return tally_.broke(witness(operation, {&first, attempt},
                                  fmt::format("{}: key {} again after {} > {}", operation.name,
                                              shown_key(key), seconds(age), seconds(lifetime_))));
    }
    judge_restraint(operation, keyed.front().attempt->exchange->first_byte + bound_);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a key was used after its time",
         .reason = "The vendor may have forgotten the key by then, and do it once more.",
         .held = counted(tally_.judged(), "operation") + " left alone when the key was too old",
         .none = "no operation was still open when its key was too old"});
  }

 private:
  // An occasion: the client did not know yet, and went on living.
  void judge_restraint(const Operation& operation, Duration too_old) {
    const auto told = confirmed_at(operation);
    if ((told && *told <= too_old) || is_settled(operation, too_old)) return;
    if (own_until(case_.recording, operation.lane) < too_old) return;
    const Witness cited = witness(
        operation, fmt::format("{}: not sent again after {}", operation.name, seconds(lifetime_)));
    if (is_closed_after(case_, operation.lane, too_old)) {
      tally_.held(cited);
    } else if (!was_ended_by_scenario(case_.recording, operation.lane)) {
      tally_.open(fmt::format("{} was still open: {}", operation.name,
                              how_it_ended(case_.recording, operation.lane)),
                  cited);
    }
  }

  // Given up, or refused, while the key was good: there was nothing to hold back any more.
  static bool is_settled(const Operation& operation, Duration too_old) {
    const bool was_told = !operation.outcomes.empty() && operation.outcomes.back()->at <= too_old;
    return was_told || is_permanent(operation.attempts.back());
  }

  const Case& case_;
  Duration lifetime_;
  Duration bound_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  const Duration lifetime = params.duration("lifetime");
  if (lifetime <= Duration{}) {
    return not_applicable("the scenario does not say how long the vendor remembers a key");
  }
  Judge judge(c, lifetime);
  for (const Operation* operation : keyable_operations(c.history)) judge.look_at(*operation);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kKeyLifetimeRespected = {
    .name = "key_lifetime_respected",
    .summary = "a key is not sent again when the vendor may have forgotten it",
    .rule =
        "(first byte of an attempt - first use of its key) <= lifetime + max(250 ms, 10 %); later "
        "only lookups",
    .judged =
        "operations with a key that were still open when it was too old, of a client that lived "
        "on; in scenarios that name the lifetime",
    .why = "A key that is forgotten makes a retry a new request.",
    .change =
        "Store when a key was first used; once it is older than the vendor says it keeps keys, "
        "look "
        "the operation up and let a person decide.",
    .source = "draft-ietf-httpapi-idempotency-key-header section 2.3 (expiry); Stripe (24 h)",
    .since = "0.1",
    .params = {{.name = "lifetime",
                .type = ParamType::Duration,
                .default_text = "0s",
                .help = "how long the vendor says that it remembers a key; 0s: nothing is said"}},
    .advisory = true,
    .severity = 70,
    .families = {Family::SecondEffect},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
