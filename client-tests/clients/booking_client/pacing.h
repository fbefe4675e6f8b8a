// How long to wait before the next attempt.
#pragma once

#include <optional>

#include "client-tests/clients/booking_client/settings.h"

namespace booking {

// Capped exponential backoff with full jitter: anything from the least delay to a ceiling that
// doubles with every failed attempt (counted from 1).
milliseconds draw_backoff(const Settings& settings, int failed_attempts);

// The wait, or nothing if it is better to give up now: the server asks for more than we are
// prepared to wait, or nothing useful could be done in what would remain of the operation's time.
// What the server asks for is a floor, with the own draw on top: clients that were told the same
// moment must not all come back at it.
std::optional<milliseconds> plan_wait(const Settings& settings, milliseconds backoff,
                                      std::optional<milliseconds> asked, milliseconds remaining);

}  // namespace booking
