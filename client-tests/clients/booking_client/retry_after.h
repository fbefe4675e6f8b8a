// The Retry-After header: RFC 9110 section 10.2.3 (seconds or a date), 5.6.7 (three date forms).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client-tests/clients/booking_client/settings.h"

namespace booking {

using WallTime = std::chrono::sys_seconds;

// 1*DIGIT, nothing around it. A number too large for a clock means "very long": kForever.
std::optional<milliseconds> parse_delay_seconds(std::string_view text);

// The three forms a recipient has to accept. `now` decides the century of the two-digit year.
std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);

// How long the server asks us to wait from `now` on; a date that has passed asks for nothing (0).
// Anything else than exactly one valid field is as good as no header.
std::optional<milliseconds> parse_retry_after(const std::vector<std::string>& fields,
                                              std::chrono::system_clock::time_point now);

// How long nothing is left of a quota (RateLimit: "default";r=0;t=2); nothing where something is,
// or where it cannot be read.
std::optional<milliseconds> parse_quota_pause(const std::vector<std::string>& fields);

}  // namespace booking
