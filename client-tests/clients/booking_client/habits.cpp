#include "client-tests/clients/booking_client/habits.h"

#include <algorithm>
#include <chrono>

#include "client-tests/clients/booking_client/cancellation.h"
#include "client-tests/clients/booking_client/httplib_transport.h"
#include "client-tests/clients/booking_client/pacing.h"
#include "client-tests/clients/booking_client/redirecting_transport.h"
#include "client-tests/clients/booking_client/retry_after.h"

namespace booking {

const char* name_of(CallKind kind) {
  switch (kind) {
    case CallKind::Create:
      return "create";
    case CallKind::Read:
      return "read";
    case CallKind::Lookup:
      return "lookup";
  }
  return "";
}

Habits::Habits(const Settings& settings) : settings_(settings) {}

Work Habits::work(const std::string& /*scenario*/) const {
  return {settings_.creates, settings_.reads, {}, settings_.batch};
}

std::unique_ptr<Transport> Habits::make_transport(const std::string& origin) {
  if (!settings_.follows_redirects) return make_httplib_transport(origin);
  return make_redirecting_transport(
      origin, redirect_policy(), [](const std::string& at) { return make_httplib_transport(at); });
}

milliseconds Habits::attempt_limit(milliseconds remaining) const {
  return std::max(milliseconds(1), std::min(settings_.attempt_timeout, remaining));
}

Judgement Habits::believe(const Answer& /*answer*/, Judgement judged) const {
  return judged;
}

// Without a key a create that may have been carried out is not sent again.
bool Habits::may_retry(CallKind kind, const std::vector<Failure>& failures) const {
  const bool is_safe =
      kind != CallKind::Create || !settings_.plain_vendor || failures.back().effect == Effect::None;
  return failures.back().retryable && is_safe;
}

std::optional<milliseconds> Habits::asked_wait(const Answer& answer) const {
  return parse_retry_after(answer.retry_after, std::chrono::system_clock::now());
}

std::optional<milliseconds> Habits::quota_pause(const Answer& answer) const {
  if (!answer.retry_after.empty()) return std::nullopt;  // which wins
  const auto pause = parse_quota_pause(answer.rate_limit);
  return pause && *pause <= settings_.retry_after_limit ? pause : std::nullopt;
}

milliseconds Habits::backoff(int failed_attempts) const {
  return draw_backoff(settings_, failed_attempts);
}

std::optional<milliseconds> Habits::plan_wait(milliseconds backoff,
                                              std::optional<milliseconds> asked,
                                              milliseconds remaining) {
  return booking::plan_wait(settings_, backoff, asked, remaining);
}

bool Habits::is_cancelled() const {
  return booking::is_cancelled();
}

bool Habits::sleep(milliseconds length) {
  return wait_unless_cancelled(length);
}

std::optional<std::string> Habits::key_for(const Intent& intent, int /*attempt*/) {
  const bool takes_none = settings_.plain_vendor || settings_.no_keys || settings_.upserts;
  return takes_none ? std::nullopt : std::optional(intent.key);
}

bool Habits::looks_up_before_resending() const {
  return settings_.no_keys;
}

std::string Habits::body_for(const Intent& intent, int /*attempt*/) const {
  return intent.body;
}

bool Habits::trips(std::size_t calls, std::size_t failures) const {
  return calls >= breaker_calls() && 2 * failures >= calls;
}

int Habits::lookups() const {
  static constexpr int kLookups = 3;
  return settings_.plain_vendor ? 0 : std::min(kLookups, settings_.max_attempts);
}

}  // namespace booking
