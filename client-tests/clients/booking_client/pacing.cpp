#include "client-tests/clients/booking_client/pacing.h"

#include <algorithm>

#include "client-tests/clients/booking_client/chance.h"

namespace booking {
namespace {

// An attempt with less time than this is not worth beginning.
milliseconds smallest_attempt(const Settings& settings) {
  return std::min(settings.attempt_timeout, milliseconds(100));
}

}  // namespace

milliseconds draw_backoff(const Settings& settings, int failed_attempts) {
  milliseconds ceiling = settings.base;
  for (int i = 1; i < failed_attempts && ceiling < settings.max_delay; ++i) ceiling *= 2;
  ceiling = std::max(settings.min_delay, std::min(ceiling, settings.max_delay));
  return random_between(settings.min_delay, ceiling);
}

std::optional<milliseconds> plan_wait(const Settings& settings, milliseconds backoff,
                                      std::optional<milliseconds> asked, milliseconds remaining) {
  const milliseconds floor = asked.value_or(milliseconds(0));
  if (floor > settings.retry_after_limit) return std::nullopt;
  const milliseconds wait = floor + backoff;
  if (wait + smallest_attempt(settings) > remaining) return std::nullopt;
  return wait;
}

}  // namespace booking
