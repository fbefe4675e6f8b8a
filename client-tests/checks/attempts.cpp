#include "client-tests/checks/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mishap::client_tests {

namespace {

template <std::size_t N>
bool is_one_of(StatusCode status, const std::array<StatusCode, N>& set) {
  return std::find(set.begin(), set.end(), status) != set.end();
}

// checks.md section 1, "Profile parameters".
constexpr std::array<StatusCode, 7> kRetryable = {408, 425, 429, 500, 502, 503, 504};
constexpr std::array<StatusCode, 2> kOptional = {408, 500};
constexpr std::array<StatusCode, 20> kPermanent = {400, 401, 403, 404, 405, 406, 410,
                                                   411, 412, 413, 414, 415, 417, 422,
                                                   428, 431, 451, 501, 505, 511};

}  // namespace

std::vector<const Attempt*> policy_attempts(const Operation& operation) {
  std::vector<const Attempt*> attempts;
  for (const Attempt& attempt : operation.attempts) {
    if (!attempt.transport_resend) attempts.push_back(&attempt);
  }
  return attempts;
}

bool answered(const Attempt& attempt) {
  switch (attempt.result) {
    case Result::Broken:
    case Result::Abandoned:
    case Result::Unanswered:
      return false;
    default:
      return true;
  }
}

StatusCode status_of(const Attempt& attempt) {
  return answered(attempt) ? attempt.exchange->answer.status : 0;
}

bool is_transient(const Attempt& attempt) {
  if (attempt.result == Result::Broken || attempt.result == Result::Abandoned) return true;
  if (attempt.result == Result::Throttled) return true;  // 413 with Retry-After included
  return is_one_of(status_of(attempt), kRetryable);
}

bool is_optional_transient(const Attempt& attempt) {
  return is_one_of(status_of(attempt), kOptional);
}

bool is_permanent(const Attempt& attempt) {
  if (attempt.result == Result::Throttled) return false;
  return is_one_of(status_of(attempt), kPermanent);
}

bool was_faulted(const Attempt& attempt) {
  const auto& rules = attempt.exchange->rules;
  return std::any_of(rules.begin(), rules.end(),
                     [](const server::RuleHit& hit) { return hit.fired; });
}

std::size_t in_doubt_upstream(const Operation& operation) {
  return static_cast<std::size_t>(
      std::ranges::count(operation.attempts, Truth::Unknown, &Attempt::truth));
}

bool is_lookup(const Operation& operation) {
  return std::all_of(operation.attempts.begin(), operation.attempts.end(),
                     [](const Attempt& attempt) {
                       return attempt.exchange->role == server::Role::Lookup ||
                              !attempt.exchange->looked_up.empty();
                     });
}

std::string ending_of(const Attempt& attempt) {
  const auto& exchange = *attempt.exchange;
  switch (attempt.result) {
    case Result::Broken:
      return exchange.receipt.ending == server::Ending::Reset ? "a reset" : "a broken answer";
    case Result::Abandoned:
      return "no answer in time";
    case Result::Unanswered:
      return "no answer";
    case Result::Spoiled:
      return fmt::format("{} with an invalid body", exchange.answer.status);
    default:
      return std::to_string(exchange.answer.status);
  }
}

std::string story_of(const Operation& operation) {
  std::string story;
  for (const Attempt& attempt : operation.attempts) {
    if (!story.empty()) story += " -> ";
    story += ending_of(attempt);
  }
  return story;
}

Witness witness(const Operation& operation, const std::vector<const Attempt*>& attempts,
                std::string statement) {
  Witness made;
  made.statement = std::move(statement);
  made.operation = operation.number;
  for (const Attempt* attempt : attempts) made.exchanges.push_back(attempt->exchange->number);
  return made;
}

Witness witness(const Operation& operation, std::string statement) {
  Witness made = witness(operation, {}, std::move(statement));
  for (const Attempt& attempt : operation.attempts) {
    made.exchanges.push_back(attempt.exchange->number);
  }
  return made;
}

}  // namespace mishap::client_tests
