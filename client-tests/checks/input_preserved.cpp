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

class Judge {
 public:
  explicit Judge(const Case& c)
      : case_(c),
        says_where_(says_where(&c.recording) || says_where(c.control)),
        letters_(with_payload(c.recording)) {}

  void look_at(const Operation& operation) {
    const OutcomeLine& last = *operation.outcomes.back();
    const std::string about = fmt::format("{}: {}", operation.name, to_string(last.outcome));
    if (was_killed(case_.recording, operation.lane)) {
      tally_.open(how_it_ended(case_.recording, operation.lane), witness(operation, about));
    } else if (last.kept && last.kept_bytes.value_or(0) > 0) {
      tally_.held(witness(operation, about + ", its input is in " + *last.kept));
    } else if (letters_.contains({operation.lane, last.operation})) {
      tally_.held(witness(operation, about + ", its input is in its dead letter"));
    } else if (last.kept) {
      broke(operation, fmt::format("{}, and {} is {}", about, *last.kept,
                                   last.kept_bytes ? "empty" : "not there"));
    } else if (last.outcome == OutcomeKind::Pending && says_where_) {
      broke(operation, about + ", and no word of where its input is");
    } else if (last.outcome == OutcomeKind::Pending) {
      // Not given up: it needs no letter, and may well lie in an outbox of which no line speaks.
      ++unseen_;
    }
  }

  Finding settle() && {
    if (unseen_ > 0 && tally_.judged() == 0 && !tally_.any_open()) {
      return not_observed(fmt::format("{} pending, and no line says where its input is (kept)",
                                      counted(unseen_, "operation")));
    }
    return std::move(tally_).settle(
        {.failed = "the input of what is not done is gone",
         .reason = "It would have to be typed again, or is lost.",
         .held = fmt::format("the input of {} is there", counted(tally_.judged(), "operation")),
         .none = "nothing was left pending or failed whose input the client says it keeps"});
  }

 private:
  void broke(const Operation& operation, std::string statement) {
    Witness cited = witness(operation, std::move(statement));
    if (may_have_more_letters(case_.recording, operation.lane)) {
      tally_.open("not all of its dead letters could be read", std::move(cited));
    } else {
      tally_.broke(std::move(cited));
    }
  }

  const Case& case_;
  bool says_where_;
  Names letters_;
  Tally tally_;
  std::size_t unseen_ = 0;
};

bool is_not_done(const Operation& operation) {
  if (operation.klass == OperationClass::Safe || is_lookup(operation)) return false;
  return !operation.outcomes.empty() &&
         operation.outcomes.back()->outcome != OutcomeKind::Succeeded;
}

Finding evaluate(const Case& c, const Params&) {
  const bool claims =
      says_where(&c.recording) || says_where(c.control) || c.recording.claims.dead_letters;
  if (!claims) {
    return not_applicable("the client does not say where it keeps the input of what is not done");
  }
  if (!c.recording.child) return not_observed("the client is not ours, nor is its state folder");
  Judge judge(c);
  for (const Operation& operation : c.history.operations) {
    if (is_not_done(operation)) judge.look_at(operation);
  }
  return std::move(judge).settle();
}

}  // namespace

const CheckDescriptor kInputPreserved = {
    .name = "input_preserved",
    .summary = "what is not done keeps its input",
    .rule =
        "of each operation whose last line is pending or failed: the file that the line names "
        "(kept) is in the state folder and not empty when the client has ended, or a dead letter "
        "has its payload",
    .judged =
        "clients whose outcome lines say where the input is kept; of those that claim dead letters "
        "only, what is in them: one that is pending is not given up, and needs none",
    .why = "The person who typed it has gone home, and so has what they typed.",
    .change = "Clear a form, a draft or a queue entry only when the vendor has confirmed.",
    .source = "mission B43",
    .since = "0.1",
    .severity = 55,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
