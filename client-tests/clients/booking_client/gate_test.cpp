#include "client-tests/clients/booking_client/gate.h"

#include <gtest/gtest.h>

#include <vector>

namespace booking {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

const Judgement kUnavailable = Failure{Category::Unavailable, true, Effect::Unknown, false, ""};
const Judgement kRefused = Failure{Category::Permanent, false, Effect::None, false, ""};

// Notes how long it was to sleep, and does not.
class Impatient : public Habits {
 public:
  using Habits::Habits;
  bool sleep(milliseconds length) override {
    slept.push_back(length);
    return false;
  }
  std::vector<milliseconds> slept;
};

TEST(RetryBudget, IsEarnedBySuccessesAndLeavesAFew) {
  RetryBudget budget(2);
  const RetryBudget::TimePoint now{1h};
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(budget.spend(now)) << i;
  EXPECT_TRUE(budget.spend(now)) << "the first of two a second";
  EXPECT_FALSE(budget.spend(now + 499ms));
  EXPECT_TRUE(budget.spend(now + 500ms));
  for (int i = 0; i < 6; ++i) budget.earn();
  EXPECT_TRUE(budget.spend(now + 500ms));
  EXPECT_FALSE(budget.spend(now + 500ms));
}

TEST(Gate, WithoutSettingsIsNeverInTheWay) {
  Impatient habits{Settings()};
  Gate gate(habits);
  for (int i = 0; i < 100; ++i) {
    const auto pass = gate.enter(Route::Bookings, steady_clock::now() + 1s, habits);
    EXPECT_FALSE(pass.refused);
    EXPECT_TRUE(gate.may_retry());
    gate.tell(Route::Bookings, pass, kUnavailable, milliseconds(2000));
  }
  EXPECT_FALSE(gate.is_shut(Route::Bookings));
  EXPECT_TRUE(habits.slept.empty());
}

TEST(Gate, KeepsAPauseForItsRouteAndNotForOthers) {
  Settings settings;
  settings.shares_throttling = true;
  Impatient habits(settings);
  Gate gate(habits);
  gate.tell(Route::Bookings, {}, kUnavailable, milliseconds(3000));
  EXPECT_FALSE(gate.enter(Route::Products, steady_clock::now() + 1min, habits).refused);
  EXPECT_TRUE(habits.slept.empty());
  EXPECT_TRUE(gate.enter(Route::Bookings, steady_clock::now() + 1min, habits).refused);
  ASSERT_EQ(habits.slept.size(), 1U);
  EXPECT_GT(habits.slept.front(), 2s);
  // Where there is no time for the pause it is not begun.
  EXPECT_TRUE(gate.enter(Route::Bookings, steady_clock::now() + 1s, habits).refused);
  EXPECT_EQ(habits.slept.size(), 1U);
}

TEST(Gate, OpensOneRouteAndTakesARefusalForAnAnswer) {
  Settings settings;
  settings.breaker = 1h;
  Impatient habits(settings);
  Gate gate(habits);
  for (int i = 0; i < 20; ++i) {
    const auto end = steady_clock::now() + 1s;
    gate.tell(Route::Bookings, gate.enter(Route::Bookings, end, habits), kUnavailable, {});
    gate.tell(Route::Products, gate.enter(Route::Products, end, habits), kRefused, {});
  }
  EXPECT_TRUE(gate.is_shut(Route::Bookings));
  EXPECT_FALSE(gate.is_shut(Route::Products));
  const auto pass = gate.enter(Route::Bookings, steady_clock::now() + 1s, habits);
  ASSERT_TRUE(pass.refused);
  EXPECT_EQ(pass.refused->category, Category::CircuitOpen);
  EXPECT_FALSE(pass.refused->retryable);
}

}  // namespace
}  // namespace booking
