#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "mishap/units.h"
#include "server/faults/http_date.h"

namespace mishap::server {

// `date+3s`, `date-10s`: a date that far from the answer. Nothing for any other text, which goes
// out byte for byte; an error for one that begins like this and does not read.
tl::expected<std::optional<Duration>, std::string> date_offset(std::string_view text);

// The value of the field: the text itself or the date. The instant is first rounded up to a whole
// second: the wait it asks for is never shorter than was written.
std::string retry_after_value(std::string_view text, std::chrono::system_clock::time_point wall,
                              DateForm form);

}  // namespace mishap::server
