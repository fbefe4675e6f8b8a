#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// A call that is neither idempotent nor keyed is not sent again while nobody knows whether the
// first one took effect.
namespace mishap::client_tests {

namespace {

// The last valid word of the vendor about the operation between two attempts.
enum class Answered { Nothing, Absent, Found };

Answered looked_up_between(const Operation& operation, const Attempt& before,
                           const Attempt& after) {
  Answered last = Answered::Nothing;
  for (const server::Exchange* lookup : operation.lookups) {
    const bool between = lookup->first_byte >= before.exchange->first_byte &&
                         lookup->first_byte < after.exchange->first_byte;
    if (!between || !is_valid_lookup(*lookup)) continue;
    if (*lookup->receipt.last_write > after.exchange->first_byte) continue;
    last = lookup->found ? Answered::Found : Answered::Absent;
  }
  return last;
}

bool took_effect(const Attempt& attempt) {
  return attempt.truth == Truth::Effect || attempt.truth == Truth::EffectLater;
}

std::string text_of(const Operation& operation, const Attempt& before, const Attempt& after) {
  return fmt::format("{}: sent again {} after {}, which {}{}", operation.name,
                     seconds(after.exchange->first_byte - before.exchange->first_byte),
                     ending_of(before), took_effect(before) ? "had taken effect" : "had no effect",
                     after.transport_resend ? "; by the HTTP library, on its own" : "");
}

class Judge {
 public:
  Judge(const Case& c, bool strict) : case_(c), strict_(strict) {}

  void look_at(const Operation& operation) {
    const Attempt* in_doubt = nullptr;
    bool resent = false;
    for (const Attempt& attempt : operation.attempts) {
      if (in_doubt) {
        resent = true;
        judge_resend(operation, *in_doubt, attempt);
      }
      // Doubt about an earlier attempt that took effect is not lifted by a later refusal.
      if (attempt.knowable == Knowable::Ambiguous && !(in_doubt && took_effect(*in_doubt))) {
        in_doubt = &attempt;
      }
    }
    if (in_doubt && !resent) judge_silence(operation, *in_doubt);
  }

  Finding settle() {
    return std::move(tally_).settle({.failed = "an unsafe call was sent again blindly",
                                     .reason =
                                         "A call without a key was repeated although nobody knew "
                                         "whether the first one had taken effect.",
                                     .held = fmt::format("{} in doubt, none sent again blindly",
                                                         counted(tally_.judged(), "unsafe call")),
                                     .none = "no unsafe call without a key was left in doubt"});
  }

 private:
  void judge_resend(const Operation& operation, const Attempt& before, const Attempt& after) {
    const Witness cited = witness(operation, {&before, &after}, text_of(operation, before, after));
    const Answered answer = looked_up_between(operation, before, after);
    if (answer == Answered::Found) {
      Witness found = cited;
      found.statement += "; a lookup had found it";
      tally_.broke(found);
    } else if (answer == Answered::Absent) {
      Witness absent = cited;
      absent.statement += "; a lookup had said absent";
      tally_.held(absent);
    } else if (before.truth == Truth::Unknown && !strict_) {
      tally_.open(fmt::format("{}: sent again while the upstream had not said whether the first "
                              "one took effect",
                              operation.name),
                  cited);
    } else if (took_effect(before) || (strict_ && !after.transport_resend)) {
      tally_.broke(cited);
    } else {
      tally_.warn(cited.statement);
      tally_.held(cited);
    }
  }

  void judge_silence(const Operation& operation, const Attempt& in_doubt) {
    const std::string text =
        fmt::format("{}: not sent again after {}", operation.name, ending_of(in_doubt));
    const Witness cited = witness(operation, {&in_doubt}, text);
    if (was_ended_by_scenario(case_.recording, operation.lane)) {
      return;  // there was nobody left to send it again
    } else if (is_closed_after(case_, operation.lane, in_doubt.exchange->first_byte)) {
      tally_.held(cited);
    } else {
      tally_.open(fmt::format("{} was still open: {}", operation.name,
                              how_it_ended(case_.recording, operation.lane)),
                  cited);
    }
  }

  const Case& case_;
  bool strict_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  Judge judge(c, params.boolean("strict"));
  for (const auto& operation : c.history.operations) {
    if (operation.klass != OperationClass::Unkeyed || repeats_by_habit(c, operation)) continue;
    judge.look_at(operation);
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kNoBlindRetryOfUnsafe = {
    .name = "no_blind_retry_of_unsafe",
    .summary = "an unsafe call without a key is not resent after an ambiguous failure",
    .rule =
        "no further attempt after an ambiguous failure unless a lookup said absent in between; "
        "resent though it had no effect: a warning",
    .judged = "non-idempotent calls without a key whose answer was lost, unusable or a 5xx",
    .why = "Nobody knows whether the first one took effect, so a second one may double it.",
    .change =
        "Send an idempotency key, or look the operation up before sending it again; switch "
        "off the HTTP library's own resend of POST.",
    .source = "RFC 9110 section 9.2.2; storage conformance scenarios 3 and 4",
    .since = "0.1",
    .params = {{.name = "strict",
                .type = ParamType::Boolean,
                .default_text = "false",
                .help = "fail also where the lost attempt had no effect"}},
    .severity = 95,
    .families = {Family::SecondEffect},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
