#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/tally.h"

// What was given up is kept with all that somebody needs who takes it up again.
namespace mishap::client_tests {

namespace {

using Letters = std::map<std::pair<int, std::string>, const DeadLetter*>;

// What a client may take for final, as a refusal is. That it does not is seen where it tried again.
bool may_be_final(const Operation& operation) {
  const auto attempts = policy_attempts(operation);
  const Attempt& last = operation.attempts.back();
  const auto is_same = [&](const Attempt* attempt) {
    return attempt->exchange != last.exchange && status_of(*attempt) == status_of(last);
  };
  return is_optional_transient(last) && std::ranges::none_of(attempts, is_same);
}

// Given up after failures that may pass; a refusal is nothing that a replay could do better.
bool is_exhausted(const Operation& operation) {
  if (operation.klass == OperationClass::Safe || is_lookup(operation)) return false;
  if (operation.outcomes.empty() || operation.outcomes.back()->outcome != OutcomeKind::Failed) {
    return false;
  }
  return is_transient(operation.attempts.back()) && !may_be_final(operation);
}

const DeadLetter* letter_of(const Operation& operation, const Letters& letters) {
  const auto find = [&](const std::string& name) -> const DeadLetter* {
    const auto found = letters.find({operation.lane, name});
    return found == letters.end() ? nullptr : found->second;
  };
  if (const auto* own = find(operation.outcomes.back()->operation)) return own;
  if (const auto* own = find(operation.reference)) return own;
  for (const std::string& key : operation.keys) {
    if (const auto* own = find(key)) return own;
  }
  return nullptr;
}

// Empty: nothing.
std::string what_is_missing(const DeadLetter& letter) {
  if (letter.error.empty()) return "the last error";
  if (!letter.attempts || *letter.attempts < 1) return "the number of attempts";
  if (letter.has_payload || letter.payload_bytes.value_or(0) > 0) return {};
  if (letter.payload_file.empty()) return "the payload";
  return fmt::format("the payload: {} is {}", letter.payload_file,
                     letter.payload_bytes ? "empty" : "not there");
}

void judge(const Case& c, const Operation& operation, const Letters& letters, Tally& tally) {
  if (was_killed(c.recording, operation.lane)) {
    return tally.open(how_it_ended(c.recording, operation.lane),
                      witness(operation, operation.name + ": given up"));
  }
  const DeadLetter* letter = letter_of(operation, letters);
  if (!letter && may_have_more_letters(c.recording, operation.lane)) {
    return tally.open("not all of its dead letters could be read (one JSON object a line)",
                      witness(operation, operation.name + ": given up, and not among those read"));
  }
  if (!letter) {
    return tally.broke(witness(
        operation, fmt::format("{}: given up after {}, and not among {}", operation.name,
                               story_of(operation), counted(letters.size(), "dead letter"))));
  }
  const std::string missing = what_is_missing(*letter);
  if (!missing.empty()) {
    return tally.broke(
        witness(operation, fmt::format("{}: its dead letter lacks {}", operation.name, missing)));
  }
  const auto seen = static_cast<std::int64_t>(policy_attempts(operation).size());
  if (*letter->attempts != seen) {
    tally.warn(fmt::format("{}: its dead letter says {}, {} came", operation.name,
                           counted(static_cast<std::size_t>(*letter->attempts), "attempt"), seen));
  }
  tally.held(
      witness(operation, fmt::format("{}: kept with error, attempts and payload", operation.name)));
}

Finding evaluate(const Case& c, const Params&) {
  if (!c.recording.claims.dead_letters) {
    return not_applicable("the client does not claim to keep dead letters");
  }
  if (!c.recording.child) return not_observed("the client is not ours, nor is its state folder");
  Letters letters;
  for (const DeadLetter& letter : c.recording.dead_letters) {
    letters[{letter.copy, letter.operation}] = &letter;
  }
  Tally tally;
  for (const Operation& operation : c.history.operations) {
    if (is_exhausted(operation)) judge(c, operation, letters, tally);
  }
  return std::move(tally).settle(
      {.failed = "what was given up is not kept",
       .reason = "Nobody can take it up again: it is not there, or not whole.",
       .held = fmt::format("{} kept", counted(tally.judged(), "operation")),
       .none = "no operation was reported as failed after failures that may pass"});
}

}  // namespace

const CheckDescriptor kDeadLetterComplete = {
    .name = "dead_letter_complete",
    .summary = "what was given up is kept with what a replay needs",
    .rule =
        "each operation that was given up has an entry with error, attempts >= 1 and its payload, "
        "or the name of a file with it that is there and not empty",
    .judged =
        "clients that claim dead letters (client: {dead_letters: FILE}), for operations reported "
        "as failed after a failure that may pass (500 and 408 only where such a one was tried "
        "again); a file that cannot be read whole proves no absence",
    .why = "What is only logged is gone: the lead, the order, the invoice.",
    .change =
        "When the last attempt has failed write the operation to a place of its own, with its "
        "input, the last error and the number of attempts, before it is reported as failed.",
    .source = "mission A10, C22, C28, C30",
    .since = "0.1",
    .severity = 60,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
