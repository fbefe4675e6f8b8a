#include "client-tests/checks/retry_wave.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mishap::client_tests {

namespace {

constexpr Duration kOneMoment = std::chrono::milliseconds(20);
constexpr double kRoom = 4;

double number(Duration value) {
  return std::chrono::duration<double>(value).count();
}

}  // namespace

bool failed_in_one_moment(const std::vector<Waits>& waits) {
  std::vector<Duration> failures;
  for (const Waits& of_one : waits) {
    if (!of_one.attempts.front()->failed_at) return false;
    failures.push_back(*of_one.attempts.front()->failed_at);
  }
  if (failures.empty()) return false;
  const auto [first, last] = std::ranges::minmax_element(failures);
  return *last - *first <= kOneMoment;
}

std::vector<RetryWave> retry_waves(const std::vector<Waits>& waits) {
  std::vector<RetryWave> waves;
  for (std::size_t retry = 1;; ++retry) {
    statistics::Sample arrivals, gaps;
    for (const Waits& of_one : waits) {
      if (retry >= of_one.attempts.size()) continue;
      const Attempt& attempt = *of_one.attempts[retry];
      arrivals.push_back(number(attempt.exchange->first_byte));
      gaps.push_back(number(attempt.gap.value_or(Duration{})));
    }
    if (2 * arrivals.size() < waits.size() || arrivals.empty()) return waves;
    RetryWave made{retry, statistics::median(gaps), arrivals.size(), {}};
    made.wave = statistics::measure_wave(arrivals, made.typical_wait);
    if (made.typical_wait >= kRoom * made.wave.window) waves.push_back(made);
  }
}

std::string told(const RetryWave& wave) {
  const auto most = std::llround(wave.wave.share * static_cast<double>(wave.size));
  const char* against = "between 55 % and 80 %";
  if (wave.wave.herd == statistics::Decision::Yes) against = ">= 80 %";
  if (wave.wave.herd == statistics::Decision::No) against = "<= 55 %";
  return fmt::format("retry {}, after waits of {}: {} of {} within {}, {:.0f} % {}", wave.retry,
                     in_seconds(wave.typical_wait), most, wave.size, in_seconds(wave.wave.window),
                     100 * wave.wave.share, against);
}

}  // namespace mishap::client_tests
