#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(ConnectionReleasedAfterTimeout, PassesOneThatClosesAsItLetsGo) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).fired("stall").stalled().left(1s);
  r.process(0ms, 3s, 1);
  EXPECT_RULING(Pass, ask(kConnectionReleasedAfterTimeout, r));
}

TEST(ConnectionReleasedAfterTimeout, FailsOneThatLeavesItOpen) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("stall").stalled().left(8s);
  op.attempt(1s).effect().answered(201, 1002ms);
  r.process(0ms, 8s, 0);
  const Finding finding = ask(kConnectionReleasedAfterTimeout, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: connection open for 7.00 s after the client let go"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, std::vector<std::uint64_t>{1});
}

TEST(ConnectionReleasedAfterTimeout, BetweenTheTwoNothingCanBeSaid) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).fired("stall").stalled().left(3s);
  op.attempt(1s).effect().answered(201, 1002ms);
  r.process(0ms, 8s, 0);
  EXPECT_RULING(Inconclusive, ask(kConnectionReleasedAfterTimeout, r));
  EXPECT_RULING(Fail, ask(kConnectionReleasedAfterTimeout, r, parameters({{"still_open", "2s"}})));
}

TEST(ConnectionReleasedAfterTimeout, TheDeathOfTheProcessIsNoRelease) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).fired("stall").stalled().left(1s);
  r.process(0ms, 1001ms, 1);
  EXPECT_RULING(NotApplicable, ask(kConnectionReleasedAfterTimeout, r));
}

TEST(ConnectionReleasedAfterTimeout, FailsOnReuseWhileTheAnswerIsOutstanding) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  auto first = op.attempt(0ms).fired("stall").stalled();
  const std::uint64_t connection = first.connection();
  r.outcome(1s, "a", OutcomeKind::Pending);
  r.create("b").attempt(1100ms).on(connection).answered(201, 1102ms);
  r.process(0ms, 3s, 1);
  EXPECT_RULING(Fail, ask(kConnectionReleasedAfterTimeout, r));
}

TEST(ConnectionReleasedAfterTimeout, DoesNotApplyWhereNothingWasGivenUp) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).answered(201, 1ms);
  r.process(0ms, 3s, 0);
  EXPECT_RULING(NotApplicable, ask(kConnectionReleasedAfterTimeout, r));
}

// Only its content names a read, so the retry beside the open one is an operation of its own.
TEST(ConnectionReleasedAfterTimeout, SeesTheLeakOfACallThatTheControlMakesOnce) {
  RecordingBuilder control("control");
  control.read().attempt(0ms).content("list").answered(200, 1ms);
  RecordingBuilder r("x");
  r.read().attempt(0ms).content("list").overlapping().fired("stall").stalled().left(8s);
  r.read().attempt(1s).content("list").overlapping().answered(200, 1002ms);
  r.process(0ms, 8s, 0);
  EXPECT_RULING(Fail, ask(kConnectionReleasedAfterTimeout, r, &control));
  control.read().attempt(10ms).content("list").answered(200, 11ms);  // two on purpose
  EXPECT_RULING(NotApplicable, ask(kConnectionReleasedAfterTimeout, r, &control));
}

}  // namespace mishap::client_tests
