#include "client-tests/clients/booking_client/circuit_breaker.h"

#include <gtest/gtest.h>

namespace booking {
namespace {

using namespace std::chrono_literals;
using TimePoint = CircuitBreaker::TimePoint;

Settings with_a_breaker() {
  Settings settings;
  settings.breaker = 1000ms;
  return settings;
}

class CircuitBreakerTest : public testing::Test {
 protected:
  void call(int times, bool succeeds, TimePoint at) {
    for (int i = 0; i < times; ++i) {
      const auto leave = breaker_.enter(at);
      ASSERT_TRUE(leave);
      breaker_.tell(*leave, succeeds, at);
    }
  }

  const TimePoint start_{1h};
  Habits habits_{with_a_breaker()};
  CircuitBreaker breaker_{habits_};
};

TEST_F(CircuitBreakerTest, OpensWhenHalfOfTheLatestTwentyFailed) {
  call(9, false, start_);
  call(11, true, start_);
  EXPECT_FALSE(breaker_.is_open(start_)) << "nine of twenty";
  call(9, false, start_);
  EXPECT_FALSE(breaker_.is_open(start_)) << "the first nine are forgotten";
  call(1, false, start_);
  EXPECT_TRUE(breaker_.is_open(start_));
  EXPECT_FALSE(breaker_.enter(start_ + 999ms));
}

TEST_F(CircuitBreakerTest, LetsOneProbeThroughAndClosesWhenItSucceeds) {
  call(20, false, start_);
  const auto probe = breaker_.enter(start_ + 1s);
  ASSERT_TRUE(probe);
  EXPECT_TRUE(breaker_.is_open(start_ + 1s));
  EXPECT_FALSE(breaker_.enter(start_ + 1s)) << "one at a time";
  breaker_.tell(*probe, false, start_ + 1100ms);
  EXPECT_FALSE(breaker_.enter(start_ + 2s));
  const auto second = breaker_.enter(start_ + 2100ms);
  ASSERT_TRUE(second);
  breaker_.tell(*second, true, start_ + 2200ms);
  call(5, true, start_ + 2200ms);
}

TEST_F(CircuitBreakerTest, WhatBeganBeforeSaysNothingOfAProbe) {
  const auto early = breaker_.enter(start_);
  call(20, false, start_);
  ASSERT_TRUE(early);
  const auto probe = breaker_.enter(start_ + 1s);
  ASSERT_TRUE(probe);
  breaker_.tell(*early, true, start_ + 1s);
  EXPECT_TRUE(breaker_.is_open(start_ + 1s));
}

}  // namespace
}  // namespace booking
