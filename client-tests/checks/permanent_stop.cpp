#include "client-tests/checks/permanent_stop.h"

#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"

namespace mishap::client_tests {

namespace {

constexpr StatusCode kUnauthorized = 401;
constexpr StatusCode kNotFound = 404;

bool is_refusal(const Attempt& attempt) {
  if (!is_permanent(attempt)) return false;
  return status_of(attempt) != kNotFound || was_faulted(attempt);
}

std::string credential_of(const Attempt& attempt) {
  for (const auto& header : attempt.exchange->request.headers) {
    std::string name = header.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (name == "authorization") return header.value;
  }
  return {};
}

// A new request that the client's user could rightly make: other content, or (once, after a 401)
// other credentials (RFC 9110 section 15.5.2).
bool was_put_right(const Attempt& refused, const Attempt& next, bool& credential_changed) {
  if (refused.exchange->request.content_hash != next.exchange->request.content_hash) return true;
  if (status_of(refused) != kUnauthorized || credential_changed) return false;
  credential_changed = credential_of(refused) != credential_of(next);
  return credential_changed;
}

std::vector<const Attempt*> blind_repetitions(const std::vector<const Attempt*>& attempts,
                                              std::size_t refusal) {
  std::vector<const Attempt*> repeated;
  bool credential_changed = false;
  for (std::size_t i = refusal; i + 1 < attempts.size(); ++i) {
    if (!is_refusal(*attempts[i])) continue;
    if (was_put_right(*attempts[i], *attempts[i + 1], credential_changed)) continue;
    repeated.push_back(attempts[i + 1]);
  }
  return repeated;
}

}  // namespace

std::optional<std::size_t> first_refusal(const Operation& operation) {
  const auto attempts = policy_attempts(operation);
  const auto found = std::find_if(attempts.begin(), attempts.end(),
                                  [](const Attempt* attempt) { return is_refusal(*attempt); });
  if (found == attempts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - attempts.begin());
}

void judge_after_refusal(const Case& c, const Operation& operation, std::size_t refusal,
                         Tally& tally) {
  if (polls(c, operation)) return;
  const auto attempts = policy_attempts(operation);
  const Attempt& refused = *attempts[refusal];
  const auto repeated = blind_repetitions(attempts, refusal);
  if (repeated.size() > hidden_calls(c, operation)) {
    auto cited = repeated;
    cited.insert(cited.begin(), &refused);
    tally.broke(
        witness(operation, cited,
                fmt::format("{}: {} after {} > 0", operation.name,
                            counted(repeated.size(), "further attempt"), status_of(refused))));
    return;
  }
  const std::string text = fmt::format("{}: {}, then silence", operation.name, story_of(operation));
  const Duration since = *refused.exchange->receipt.last_write;
  if (is_closed_after(c, operation.lane, since)) {
    tally.held(witness(operation, {&refused}, text));
  } else {
    tally.open(fmt::format("{}: {} too soon after {} to tell", operation.name,
                           how_it_ended(c.recording, operation.lane), status_of(refused)),
               witness(operation, {&refused}, text));
  }
}

}  // namespace mishap::client_tests
