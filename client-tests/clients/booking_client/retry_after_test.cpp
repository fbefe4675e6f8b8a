#include "client-tests/clients/booking_client/retry_after.h"

#include <gtest/gtest.h>

namespace booking {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

// Sunday, 6 November 2033, 08:49:37 GMT
constexpr WallTime kNow = sys_days(std::chrono::year(2033) / 11 / 6) + 8h + 49min + 37s;

struct Case {
  std::vector<std::string> fields;
  std::optional<milliseconds> asked;
};

TEST(RetryAfter, IsSecondsOrADateAndNothingElse) {
  const Case cases[] = {
      {{"0"}, 0ms},
      {{"2"}, 2s},
      {{"007"}, 7s},
      {{"3600"}, 3600s},
      {{"999999999999999999999999999999"}, kForever},
      {{"9223372036854775807"}, kForever},
      {{"Sun, 06 Nov 2033 08:49:40 GMT"}, 3s},
      {{"Sunday, 06-Nov-33 08:49:40 GMT"}, 3s},
      {{"Sun Nov  6 08:49:40 2033"}, 3s},
      {{"Wed Nov 16 08:49:37 2033"}, 240h},
      {{"Fri, 31 Dec 9999 23:59:59 GMT"}, kForever},
      // A date that has passed asks for nothing.
      {{"Sun, 06 Nov 1994 08:49:37 GMT"}, 0ms},
      {{"Sunday, 06-Nov-94 08:49:37 GMT"}, 0ms},
      {{"Sun Nov  6 08:49:37 1994"}, 0ms},
      {{"Sun, 06 Nov 2033 08:49:37 GMT"}, 0ms},
      // As good as no header.
      {{}, std::nullopt},
      {{""}, std::nullopt},
      {{"soon"}, std::nullopt},
      {{"-5"}, std::nullopt},
      {{"+5"}, std::nullopt},
      {{"1.5"}, std::nullopt},
      {{"2, 5"}, std::nullopt},
      {{"2", "5"}, std::nullopt},
      {{"2 s"}, std::nullopt},
      {{"0x10"}, std::nullopt},
      {{"Sun, 06 Nov 2033 08:49:40 UTC"}, std::nullopt},
      {{"Sun, 6 Nov 2033 08:49:40 GMT"}, std::nullopt},
      {{"Sun, 31 Feb 2033 08:49:40 GMT"}, std::nullopt},
      {{"Sun, 06 Nov 2033 24:00:00 GMT"}, std::nullopt},
      {{"Sun, 06 Nov 2033 08:49:40 GMT and then"}, std::nullopt},
      {{"2033-11-06T08:49:40Z"}, std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.fields.empty() ? "no field" : c.fields.front());
    EXPECT_EQ(parse_retry_after(c.fields, kNow), c.asked);
  }
}

TEST(RetryAfter, RoundsTheWaitForADateUpwards) {
  const auto now = std::chrono::system_clock::time_point(kNow) + 400'900us;
  EXPECT_EQ(parse_retry_after({"Sun, 06 Nov 2033 08:49:40 GMT"}, now), 2600ms);
}

TEST(HttpDate, ReadsATwoDigitYearAsTheNearestOneWithinFiftyYearsAhead) {
  struct {
    const char* text;
    int year;
  } const cases[] = {{"Sunday, 06-Nov-33 08:49:37 GMT", 2033},
                     {"Sunday, 06-Nov-83 08:49:37 GMT", 2083},
                     {"Sunday, 06-Nov-84 08:49:37 GMT", 1984},
                     {"Sunday, 06-Nov-00 08:49:37 GMT", 2000}};
  for (const auto& c : cases) {
    const auto date = parse_http_date(c.text, kNow);
    ASSERT_TRUE(date) << c.text;
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(*date));
    EXPECT_EQ(static_cast<int>(day.year()), c.year) << c.text;
  }
}

TEST(QuotaPause, IsReadWhereNothingIsLeft) {
  EXPECT_EQ(parse_quota_pause({"\"default\";r=0;t=2"}), 2000ms);
  EXPECT_EQ(parse_quota_pause({"\"default\";r=3;t=2"}), std::nullopt);
  for (const char* odd : {"", "none;;r=;t=-", "\"d\";r=0", "\"d\";r=0;t=soon"}) {
    EXPECT_EQ(parse_quota_pause({odd}), std::nullopt) << odd;
  }
  EXPECT_EQ(parse_quota_pause({"\"d\";r=0;t=2", "\"d\";r=0;t=2"}), std::nullopt);
}

}  // namespace
}  // namespace booking
