#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(RetriesOnFreshConnection, FailsWhereARequestCrossesTheAnswerThatIsOwed) {
  RecordingBuilder r("x");
  auto op = r.read();
  auto first = op.attempt(0ms);
  first.fired("late").answered(200, 2000ms);
  r.read("/v1/next").attempt(1200ms).on(first.connection()).answered(200, 2001ms);
  const Finding finding = ask(kRetriesOnFreshConnection, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "request #2 1.20 s after #1 on connection 1"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));
}

TEST(RetriesOnFreshConnection, FailsWhereTheAnswerNeverCameWhole) {
  RecordingBuilder r("x");
  auto op = r.read();
  auto first = op.attempt(0ms);
  first.fired("short").cut(200, 5ms, 5ms, server::Ending::KeptAlive);
  op.attempt(1100ms).on(first.connection()).answered(200, 1101ms);
  EXPECT_RULING(Fail, ask(kRetriesOnFreshConnection, r));
}

TEST(RetriesOnFreshConnection, PassesAFreshOneAfterAStall) {
  RecordingBuilder r("x");
  auto op = r.read();
  op.attempt(0ms).fired("stall").stalled().left(1000ms);
  op.attempt(1100ms).answered(200, 1101ms);
  const Finding finding = ask(kRetriesOnFreshConnection, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "on connection 1, the next request on connection 2"));
}

TEST(RetriesOnFreshConnection, ATransportResendOnANewConnectionIsRight) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  auto first = op.attempt(0ms);
  first.answered(201, 1ms);
  auto second = r.create("b");
  second.attempt(10ms).on(first.connection()).lost_by_close(12ms);
  second.resend(13ms).answered(201, 15ms);
  EXPECT_RULING(NotApplicable, ask(kRetriesOnFreshConnection, r));
}

TEST(RetriesOnFreshConnection, AConnectionThatTheServerEndedLeavesNoChoice) {
  RecordingBuilder r("x");
  auto op = r.read();
  op.attempt(0ms).fired("reset").lost_by_reset(1ms);
  op.attempt(100ms).answered(200, 101ms);
  EXPECT_RULING(NotApplicable, ask(kRetriesOnFreshConnection, r));
}

TEST(RetriesOnFreshConnection, AnAnsweredConnectionMayGoOn) {
  RecordingBuilder r("x");
  auto op = r.read();
  auto first = op.attempt(0ms);
  first.fired("503").failed_with(503, 2ms);
  op.attempt(100ms).on(first.connection()).answered(200, 101ms);
  EXPECT_RULING(NotApplicable, ask(kRetriesOnFreshConnection, r));
}

// It takes the late answer for the one to its second request and goes on at once, a moment before
// that has its own.
TEST(RetriesOnFreshConnection, WhoTakesALateAnswerForItsOwnDoesNotPipeline) {
  RecordingBuilder r("x");
  auto op = r.read();
  auto first = op.attempt(0ms);
  first.fired("late").answered(200, 2000ms);
  auto second = op.attempt(1100ms);
  second.on(first.connection()).answered(200, 2001ms).raw().request_read = 2000ms;
  r.read("/v1/next").attempt(2000ms).on(first.connection()).answered(200, 2002ms);
  EXPECT_RULING(Fail, ask(kRetriesOnFreshConnection, r));
}

TEST(RetriesOnFreshConnection, DoesNotJudgeAClientThatPipelines) {
  RecordingBuilder r("x");
  auto first = r.read().attempt(0ms);
  first.answered(200, 2000ms);
  r.read("/v1/next").attempt(1ms).on(first.connection()).answered(200, 2001ms);
  EXPECT_RULING(NotApplicable, ask(kRetriesOnFreshConnection, r));
  RecordingBuilder late("x");
  auto owed = late.read().attempt(0ms);
  owed.answered(200, 2000ms);
  late.read("/v1/next").attempt(500ms).on(owed.connection()).answered(200, 2001ms);
  EXPECT_RULING(NotApplicable, ask(kRetriesOnFreshConnection, late, &r));
}

}  // namespace mishap::client_tests
