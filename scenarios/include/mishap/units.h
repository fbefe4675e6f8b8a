#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace mishap {

// Every time in mishap, a duration or an instant since some named start.
using Duration = std::chrono::nanoseconds;

using StatusCode = int;  // 100..599
using Port = std::uint16_t;

// Readers of quantities. Each takes the text as written and gives the value or one line that says
// what is wrong with it ("a duration needs its unit: 2s, 2ms or 2m?").
tl::expected<Duration, std::string> parse_duration(std::string_view text);  // 250ms 2s 5m 24h 10us
tl::expected<std::uint64_t, std::string> parse_bytes(std::string_view text);  // 37B 64KiB 1MiB 1GiB
tl::expected<double, std::string> parse_percent(std::string_view text);       // 30% -> 0.30
tl::expected<std::int64_t, std::string> parse_integer(std::string_view text);  // 12
tl::expected<double, std::string> parse_number(std::string_view text);         // 1.5
tl::expected<StatusCode, std::string> parse_status(std::string_view text);     // 100..599

// The shortest exact form: 250ms, 2s, 1.5s, 37B, 64KiB.
std::string format_duration(Duration value);
std::string format_bytes(std::uint64_t value);

}  // namespace mishap
