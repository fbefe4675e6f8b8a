#include "client-tests/checks/retry_after.h"

#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

std::optional<RetryAfter> retry_after_sent(const std::vector<std::string>& values) {
  RecordingBuilder r("x");
  r.recording().wall_start = 784111777s;  // Sun, 06 Nov 1994 08:49:37 GMT
  auto attempt = r.create("a").attempt(0ms).failed_with(429, 0ms);
  for (const auto& value : values) attempt.header("retry-AFTER", value);
  return retry_after(r.recording(), r.recording().journal.exchanges.at(0));
}

}  // namespace

TEST(RetryAfterHeader, ReadsEveryFormAsSent) {
  using Form = RetryAfter::Form;
  struct Row {
    std::vector<std::string> values;
    Form form;
    Duration wait;
  };
  const std::vector<Row> rows = {
      {{"2"}, Form::Seconds, 2s},
      {{" 5 "}, Form::Seconds, 5s},
      {{"0"}, Form::Seconds, 0s},
      {{"Sun, 06 Nov 1994 08:49:40 GMT"}, Form::Date, 3s},
      {{"Sunday, 06-Nov-94 08:49:40 GMT"}, Form::Date, 3s},
      {{"Sun Nov  6 08:49:40 1994"}, Form::Date, 3s},
      {{"Sun, 06 Nov 1994 08:49:30 GMT"}, Form::Date, -7s},
      {{"-5"}, Form::Odd, 0s},
      {{"1.5"}, Form::Odd, 0s},
      {{"soon"}, Form::Odd, 0s},
      {{""}, Form::Odd, 0s},
      {{"2, 5"}, Form::Odd, 0s},
      {{"2", "5"}, Form::Odd, 0s},
      {{"Sun, 31 Feb 1994 08:49:40 GMT"}, Form::Odd, 0s},
      {{"Sun, 06 Nov 1994 25:49:40 GMT"}, Form::Odd, 0s},
      {{"Sun, 06 Nov 1994 08:49:40 CET"}, Form::Odd, 0s},
  };
  for (const Row& row : rows) {
    const auto read = retry_after_sent(row.values);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->form, row.form) << row.values.front();
    if (row.form != Form::Odd) {
      EXPECT_EQ(read->wait, row.wait) << row.values.front();
    }
  }
}

TEST(RetryAfterHeader, AbsurdValuesStayBounded) {
  const auto digits = retry_after_sent({"999999999999999999999999999999"});
  ASSERT_TRUE(digits && digits->form == RetryAfter::Form::Seconds);
  EXPECT_GT(digits->wait, 365 * 24h);
  const auto date = retry_after_sent({"Fri, 31 Dec 9999 23:59:59 GMT"});
  ASSERT_TRUE(date && date->form == RetryAfter::Form::Date);
  EXPECT_GT(date->wait, 365 * 24h);
  EXPECT_TRUE(is_unusual(*date, 120s));
  const auto past = retry_after_sent({"Mon, 01 Jan 0001 00:00:00 GMT"});
  ASSERT_TRUE(past && past->form == RetryAfter::Form::Date);
  EXPECT_LT(past->wait, -365 * 24h);
}

TEST(RetryAfterHeader, ATwoDigitYearFarAheadIsOfThePast) {
  const auto date = parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", 1764400000s);  // in 2025
  ASSERT_TRUE(date.has_value());
  EXPECT_EQ(*date, Duration(784111777s));
}

TEST(RetryAfterHeader, IsAbsentWhereTheHeadDidNotReachTheWire) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).lost_by_reset(1ms).header("Retry-After", "2");
  EXPECT_FALSE(retry_after(r.recording(), r.recording().journal.exchanges.at(0)).has_value());
  EXPECT_FALSE(retry_after_sent({}).has_value());
}

}  // namespace mishap::client_tests
