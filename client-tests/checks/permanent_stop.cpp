#include "client-tests/checks/permanent_stop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/rule_reach.h"

namespace mishap::client_tests {

namespace {

constexpr StatusCode kUnauthorized = 401;
constexpr StatusCode kNotFound = 404;

// A 404 that the scenario takes back may be that of something which does not show yet.
bool is_refusal(const Case& c, const Attempt& attempt) {
  if (!is_permanent(attempt)) return false;
  if (status_of(attempt) != kNotFound) return true;
  return was_faulted(attempt) && would_fail_again(c.recording, attempt);
}

bool is_named(const server::KeptField& field, std::string_view name) {
  return std::ranges::equal(field.name, name, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
  });
}

// Its values in their order, as one text to compare.
std::string field_of(const Attempt& attempt, std::string_view name) {
  std::string values;
  for (const auto& field : attempt.exchange->request.headers) {
    if (is_named(field, name)) values += field.value + '\n';
  }
  return values;
}

// What of the head a refusal is about (RFC 9110 section 15.5, RFC 6585 section 3).
struct Concern {
  StatusCode status;
  std::string_view field;
};
constexpr std::array<Concern, 21> kConcerns = {{
    {406, "accept"},
    {406, "accept-language"},
    {406, "accept-encoding"},
    {411, "content-length"},
    {411, "transfer-encoding"},
    {412, "if-match"},
    {412, "if-none-match"},
    {412, "if-modified-since"},
    {412, "if-unmodified-since"},
    {412, "if-range"},
    {415, "content-type"},
    {415, "content-encoding"},
    {417, "expect"},
    {428, "if-match"},
    {428, "if-none-match"},
    {428, "if-modified-since"},
    {428, "if-unmodified-since"},
    {428, "idempotency-key"},
    {431, "cookie"},
    {431, "authorization"},
    {431, "referer"},
}};

// A new request that the client's user could rightly make: other content, what the refusal is about
// changed, or (once, after a 401) other credentials (RFC 9110 section 15.5.2).
bool was_put_right(const Attempt& refused, const Attempt& next, bool& credential_changed) {
  if (refused.exchange->request.content_hash != next.exchange->request.content_hash) return true;
  const auto changed = [&](std::string_view name) {
    return field_of(refused, name) != field_of(next, name);
  };
  if (status_of(refused) == kUnauthorized && !credential_changed) {
    credential_changed = changed("authorization");
    return credential_changed;
  }
  return std::ranges::any_of(kConcerns, [&](const Concern& concern) {
    return concern.status == status_of(refused) && changed(concern.field);
  });
}

std::vector<const Attempt*> blind_repetitions(const Case& c,
                                              const std::vector<const Attempt*>& attempts,
                                              std::size_t refusal) {
  std::vector<const Attempt*> repeated;
  bool credential_changed = false;
  for (std::size_t i = refusal; i + 1 < attempts.size(); ++i) {
    if (!is_refusal(c, *attempts[i])) continue;
    if (was_put_right(*attempts[i], *attempts[i + 1], credential_changed)) continue;
    repeated.push_back(attempts[i + 1]);
  }
  return repeated;
}

}  // namespace

std::optional<std::size_t> first_refusal(const Case& c, const Operation& operation) {
  const auto attempts = policy_attempts(operation);
  const auto found = std::find_if(attempts.begin(), attempts.end(),
                                  [&](const Attempt* attempt) { return is_refusal(c, *attempt); });
  if (found == attempts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - attempts.begin());
}

void judge_after_refusal(const Case& c, const Operation& operation, std::size_t refusal,
                         Tally& tally) {
  if (polls(c, operation)) return;
  const auto attempts = policy_attempts(operation);
  const Attempt& refused = *attempts[refusal];
  const auto repeated = blind_repetitions(c, attempts, refusal);
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
