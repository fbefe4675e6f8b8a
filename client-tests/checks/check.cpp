#include "client-tests/checks/check.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace mishap::client_tests {

namespace {

Finding finding(Ruling ruling, std::string headline, std::string reason,
                std::vector<Witness> witnesses = {}) {
  Finding made;
  made.ruling = ruling;
  made.headline = std::move(headline);
  made.reason = std::move(reason);
  made.witnesses = std::move(witnesses);
  return made;
}

}  // namespace

Bounds bounds_of(const scenarios::Promise& promise) {
  Bounds bounds;
  bounds.max_attempts = promise.max_attempts.value_or(bounds.max_attempts);
  bounds.attempt_timeout = promise.attempt_timeout.value_or(bounds.attempt_timeout);
  bounds.deadline = promise.deadline.value_or(bounds.deadline);
  bounds.max_delay = promise.max_delay.value_or(bounds.max_delay);
  bounds.max_attempts_promised = promise.max_attempts.has_value();
  bounds.attempt_timeout_promised = promise.attempt_timeout.has_value();
  bounds.deadline_promised = promise.deadline.has_value();
  bounds.retries = promise.retries;
  return bounds;
}

Duration late_tolerance(Duration value) {
  return std::max<Duration>(std::chrono::milliseconds(250), value / 10);
}

Finding passed(std::string headline) {
  return finding(Ruling::Pass, std::move(headline), "");
}

Finding failed(std::string headline, std::string reason, std::vector<Witness> witnesses) {
  return finding(Ruling::Fail, std::move(headline), std::move(reason), std::move(witnesses));
}

Finding inconclusive(std::string reason, std::vector<Witness> witnesses) {
  return finding(Ruling::Inconclusive, "", std::move(reason), std::move(witnesses));
}

Finding not_applicable(std::string reason) {
  return finding(Ruling::NotApplicable, "", std::move(reason));
}

Finding not_observed(std::string reason) {
  return finding(Ruling::NotObserved, "", std::move(reason));
}

// Two decimals, three below a tenth of a second, where the third tells 4 ms from 10 ms.
std::string seconds(Duration value) {
  const double number = std::chrono::duration<double>(value).count();
  const bool small = number > -0.0995 && number < 0.0995;
  return small ? fmt::format("{:.3f} s", number) : fmt::format("{:.2f} s", number);
}

}  // namespace mishap::client_tests
