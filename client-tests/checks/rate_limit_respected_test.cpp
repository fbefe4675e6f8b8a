#include "client-tests/checks/check_testing.h"
#include "client-tests/checks/rate_limit.h"

namespace mishap::client_tests {

namespace {

// Two creates, the second so long after the answer to the first.
Finding next_after(Duration pause, const std::string& rate_limit,
                   const std::string& retry_after = "") {
  RecordingBuilder r("ratelimit-on-success");
  auto first = r.create("r-1").attempt(0ms).fired("hint").answered(201, 10ms);
  first.header("RateLimit", rate_limit);
  if (!retry_after.empty()) first.header("Retry-After", retry_after);
  r.create("r-2").attempt(10ms + pause).answered(201, 20ms + pause);
  return ask(kRateLimitRespected, r);
}

std::optional<RateLimit> parsed(const std::string& value) {
  server::Exchange exchange;
  exchange.answer.headers = {{"ratelimit", value}};
  return rate_limit(exchange);
}

}  // namespace

TEST(RateLimitField, ReadsTheTightestPolicy) {
  EXPECT_EQ(parsed("\"default\";r=0;t=2")->reset, 2s);
  EXPECT_EQ(parsed("\"a\";r=5;t=9, \"b\"; r=0 ;t=3")->reset, 3s);
  EXPECT_EQ(parsed("\"a\";t=9;r=7")->remaining, 7);
  for (const char* odd : {"", "none;;r=;t=-", "\"a\";r=0", "\"a\";r=-1;t=2", "\"a\";r=0;t=2.5"}) {
    EXPECT_FALSE(parsed(odd)) << odd;
  }
  server::Exchange twice;
  twice.answer.headers = {{"RateLimit", "\"a\";r=0;t=2"}, {"RateLimit", "\"a\";r=0;t=2"}};
  EXPECT_FALSE(rate_limit(twice));
}

TEST(RateLimitRespected, WaitsWhereNothingIsLeft) {
  const std::string empty = "\"default\";r=0;t=3";
  EXPECT_RULING(Fail, next_after(5ms, empty));
  EXPECT_RULING(Fail, next_after(1900ms, empty));
  EXPECT_RULING(Pass, next_after(2100ms, empty));  // whole seconds
  EXPECT_TRUE(
      mentions(next_after(5ms, empty), "nothing is left for 3.00 s: #2 came after 0.005 s"));
  EXPECT_TRUE(kRateLimitRespected.advisory);
}

TEST(RateLimitRespected, OtherHintsAskForNothing) {
  EXPECT_RULING(NotApplicable, next_after(5ms, "\"default\";r=1;t=3"));
  EXPECT_RULING(NotApplicable, next_after(5ms, "\"default\";r=0;t=1"));
  EXPECT_RULING(NotApplicable, next_after(5ms, "none;;r=;t=-"));
  EXPECT_RULING(NotApplicable, next_after(5ms, "\"default\";r=0;t=3600", "2"));  // which wins
}

TEST(RateLimitRespected, OnlyWhereAnotherCallFollows) {
  RecordingBuilder r("x");
  r.create("r-1").attempt(0ms).answered(201, 1ms).header("RateLimit", "\"d\";r=0;t=3");
  EXPECT_RULING(NotApplicable, ask(kRateLimitRespected, r));
  auto other = r.create("r-2");
  other.lane(1);
  other.attempt(5ms).answered(201, 6ms);
  EXPECT_RULING(NotApplicable, ask(kRateLimitRespected, r));
}

}  // namespace mishap::client_tests
