#include "server/faults/http_date.h"

#include <fmt/format.h>

#include <array>

namespace mishap::server {
namespace {

constexpr std::array kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                              "Thursday", "Friday", "Saturday"};
constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

std::string http_date(std::chrono::sys_seconds instant, DateForm form) {
  const auto midnight = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date{midnight};
  const std::chrono::hh_mm_ss time{instant - midnight};
  const std::string_view day = kDays[std::chrono::weekday{midnight}.c_encoding()];
  const std::string_view month = kMonths[static_cast<unsigned>(date.month()) - 1];
  const unsigned day_of_month = static_cast<unsigned>(date.day());
  const int year = static_cast<int>(date.year());
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", time.hours().count(),
                                        time.minutes().count(), time.seconds().count());
  switch (form) {
    case DateForm::Rfc850:
      return fmt::format("{}, {:02}-{}-{:02} {} GMT", day, day_of_month, month, year % 100, clock);
    case DateForm::Asctime:
      return fmt::format("{} {} {:2} {} {:04}", day.substr(0, 3), month, day_of_month, clock, year);
    case DateForm::Imf:
      break;
  }
  return fmt::format("{}, {:02} {} {:04} {} GMT", day.substr(0, 3), day_of_month, month, year,
                     clock);
}

}  // namespace mishap::server
