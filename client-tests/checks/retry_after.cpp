#include "client-tests/checks/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <vector>

namespace mishap::client_tests {

namespace {

// Longer waits are all alike, and nanoseconds in 64 bits end at 292 years, both ways.
constexpr std::int64_t kMostSeconds = 3'000'000'000;

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<int> number(std::string_view text) {
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);  // asctime pads its day
  if (!is_digits(text)) return std::nullopt;
  int value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{}) return std::nullopt;
  return value;
}

std::optional<unsigned> month_named(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<unsigned>(found - kNames.begin()) + 1;
}

// "08:49:37"
std::optional<Duration> time_of_day(std::string_view text) {
  if (text.size() != 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto hour = number(text.substr(0, 2));
  const auto minute = number(text.substr(3, 2));
  const auto second = number(text.substr(6, 2));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

std::optional<Duration> instant_of(std::optional<int> year, std::string_view month,
                                   std::string_view day, std::string_view time) {
  const auto named = month_named(month);
  const auto of_month = number(day);
  const auto of_day = time_of_day(time);
  if (!year || !named || !of_month || !of_day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*named),
                                         std::chrono::day(static_cast<unsigned>(*of_month))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch();
  const std::int64_t whole = std::chrono::duration_cast<std::chrono::seconds>(days).count();
  return std::chrono::seconds(std::clamp(whole, -kMostSeconds, kMostSeconds)) + *of_day;
}

int year_of(Duration since_epoch) {
  const std::chrono::sys_days day(std::chrono::floor<std::chrono::days>(since_epoch));
  return static_cast<int>(std::chrono::year_month_day(day).year());
}

// RFC 9110 section 5.6.7: a two-digit year that seems more than 50 years ahead is of the past.
std::optional<int> full_year(std::string_view two_digits, Duration now) {
  const auto short_year = number(two_digits);
  if (!short_year) return std::nullopt;
  const int this_year = year_of(now);
  const int year = this_year - this_year % 100 + *short_year;
  return year > this_year + 50 ? year - 100 : year;
}

// Sun, 06 Nov 1994 08:49:37 GMT
std::optional<Duration> imf_fixdate(std::string_view text) {
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return {};
  if (text[7] != ' ' || text[11] != ' ' || text[16] != ' ') return {};
  return instant_of(number(text.substr(12, 4)), text.substr(8, 3), text.substr(5, 2),
                    text.substr(17, 8));
}

// Sunday, 06-Nov-94 08:49:37 GMT
std::optional<Duration> rfc850_date(std::string_view text, Duration now) {
  const auto comma = text.find(", ");
  if (comma == std::string_view::npos || comma < 6 || comma > 9) return {};
  const std::string_view rest = text.substr(comma + 2);
  if (rest.size() != 22 || rest[2] != '-' || rest[6] != '-' || rest[9] != ' ') return {};
  if (rest.substr(18) != " GMT") return {};
  return instant_of(full_year(rest.substr(7, 2), now), rest.substr(3, 3), rest.substr(0, 2),
                    rest.substr(10, 8));
}

// Sun Nov  6 08:49:37 1994
std::optional<Duration> asctime_date(std::string_view text) {
  if (text.size() != 24 || text[3] != ' ' || text[7] != ' ' || text[10] != ' ' || text[19] != ' ') {
    return {};
  }
  return instant_of(number(text.substr(20, 4)), text.substr(4, 3), text.substr(8, 2),
                    text.substr(11, 8));
}

std::vector<std::string> values_of(const server::Exchange& exchange) {
  std::vector<std::string> values;
  for (const NameValue& header : exchange.answer.headers) {
    if (same_name(header.name, "Retry-After")) values.emplace_back(trimmed(header.value));
  }
  return values;
}

bool head_was_sent(const server::Exchange& exchange) {
  return exchange.receipt.last_write && (exchange.receipt.delivery == server::Delivery::Complete ||
                                         exchange.receipt.delivery == server::Delivery::PartOfBody);
}

Duration whole_seconds(std::string_view digits) {
  std::int64_t value = kMostSeconds;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc{}) value = kMostSeconds;
  return std::chrono::seconds(std::min(value, kMostSeconds));
}

}  // namespace

std::optional<Duration> parse_http_date(std::string_view text, Duration now) {
  if (const auto date = imf_fixdate(text)) return date;
  if (const auto date = rfc850_date(text, now)) return date;
  return asctime_date(text);
}

std::optional<RetryAfter> retry_after(const Recording& recording,
                                      const server::Exchange& exchange) {
  if (!head_was_sent(exchange)) return std::nullopt;
  const auto values = values_of(exchange);
  if (values.empty()) return std::nullopt;
  RetryAfter asked;
  for (const auto& value : values) asked.text += (asked.text.empty() ? "" : " | ") + value;
  if (values.size() > 1) return asked;
  const Duration sent = recording.wall_start + *exchange.receipt.last_write;
  if (is_digits(values.front())) {
    asked.form = RetryAfter::Form::Seconds;
    asked.wait = whole_seconds(values.front());
  } else if (const auto date = parse_http_date(values.front(), sent)) {
    asked.form = RetryAfter::Form::Date;
    asked.date = *date;
    asked.wait = *date - sent;
  }
  return asked;
}

bool is_unusual(const RetryAfter& asked, Duration limit) {
  return !asked.asks_to_wait() || asked.wait > limit;
}

}  // namespace mishap::client_tests
