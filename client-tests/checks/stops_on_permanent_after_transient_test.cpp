#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(StopsOnPermanentAfterTransient, FailsAClientThatDecidedFromTheFirstError) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(100ms).fired("bad").failed_with(400, 101ms);
  op.attempt(300ms).fired("bad").failed_with(400, 301ms);
  r.process(0ms, 400ms, 1);
  const Finding finding = ask(kStopsOnPermanentAfterTransient, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{2, 3}));
}

TEST(StopsOnPermanentAfterTransient, PassesTwoAttempts) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("lost").lost_by_reset(1ms);
  op.attempt(100ms).fired("bad").failed_with(401, 101ms);
  r.process(0ms, 400ms, 1);
  EXPECT_RULING(Pass, ask(kStopsOnPermanentAfterTransient, r));
}

TEST(StopsOnPermanentAfterTransient, TheUsersNextEqualCallIsNoRetry) {
  RecordingBuilder control("control");
  control.read().attempt(0ms).answered(200, 1ms);
  control.read().attempt(10ms).answered(200, 11ms);
  RecordingBuilder r("x");
  auto op = r.read();
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(100ms).fired("bad").failed_with(403, 101ms);
  op.attempt(110ms).answered(200, 111ms);
  r.process(0ms, 200ms, 1);
  EXPECT_RULING(Pass, ask(kStopsOnPermanentAfterTransient, r, &control));
  EXPECT_RULING(Fail, ask(kStopsOnPermanentAfterTransient, r));
}

TEST(StopsOnPermanentAfterTransient, DoesNotApplyWhereTheClientNeverCameThatFar) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).fired("busy").failed_with(503, 1ms);
  r.create("b").attempt(10ms).fired("bad").failed_with(400, 11ms);
  r.process(0ms, 400ms, 1);
  EXPECT_RULING(NotApplicable, ask(kStopsOnPermanentAfterTransient, r));
}

}  // namespace mishap::client_tests
