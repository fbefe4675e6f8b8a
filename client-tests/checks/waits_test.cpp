#include "client-tests/checks/waits.h"

#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

statistics::Sample own_waits_of(RecordingBuilder& r) {
  const CaseOf told(r);
  return own_waits(told.value, told.value.history.operations.at(0)).seconds;
}

}  // namespace

TEST(OwnWaits, BeginAtTheFailureAndEndAtTheFirstByte) {
  RecordingBuilder r("x");
  auto call = r.create("r-1");
  call.attempt(0ms).failed_with(503, 100ms);
  call.attempt(350ms).left(1350ms);  // gave up after a second
  call.attempt(1850ms).answered(201, 1860ms);
  EXPECT_EQ(own_waits_of(r), (statistics::Sample{0.25, 0.5}));
}

TEST(OwnWaits, EndWhereTheServerAsked) {
  RecordingBuilder r("x");
  auto call = r.create("r-1");
  call.attempt(0ms).failed_with(503, 0ms);
  call.attempt(200ms).failed_with(503, 200ms).header("Retry-After", "2");
  call.attempt(2300ms).failed_with(503, 2300ms);
  call.attempt(2500ms).answered(201, 2500ms);
  EXPECT_EQ(own_waits_of(r), (statistics::Sample{0.2}));
}

// Nobody hears when a connect was refused, only when its socket was closed: nothing is said about
// the waits between them, however short. Whoever is let in and then reset shows them.
TEST(OwnWaits, ConnectsThatWereRefusedShowNone) {
  RecordingBuilder refused("x");
  refused.refused(0ms, 1s, {10ms, 11ms, 12ms, 13ms, 14ms});
  refused.create("r-1").key("k").attempt(1100ms).effect().answered(201, 1101ms);
  refused.process(0ms, 2s, 0);
  RecordingBuilder reset("x");
  auto call = reset.create("r-1").key("k");
  for (int n = 0; n < 5; ++n) {
    call.attempt(n * 2ms).fired("reset").lost_by_reset(n * 2ms + 1ms);
  }
  reset.process(0ms, 2s, 1);
  for (const CheckDescriptor* check : {&kNoImmediateRetry, &kBackoffGrowth, &kBackoffCapped}) {
    EXPECT_RULING(NotApplicable, ask(*check, refused)) << check->name;
  }
  EXPECT_RULING(Fail, ask(kNoImmediateRetry, reset));
}

TEST(ParallelWaits, TakeTheFirstCallOfEachCopy) {
  RecordingBuilder r("x");
  for (int copy = 0; copy < 2; ++copy) {
    for (int n = 0; n < 3; ++n) {
      auto call = r.create("r-" + std::to_string(copy) + std::to_string(n));
      call.lane(copy);
      call.attempt(n * 1s).failed_with(503, n * 1s);
      call.attempt(n * 1s + 500ms).answered(201, n * 1s + 501ms);
    }
  }
  const CaseOf told(r);
  EXPECT_EQ(all_waits(told.value, 1).size(), 6U);
  EXPECT_EQ(parallel_waits(told.value, 1).size(), 2U);
}

TEST(AllWaits, ComparesOneMethodOnly) {
  RecordingBuilder r("x");
  for (int n = 0; n < 3; ++n) {
    auto call = n < 2 ? r.create("r-" + std::to_string(n)) : r.read();
    call.attempt(n * 1s).failed_with(503, n * 1s);
    call.attempt(n * 1s + 500ms).answered(200, n * 1s + 501ms);
  }
  const CaseOf told(r);
  EXPECT_EQ(all_waits(told.value, 1).size(), 2U);
}

TEST(IsSteady, AllowsATenthOrTwentyMilliseconds) {
  EXPECT_TRUE(is_steady({{0.10, 2.0}, {0.115, 2.15}}));
  EXPECT_FALSE(is_steady({{0.10, 2.0}, {0.13, 2.0}}));
  EXPECT_FALSE(is_steady({{0.10, 2.0}}));  // one says nothing of itself
}

}  // namespace mishap::client_tests
