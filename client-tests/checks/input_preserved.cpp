#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/tally.h"

// What is not done keeps what somebody typed.
namespace mishap::client_tests {

namespace {

using Names = std::set<std::pair<int, std::string>>;

bool says_where(const Recording* recording) {
  return recording && std::ranges::any_of(recording->outcomes, [](const OutcomeLine& line) {
           return line.kept.has_value();
         });
}

Names with_payload(const Recording& recording) {
  Names names;
  for (const DeadLetter& letter : recording.dead_letters) {
    if (letter.has_payload || letter.payload_bytes.value_or(0) > 0) {
      names.insert({letter.copy, letter.operation});
    }
  }
  return names;
}

void judge(const Operation& operation, const Names& letters, Tally& tally) {
  const OutcomeLine& last = *operation.outcomes.back();
  const std::string word(to_string(last.outcome));
  if (last.kept && last.kept_bytes.value_or(0) > 0) {
    tally.held(witness(
        operation, fmt::format("{}: {}, its input is in {}", operation.name, word, *last.kept)));
  } else if (letters.contains({operation.lane, last.operation})) {
    tally.held(witness(
        operation, fmt::format("{}: {}, its input is in its dead letter", operation.name, word)));
  } else if (last.kept) {
    tally.broke(
        witness(operation, fmt::format("{}: {}, and {} is {}", operation.name, word, *last.kept,
                                       last.kept_bytes ? "empty" : "not there")));
  } else if (last.outcome == OutcomeKind::Pending) {
    tally.broke(witness(
        operation, fmt::format("{}: pending, and no word of where its input is", operation.name)));
  }
}

Finding evaluate(const Case& c, const Params&) {
  const bool claims =
      says_where(&c.recording) || says_where(c.control) || c.recording.claims.dead_letters;
  if (!claims) {
    return not_applicable("the client does not say where it keeps the input of what is not done");
  }
  if (!c.recording.child) return not_observed("the client is not ours, nor is its state folder");
  const Names letters = with_payload(c.recording);
  Tally tally;
  for (const Operation& operation : c.history.operations) {
    const bool is_unsafe = operation.klass != OperationClass::Safe && !is_lookup(operation);
    if (!is_unsafe || operation.outcomes.empty()) continue;
    if (operation.outcomes.back()->outcome == OutcomeKind::Succeeded) continue;
    if (was_killed(c.recording, operation.lane)) {
      tally.open(how_it_ended(c.recording, operation.lane),
                 witness(operation, operation.name + ": not done"));
    } else {
      judge(operation, letters, tally);
    }
  }
  return std::move(tally).settle(
      {.failed = "the input of what is not done is gone",
       .reason = "It would have to be typed again, or is lost.",
       .held = fmt::format("the input of {} is there", counted(tally.judged(), "operation")),
       .none = "nothing was left pending or failed whose input the client says it keeps"});
}

}  // namespace

const CheckDescriptor kInputPreserved = {
    .name = "input_preserved",
    .summary = "what is not done keeps its input",
    .rule =
        "of each operation whose last line is pending or failed: the file that the line names "
        "(kept) is in the state folder and not empty when the client has ended, or a dead letter "
        "has its payload",
    .judged = "clients whose outcome lines say where the input is kept, or that claim dead letters",
    .why = "The person who typed it has gone home, and so has what they typed.",
    .change = "Clear a form, a draft or a queue entry only when the vendor has confirmed.",
    .source = "mission B43",
    .since = "0.1",
    .severity = 55,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
