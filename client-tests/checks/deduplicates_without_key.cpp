#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// Where the vendor takes no keys, the client has to know by itself whether a thing is done.
namespace mishap::client_tests {

namespace {

using server::Effect;
using Created = std::vector<const Effect*>;

// It took effect, and the client could not know.
const Attempt* doubt_of(const Operation& operation) {
  for (const Attempt& attempt : operation.attempts) {
    const bool happened = attempt.truth == Truth::Effect || attempt.truth == Truth::EffectLater;
    if (happened && attempt.knowable == Knowable::Ambiguous) return &attempt;
  }
  return nullptr;
}

// What stands under each reference, whatever operations it was counted to: an upsert under a new id
// is an operation of its own to whoever goes by path and content.
class StandingByReference {
 public:
  explicit StandingByReference(const History& history) {
    for (const Operation& operation : history.operations) {
      for (const Effect* effect : standing_creations(history, operation)) {
        if (!effect->reference.empty()) created_[name_of(*effect)].push_back(effect);
      }
    }
  }

  Created of(const History& history, const Operation& operation) const {
    Created own = standing_creations(history, operation);
    if (own.empty() || own.front()->reference.empty()) return own;
    return created_.at(name_of(*own.front()));
  }

  std::size_t most() const {
    std::size_t most = 0;
    for (const auto& [name, created] : created_) most = std::max(most, created.size());
    return most;
  }

 private:
  using Name = std::tuple<int, std::string_view, std::string_view>;
  static Name name_of(const Effect& effect) {
    return {effect.lane, effect.resource, effect.reference};
  }
  std::map<Name, Created> created_;
};

enum class Looked { Nothing, Absent, Found };

// The last valid word of a lookup that was there before `until`.
Looked looked_up(const Operation& operation, Duration since, Duration until) {
  Looked last = Looked::Nothing;
  for (const server::Exchange* lookup : operation.lookups) {
    if (lookup->first_byte < since || !is_valid_lookup(*lookup)) continue;
    if (*lookup->receipt.last_write > until) continue;
    last = lookup->found ? Looked::Found : Looked::Absent;
  }
  return last;
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c), standing_(c.history) {
    if (c.control_history) usual_ = StandingByReference(*c.control_history).most();
  }

  void look_at(const Operation& operation) {
    const Attempt* doubt = doubt_of(operation);
    if (!doubt || repeats_by_habit(case_, operation)) return;
    const Created created = standing_.of(case_.history, operation);
    // A client that makes two under one reference on the good day means them.
    if (created.size() > std::max<std::size_t>(usual_, 1))
      return judge_duplicate(operation, created);
    if (operation.klass == OperationClass::Idempotent) return judge_upsert(operation, *doubt);
    judge_create(operation, *doubt);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "without keys it is done twice",
         .reason = "The vendor takes no keys, and what was in doubt was sent again without a look "
                   "that could have found it.",
         .held = counted(tally_.judged(), "create") + " in doubt, done once without a key",
         .none = "no create took effect while its answer was lost, or it was neither looked up nor "
                 "sent again"});
  }

 private:
  void judge_duplicate(const Operation& operation, const Created& created) {
    std::string ids;
    for (const Effect* effect : created) ids += (ids.empty() ? "" : ", ") + effect->id;
    Witness cited = witness(
        operation, fmt::format("{}: {} ({}) under one reference > 1, after {}", operation.name,
                               counted(created.size(), "effect"), ids, story_of(operation)));
    for (const Effect* effect : created) {
      cited.effects.push_back(effect->number);
      const bool is_new =
          std::ranges::find(cited.exchanges, effect->exchange) == cited.exchanges.end();
      if (is_new) cited.exchanges.push_back(effect->exchange);
    }
    tally_.broke(std::move(cited));
  }

  // The same id again is no second thing.
  void judge_upsert(const Operation& operation, const Attempt& doubt) {
    if (&operation.attempts.back() == &doubt) return judge_silence(operation, doubt);
    hold(operation, operation.attempts.back().exchange->first_byte,
         fmt::format("{}: put again where it is, 1 effect after {}", operation.name,
                     story_of(operation)));
  }

  void judge_create(const Operation& operation, const Attempt& doubt) {
    if (&operation.attempts.back() == &doubt) return judge_silence(operation, doubt);
    for (const Attempt& attempt : operation.attempts) {
      const Duration sent = attempt.exchange->first_byte;
      if (sent <= doubt.exchange->first_byte) continue;
      if (status_of(attempt) == 409) continue;  // the vendor itself knows it by its reference
      const Looked looked = looked_up(operation, doubt.exchange->first_byte, sent);
      if (looked == Looked::Absent) continue;  // it comes late: nobody could have seen it
      return tally_.broke(
          witness(operation, {&doubt, &attempt},
                  fmt::format("{}: sent again {} after {}, {}", operation.name,
                              seconds(sent - doubt.exchange->first_byte), ending_of(doubt),
                              looked == Looked::Found
                                  ? "though a lookup had found it"
                                  : "and no lookup that could have found it came in between")));
    }
    hold(operation, operation.attempts.back().exchange->first_byte,
         fmt::format("{}: sent again with care, 1 effect after {}", operation.name,
                     story_of(operation)));
  }

  // Not sent again: right for who looked and found it. Who did not look has deduplicated nothing.
  void judge_silence(const Operation& operation, const Attempt& doubt) {
    const Duration since = doubt.exchange->first_byte;
    if (looked_up(operation, since, case_.recording.length) != Looked::Found) return;
    hold(operation, since,
         fmt::format("{}: looked up and found after {}", operation.name, ending_of(doubt)));
  }

  // What was done once so far may be done again as long as the client lives.
  void hold(const Operation& operation, Duration last_call, std::string text) {
    Witness cited = witness(operation, std::move(text));
    if (is_closed_after(case_, operation.lane, last_call)) return tally_.held(std::move(cited));
    if (was_ended_by_scenario(case_.recording, operation.lane)) return;
    tally_.open(fmt::format("{} was still open: {}", operation.name,
                            how_it_ended(case_.recording, operation.lane)),
                std::move(cited));
  }

  const Case& case_;
  StandingByReference standing_;
  std::size_t usual_ = 0;
  Tally tally_;
};

// A real API behind the mock takes keys or not, whatever is said of it here.
bool is_from_upstream(const Recording& recording) {
  return std::ranges::any_of(recording.journal.exchanges, [](const server::Exchange& exchange) {
    return exchange.upstream.sent.has_value();
  });
}

Finding evaluate(const Case& c, const Params&) {
  if (c.recording.scenario.offers_keys) return not_applicable("the vendor takes keys");
  if (is_from_upstream(c.recording)) {
    return not_applicable("whether the upstream takes keys is not known here");
  }
  if (!c.recording.scenario.offers_lookup) {
    return not_applicable("the vendor offers no way to look up what was made");
  }
  Judge judge(c);
  for (const Operation& operation : c.history.operations) {
    if (operation.klass != OperationClass::Safe && !operation.overlapping) judge.look_at(operation);
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kDeduplicatesWithoutKey = {
    .name = "deduplicates_without_key",
    .summary = "without keys a lost create is looked up, or put under an id of its own",
    .rule =
        "standing effects under one reference <= 1; sent again only where a lookup in between "
        "validly did not show it, or by PUT to the same id",
    .judged =
        "creates that took effect while the answer was lost, at vendors that take no keys and can "
        "be asked; one that was neither looked up nor sent again is no occasion",
    .why = "A key that the vendor ignores protects nobody, and a look that cannot find does not.",
    .change =
        "Look it up by what never changes (your own reference) before it is sent again, or PUT it "
        "under an id that you choose once.",
    .source = "RFC 9110 section 9.2.2; mission A24, A25",
    .since = "0.1",
    .severity = 96,
    .families = {Family::SecondEffect},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
