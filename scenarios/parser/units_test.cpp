#include "mishap/units.h"

#include <gtest/gtest.h>

namespace mishap {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsEveryUnitExactly) {
  const std::vector<std::pair<std::string, Duration>> cases{{"0s", 0s},
                                                            {"7ns", 7ns},
                                                            {"10us", 10us},
                                                            {"250ms", 250ms},
                                                            {"2s", 2s},
                                                            {"1.5s", 1500ms},
                                                            {"0.001s", 1ms},
                                                            {"5m", 5min},
                                                            {"24h", 24h},
                                                            {"0.5h", 30min},
                                                            {"1.000000001s", 1'000'000'001ns}};
  for (const auto& [text, value] : cases) EXPECT_EQ(parse_duration(text).value(), value) << text;
}

TEST(Duration, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"2", "a duration needs its unit: 2s, 2ms or 2m?"},
      {"1O s", "\"1O s\" is not a duration: there is a letter among its digits; did you mean 10s?"},
      {"l0ms",
       "\"l0ms\" is not a duration: there is a letter among its digits; did you mean 10ms?"},
      {"2 s", "a duration is written without a space: 2s"},
      {"2sec", "unknown unit of a duration \"sec\"; known: ns, us, ms, s, m, h"},
      {"2MS", "unknown unit of a duration \"MS\"; did you mean \"ms\"?"},
      {"-1s", "a duration cannot be negative"},
      {"soon", "\"soon\" is not a duration such as 250ms, 2s or 5m"},
      {"", "\"\" is not a duration such as 250ms, 2s or 5m"},
      {".5s", "\".5s\" is not a duration such as 250ms, 2s or 5m"},
      {"0.5ns", "\"0.5ns\" is longer than 876000h or finer than 1ns"},
      {"99999999999999999999h",
       "\"99999999999999999999h\" is longer than 876000h or finer than 1ns"},
      {"876001h", "\"876001h\" is longer than 876000h or finer than 1ns"}};
  for (const auto& [text, message] : cases) {
    const auto value = parse_duration(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error(), message) << text;
  }
}

TEST(Duration, IsWrittenInItsShortestExactForm) {
  const std::vector<std::pair<Duration, std::string>> cases{
      {0s, "0s"},   {250ms, "250ms"}, {1500ms, "1.5s"},    {90s, "90s"}, {2min, "2m"},
      {24h, "24h"}, {10us, "10us"},   {1234us, "1.234ms"}, {3ns, "3ns"}, {-5ns, "-5ns"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(format_duration(value), text);
}

TEST(Duration, ReadsWhatItWrites) {
  for (std::int64_t ns = 1; ns < 4'000'000'000'000'000; ns = ns * 3 + 1) {
    const Duration value(ns);
    EXPECT_EQ(parse_duration(format_duration(value)).value(), value) << format_duration(value);
  }
}

TEST(Bytes, ReadsAndWrites) {
  EXPECT_EQ(parse_bytes("37B").value(), 37U);
  EXPECT_EQ(parse_bytes("64KiB").value(), 65536U);
  EXPECT_EQ(parse_bytes("1.5KiB").value(), 1536U);
  EXPECT_EQ(parse_bytes("0.25MiB").value(), 262144U);
  EXPECT_EQ(parse_bytes("2GiB").value(), 2147483648U);
  EXPECT_EQ(format_bytes(0), "0B");
  EXPECT_EQ(format_bytes(65536), "64KiB");
  EXPECT_EQ(format_bytes(1537), "1537B");
}

TEST(Bytes, SaysWhatIsWrong) {
  EXPECT_EQ(parse_bytes("37").error(), "a size needs its unit: 37B or 37KiB?");
  EXPECT_EQ(parse_bytes("64KB").error(), "unknown unit of a size \"KB\"; did you mean \"KiB\"?");
  EXPECT_EQ(parse_bytes("1.1KiB").error(),
            "\"1.1KiB\" is not a whole number of bytes below 1048576GiB");
  EXPECT_EQ(parse_bytes("99999999GiB").error(),
            "\"99999999GiB\" is not a whole number of bytes below 1048576GiB");
}

TEST(Percent, NeedsItsSignAndStaysWithinTheWhole) {
  EXPECT_DOUBLE_EQ(parse_percent("30%").value(), 0.3);
  EXPECT_DOUBLE_EQ(parse_percent("0.5%").value(), 0.005);
  EXPECT_EQ(parse_percent("30").error(), "a share needs its percent sign: 30%?");
  EXPECT_EQ(parse_percent("101%").error(), "101% is not between 0% and 100%");
  EXPECT_EQ(parse_percent("-1%").error(), "-1% is not between 0% and 100%");
  EXPECT_EQ(parse_percent("nan%").error(), "\"nan%\" is not a share such as 30%");
}

TEST(Numbers, RefuseWhatIsNotWhollyANumber) {
  EXPECT_EQ(parse_integer("12").value(), 12);
  EXPECT_FALSE(parse_integer("12a"));
  EXPECT_FALSE(parse_integer("1.0"));
  EXPECT_FALSE(parse_integer("99999999999999999999"));
  EXPECT_DOUBLE_EQ(parse_number("1.5").value(), 1.5);
  EXPECT_FALSE(parse_number("inf"));
  EXPECT_EQ(parse_status("429").value(), 429);
  EXPECT_FALSE(parse_status("99"));
  EXPECT_FALSE(parse_status("600"));
}

}  // namespace
}  // namespace mishap
