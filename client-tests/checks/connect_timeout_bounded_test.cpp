#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {
namespace unanswered_connects {

void leave_unanswered(RecordingBuilder& r) {
  r.refused(0ms, std::nullopt, {}).what = "unanswered";
}

SocketSeen connecting(Duration from, Duration until) {
  return {50000, from, until, until};
}

TEST(ConnectTimeoutBounded, FailsAConnectThatGoesOnAndOn) {
  RecordingBuilder r("x");
  leave_unanswered(r);
  killed(r, 14s).sockets = {connecting(50ms, 14s)};
  const Finding finding = ask(kConnectTimeoutBounded, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "seen to connect for 13.95 s > 10.00 s + 1.00 s"));
}

TEST(ConnectTimeoutBounded, PassesOneThatGivesUp) {
  RecordingBuilder r("x");
  leave_unanswered(r);
  r.process(0ms, 5s, 1).sockets = {connecting(50ms, 1s), connecting(2s, 3s)};
  EXPECT_RULING(Pass, ask(kConnectTimeoutBounded, r));
  EXPECT_RULING(Fail, ask(kConnectTimeoutBounded, r, parameters({{"within", "500ms"}})));
}

TEST(ConnectTimeoutBounded, TheRegularEndOfTheClientGivesUpToo) {
  RecordingBuilder r("x");
  leave_unanswered(r);
  r.process(0ms, 5s, 1).sockets = {connecting(50ms, 4990ms)};
  EXPECT_RULING(Pass, ask(kConnectTimeoutBounded, r));
}

TEST(ConnectTimeoutBounded, CannotTellOfOneThatWasKilledBefore) {
  RecordingBuilder r("x");
  leave_unanswered(r);
  killed(r, 5s).sockets = {connecting(50ms, 5s)};
  EXPECT_RULING(Inconclusive, ask(kConnectTimeoutBounded, r));
}

TEST(ConnectTimeoutBounded, CannotTellWithoutEvidence) {
  RecordingBuilder unseen("x");
  leave_unanswered(unseen);
  unseen.process(0ms, 15s, 1).samples = 0;
  EXPECT_RULING(Inconclusive, ask(kConnectTimeoutBounded, unseen));

  RecordingBuilder stateless("x");
  leave_unanswered(stateless);
  stateless.process(0ms, 15s, 1).sockets = {{50000, 50ms, 14s}};
  EXPECT_RULING(Inconclusive, ask(kConnectTimeoutBounded, stateless));

  RecordingBuilder stranger("x");
  leave_unanswered(stranger);
  stranger.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kConnectTimeoutBounded, stranger));
}

TEST(ConnectTimeoutBounded, DoesNotApplyWhereNothingWasLeftUnanswered) {
  RecordingBuilder answered("x");
  answered.process(0ms, 15s, 1).sockets = {connecting(50ms, 14s)};
  EXPECT_RULING(NotApplicable, ask(kConnectTimeoutBounded, answered));

  // Its connect was answered before the spell began.
  RecordingBuilder before("x");
  leave_unanswered(before);
  before.read().attempt(1ms).answered(200, 2ms);
  before.process(0ms, 15s, 0).sockets = {{40001, 1ms, 14s}};
  EXPECT_RULING(NotApplicable, ask(kConnectTimeoutBounded, before));
}

}  // namespace unanswered_connects
}  // namespace mishap::client_tests
