#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"

// A status of 2xx is not success while the body is not the vendor's.
namespace mishap::client_tests {

namespace {

bool is_cut(const server::Exchange& exchange) {
  return exchange.answer.success && exchange.receipt.delivery == server::Delivery::PartOfBody;
}

bool is_invalid(const Attempt& attempt) {
  return attempt.result == Result::Spoiled || is_cut(*attempt.exchange);
}

const Attempt* first_invalid(const Operation& operation) {
  for (const Attempt& attempt : operation.attempts) {
    if (is_invalid(attempt)) return &attempt;
  }
  return nullptr;
}

const OutcomeLine* first_success(const Operation& operation) {
  for (const OutcomeLine* line : operation.outcomes) {
    if (line->outcome == OutcomeKind::Succeeded) return line;
  }
  return nullptr;
}

// The client came back for it: it did not take the invalid answer.
bool was_repeated_after(const Operation& operation, const Attempt& invalid) {
  return operation.attempts.back().exchange->first_byte > invalid.exchange->first_byte ||
         std::any_of(operation.lookups.begin(), operation.lookups.end(), [&](const auto* lookup) {
           return lookup->first_byte > invalid.exchange->first_byte;
         });
}

enum class Told { Rejected, Accepted, Nothing };

Told told_of(const Operation& operation, const Attempt& invalid) {
  if (const OutcomeLine* success = first_success(operation)) {
    const auto known = confirmed_at(operation);
    return known && *known <= success->at ? Told::Rejected : Told::Accepted;
  }
  if (!operation.outcomes.empty() || was_repeated_after(operation, invalid)) return Told::Rejected;
  return Told::Nothing;
}

// Every answer of the lane was invalid and nothing else came of it.
bool nothing_was_valid(const History& history, int lane) {
  return std::ranges::none_of(operations_of(history, lane), [](const Operation* operation) {
    return confirmed_at(*operation) || !first_invalid(*operation);
  });
}

Told told_by_exit(const Case& c, int lane) {
  const ProcessFacts* process = process_of(c.recording, lane);
  // The exit code of a service is about itself, not about what it was asked to do.
  const bool speaks = process && process->role == ProcessRole::Command;
  if (!speaks || process->stop != Stop::Exited || !nothing_was_valid(c.history, lane)) {
    return Told::Nothing;
  }
  return process->exit_code == 0 ? Told::Accepted : Told::Rejected;
}

// What the exit codes tell, each looked at once.
class ExitCodes {
 public:
  explicit ExitCodes(const Case& c) : case_(c) {}

  Told told_of(int lane) {
    const auto [told, is_new] = told_.try_emplace(lane, Told::Nothing);
    if (is_new) told->second = told_by_exit(case_, lane);
    return told->second;
  }

 private:
  const Case& case_;
  std::map<int, Told> told_;
};

void judge_crash(const Case& c, const Operation& operation, const Attempt& invalid, Tally& tally) {
  const ProcessFacts* process = process_of(c.recording, operation.lane);
  if (!process || !crashed(*process)) return;
  tally.broke(witness(operation, {&invalid},
                      fmt::format("{}: {}; {}", operation.name, ending_of(invalid),
                                  how_it_ended(c.recording, operation.lane))));
}

std::string invalid_text(const Attempt& invalid) {
  return is_cut(*invalid.exchange)
             ? fmt::format("{} whose body was cut", invalid.exchange->answer.status)
             : ending_of(invalid);
}

Finding evaluate(const Case& c, const Params&) {
  Tally tally;
  ExitCodes exit_codes(c);
  std::size_t occasions = 0;
  for (const auto& operation : c.history.operations) {
    const Attempt* invalid = first_invalid(operation);
    if (!invalid) continue;
    ++occasions;
    judge_crash(c, operation, *invalid, tally);
    Told told = told_of(operation, *invalid);
    if (told == Told::Nothing) told = exit_codes.told_of(operation.lane);
    const std::string text = fmt::format("{}: {}, ", operation.name, invalid_text(*invalid));
    if (told == Told::Accepted) {
      tally.broke(witness(operation, {invalid}, text + "taken for success"));
    } else if (told == Told::Rejected) {
      tally.held(witness(operation, {invalid}, text + "not taken for success"));
    }
  }
  if (occasions > 0 && tally.judged() == 0) {
    return not_observed("the client does not tell what it made of the invalid answer");
  }
  return std::move(tally).settle(
      {.failed = "an invalid answer was taken for success",
       .reason = "The status said 2xx, but the body was not what the vendor sends.",
       .held = counted(tally.judged(), "invalid answer") + " not believed",
       .none = "no answer of success with an invalid body"});
}

}  // namespace

const CheckDescriptor kInvalidResponseRejected = {
    .name = "invalid_response_rejected",
    .summary = "bytes are not trusted because of their status",
    .rule = "no success is reported before a valid answer or a lookup confirmed it; no crash",
    .judged = "operations that got a 2xx with a spoiled or cut body",
    .why = "A proxy's error page with status 200 would count as a booking.",
    .change =
        "Check length, content type, JSON and the members you need before you call it success.",
    .source = "RFC 9112 section 8; RFC 9110 section 15.3",
    .since = "0.1",
    .severity = 85,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
