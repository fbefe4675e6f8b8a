#include "server/faults/retry_after.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using namespace std::chrono;

// RFC 9110's own example: Sun, 06 Nov 1994 08:49:37 GMT.
constexpr sys_seconds kExample =
    sys_days{1994y / November / 6} + hours(8) + minutes(49) + seconds(37);

TEST(HttpDate, WritesTheThreeFormsOfTheRfc) {
  EXPECT_EQ(http_date(kExample, DateForm::Imf), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(kExample, DateForm::Rfc850), "Sunday, 06-Nov-94 08:49:37 GMT");
  EXPECT_EQ(http_date(kExample, DateForm::Asctime), "Sun Nov  6 08:49:37 1994");
}

TEST(HttpDate, KnowsTheCalendar) {
  EXPECT_EQ(http_date(sys_days{2000y / February / 29}, DateForm::Imf),
            "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(http_date(sys_days{2026y / December / 31} + hours(24) - seconds(1), DateForm::Imf),
            "Thu, 31 Dec 2026 23:59:59 GMT");
  EXPECT_EQ(http_date(sys_days{2009y / January / 1}, DateForm::Rfc850),
            "Thursday, 01-Jan-09 00:00:00 GMT");
}

TEST(RetryAfter, CountsADateFromTheNextWholeSecond) {
  const system_clock::time_point exact = kExample;
  EXPECT_EQ(retry_after_value("date+3s", exact, DateForm::Imf), "Sun, 06 Nov 1994 08:49:40 GMT");
  EXPECT_EQ(retry_after_value("date+3s", exact + milliseconds(1), DateForm::Imf),
            "Sun, 06 Nov 1994 08:49:41 GMT");
  EXPECT_EQ(retry_after_value("date+1500ms", exact, DateForm::Imf),
            "Sun, 06 Nov 1994 08:49:39 GMT");
  EXPECT_EQ(retry_after_value("date-1h", exact, DateForm::Imf), "Sun, 06 Nov 1994 07:49:37 GMT");
  EXPECT_EQ(retry_after_value("date+0s", exact, DateForm::Asctime), "Sun Nov  6 08:49:37 1994");
}

TEST(RetryAfter, LeavesEveryOtherTextAlone) {
  for (const std::string text : {"5", "", "soon", "date", "dated", "Date+3s", " date+3s"}) {
    EXPECT_EQ(retry_after_value(text, kExample, DateForm::Imf), text);
    EXPECT_TRUE(date_offset(text).has_value());
  }
  EXPECT_FALSE(date_offset("date+3").has_value());
  EXPECT_FALSE(date_offset("date+").has_value());
  EXPECT_FALSE(date_offset("date+soon").has_value());
}

}  // namespace
}  // namespace mishap::server
