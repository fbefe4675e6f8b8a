#include "client-tests/clients/booking_client/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace booking {
namespace {

using std::chrono::system_clock;

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes pieces off the front of a text; after the first piece that does not fit, all fail.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  void literal(std::string_view expected) {
    if (!text_.starts_with(expected)) return fail();
    text_.remove_prefix(expected.size());
  }

  unsigned digits(std::size_t count) {
    if (text_.size() < count || !std::all_of(text_.begin(), text_.begin() + count, is_digit)) {
      fail();
      return 0;
    }
    unsigned value = 0;
    std::from_chars(text_.data(), text_.data() + count, value);
    text_.remove_prefix(count);
    return value;
  }

  // asctime writes the day of the month as "_6" or "16".
  unsigned day_padded_with_space() {
    if (!text_.starts_with(' ')) return digits(2);
    text_.remove_prefix(1);
    return digits(1);
  }

  // The index of the word that comes next.
  template <std::size_t N>
  unsigned one_of(const std::array<std::string_view, N>& words) {
    for (unsigned i = 0; i < N; ++i) {
      if (!text_.starts_with(words[i])) continue;
      text_.remove_prefix(words[i].size());
      return i;
    }
    fail();
    return 0;
  }

  bool done() const { return good_ && text_.empty(); }

 private:
  void fail() { good_ = false; }

  std::string_view text_;
  bool good_ = true;
};

struct Moment {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

void read_time_of_day(Reader& in, Moment& moment) {
  moment.hour = in.digits(2);
  in.literal(":");
  moment.minute = in.digits(2);
  in.literal(":");
  moment.second = in.digits(2);
}

std::optional<WallTime> to_time(const Moment& moment) {
  using namespace std::chrono;
  const year_month_day date{year(moment.year), month(moment.month), day(moment.day)};
  // 60 is a leap second.
  if (!date.ok() || moment.hour > 23 || moment.minute > 59 || moment.second > 60) {
    return std::nullopt;
  }
  return sys_days(date) + hours(moment.hour) + minutes(moment.minute) + seconds(moment.second);
}

// Sun, 06 Nov 1994 08:49:37 GMT
std::optional<Moment> read_imf_fixdate(std::string_view text) {
  Reader in(text);
  Moment moment;
  in.one_of(kDays);
  in.literal(", ");
  moment.day = in.digits(2);
  in.literal(" ");
  moment.month = in.one_of(kMonths) + 1;
  in.literal(" ");
  moment.year = static_cast<int>(in.digits(4));
  in.literal(" ");
  read_time_of_day(in, moment);
  in.literal(" GMT");
  return in.done() ? std::optional(moment) : std::nullopt;
}

// Sunday, 06-Nov-94 08:49:37 GMT
std::optional<Moment> read_rfc850_date(std::string_view text, WallTime now) {
  Reader in(text);
  Moment moment;
  in.one_of(kLongDays);
  in.literal(", ");
  moment.day = in.digits(2);
  in.literal("-");
  moment.month = in.one_of(kMonths) + 1;
  in.literal("-");
  const int two_digits = static_cast<int>(in.digits(2));
  in.literal(" ");
  read_time_of_day(in, moment);
  in.literal(" GMT");
  if (!in.done()) return std::nullopt;

  // RFC 9110 5.6.7: what looks more than 50 years ahead is the most recent year with these digits.
  using namespace std::chrono;
  const int this_year = static_cast<int>(year_month_day(floor<days>(now)).year());
  moment.year = this_year / 100 * 100 + two_digits;
  if (moment.year > this_year + 50) moment.year -= 100;
  if (moment.year <= this_year - 50) moment.year += 100;
  return moment;
}

// Sun Nov  6 08:49:37 1994
std::optional<Moment> read_asctime_date(std::string_view text) {
  Reader in(text);
  Moment moment;
  in.one_of(kDays);
  in.literal(" ");
  moment.month = in.one_of(kMonths) + 1;
  in.literal(" ");
  moment.day = in.day_padded_with_space();
  in.literal(" ");
  read_time_of_day(in, moment);
  in.literal(" ");
  moment.year = static_cast<int>(in.digits(4));
  return in.done() ? std::optional(moment) : std::nullopt;
}

}  // namespace

std::optional<milliseconds> parse_delay_seconds(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::int64_t seconds = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (result.ec != std::errc() || seconds > kForever / std::chrono::seconds(1)) return kForever;
  return std::chrono::seconds(seconds);
}

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
  std::optional<Moment> moment = read_imf_fixdate(text);
  if (!moment) moment = read_rfc850_date(text, now);
  if (!moment) moment = read_asctime_date(text);
  return moment ? to_time(*moment) : std::nullopt;
}

std::optional<milliseconds> parse_retry_after(const std::vector<std::string>& fields,
                                              system_clock::time_point now) {
  if (fields.size() != 1) return std::nullopt;
  const std::string& field = fields.front();
  if (const auto seconds = parse_delay_seconds(field)) return seconds;
  const auto date = parse_http_date(field, std::chrono::floor<std::chrono::seconds>(now));
  if (!date) return std::nullopt;
  // In signed milliseconds: the year 9999 does not fit into nanoseconds, and a date that has passed
  // must not turn into a huge wait.
  const milliseconds wait = *date - std::chrono::floor<milliseconds>(now);
  return std::clamp(wait, milliseconds(0), kForever);
}

std::optional<milliseconds> parse_quota_pause(const std::vector<std::string>& fields) {
  if (fields.size() != 1) return std::nullopt;
  std::string_view rest = fields.front();
  std::optional<milliseconds> remaining, reset;
  while (!rest.empty()) {
    const std::size_t end = rest.find(';');
    const std::string_view parameter = rest.substr(0, end);
    if (parameter.starts_with("r=")) remaining = parse_delay_seconds(parameter.substr(2));
    if (parameter.starts_with("t=")) reset = parse_delay_seconds(parameter.substr(2));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return remaining == milliseconds(0) ? reset : std::nullopt;
}

}  // namespace booking
