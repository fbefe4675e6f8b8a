#include "client-tests/clients/booking_client/pacing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "client-tests/clients/booking_client/chance.h"

namespace booking {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesItsCeilingUpToTheCapAndNeverGoesBelowTheLeastDelay) {
  const Settings settings;
  struct {
    int failed_attempts;
    milliseconds ceiling;
  } const cases[] = {{1, 100ms}, {2, 200ms}, {3, 400ms}, {5, 1600ms}, {6, 2000ms}, {1000, 2000ms}};
  for (const auto& c : cases) {
    milliseconds most{0};
    for (int i = 0; i < 500; ++i) {
      const milliseconds drawn = draw_backoff(settings, c.failed_attempts);
      EXPECT_GE(drawn, 50ms);
      EXPECT_LE(drawn, c.ceiling);
      most = std::max(most, drawn);
    }
    // 500 draws that all miss the upper half: less likely than 2^-400.
    EXPECT_GT(most, c.ceiling / 2) << c.failed_attempts;
  }
}

TEST(Backoff, KeepsTheLeastDelayWhenTheBaseIsSmaller) {
  Settings settings;
  settings.base = 1ms;
  EXPECT_EQ(draw_backoff(settings, 1), 50ms);
}

TEST(PlanWait, PutsTheOwnDrawOnTopOfWhatTheServerAsks) {
  const Settings settings;
  EXPECT_EQ(plan_wait(settings, 70ms, std::nullopt, 12s), 70ms);
  EXPECT_EQ(plan_wait(settings, 70ms, 0ms, 12s), 70ms);
  EXPECT_EQ(plan_wait(settings, 70ms, 2s, 12s), 2070ms);
}

TEST(PlanWait, GivesUpBeyondItsLimitOrTheTimeThatIsLeft) {
  const Settings settings;
  EXPECT_EQ(plan_wait(settings, 70ms, 10s, 12s), 10070ms);
  EXPECT_EQ(plan_wait(settings, 70ms, 10001ms, 12s), std::nullopt);
  EXPECT_EQ(plan_wait(settings, 70ms, kForever, 12s), std::nullopt);
  EXPECT_EQ(plan_wait(settings, 70ms, 3s, 3s), std::nullopt);
  EXPECT_EQ(plan_wait(settings, 70ms, std::nullopt, 100ms), std::nullopt);
}

TEST(Uuid, IsOfVersionFourAndNewEveryTime) {
  const std::string uuid = new_uuid();
  ASSERT_EQ(uuid.size(), 36U);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
  EXPECT_NE(uuid, new_uuid());
}

}  // namespace
}  // namespace booking
