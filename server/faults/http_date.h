#pragma once

#include <chrono>
#include <string>

namespace mishap::server {

// The three forms of a date that a client has to read (RFC 9110 section 5.6.7).
enum class DateForm { Imf, Rfc850, Asctime };

// Whole seconds of UTC.
std::string http_date(std::chrono::sys_seconds instant, DateForm form);

}  // namespace mishap::server
