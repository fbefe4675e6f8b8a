#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(AttemptTimeoutBounded, PassesAClientThatLetsGoInTime) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  r.create("a").attempt(0ms).fired("stall").stalled().left(1020ms);
  r.process(0ms, 3s, 1);
  const Finding finding = ask(kAttemptTimeoutBounded, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "a: let go after 1.02 s <= 1.00 s + 0.25 s"));
}

TEST(AttemptTimeoutBounded, FailsAClientThatLetsGoTooLate) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  r.create("a").attempt(0ms).fired("stall").stalled().left(1300ms);
  r.process(0ms, 3s, 1);
  const Finding finding = ask(kAttemptTimeoutBounded, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, std::vector<std::uint64_t>{1});
}

TEST(AttemptTimeoutBounded, FailsAClientThatHadToBeKilled) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  r.create("a").attempt(0ms).fired("stall").stalled().left(10050ms);
  auto& process = killed(r, 10s);
  process.ended = 10100ms;
  const Finding finding = ask(kAttemptTimeoutBounded, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: still waiting after 10.00 s > 1.00 s + 0.25 s"));
}

TEST(AttemptTimeoutBounded, KilledBeforeTheBoundIsInconclusive) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).fired("stall").stalled().left(10050ms);
  auto& process = killed(r, 10s);
  process.ended = 10100ms;
  EXPECT_RULING(Inconclusive, ask(kAttemptTimeoutBounded, r));
}

TEST(AttemptTimeoutBounded, FailsOnADribbleThatWasSatOut) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  r.create("a").attempt(0ms).fired("dribble").answered(201, 4s).dribbled_from(10ms);
  r.process(0ms, 5s, 0);
  const Finding finding = ask(kAttemptTimeoutBounded, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: waited 4.00 s > 1.00 s + 0.25 s"));
}

TEST(AttemptTimeoutBounded, ALateAnswerWithinTheBoundIsNoOccasion) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  r.create("a").attempt(0ms).fired("latency").answered(201, 800ms);
  r.process(0ms, 2s, 0);
  EXPECT_RULING(NotApplicable, ask(kAttemptTimeoutBounded, r));
}

TEST(AttemptTimeoutBounded, ACrashIsNoTimeout) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  r.create("a").attempt(0ms).fired("stall").stalled().left(300ms);
  auto& process = r.process(0ms, 301ms, 0);
  process.stop = Stop::Signalled;
  EXPECT_RULING(Inconclusive, ask(kAttemptTimeoutBounded, r));
  process.stop = Stop::Exited;
  process.exit_code = 28;
  EXPECT_RULING(Pass, ask(kAttemptTimeoutBounded, r));
}

TEST(AttemptTimeoutBounded, AConnectionThatIsNeverReadCountsAsWell) {
  RecordingBuilder r("x");
  r.promise().attempt_timeout = 1s;
  server::Connection connection;
  connection.number = 1;
  connection.departed = 9s;
  server::RuleHit hit;
  hit.rule = "deaf";
  hit.fired = hit.delivered = true;
  connection.rules.push_back(hit);
  r.recording().journal.connections.push_back(connection);
  r.process(0ms, 10s, 1);
  EXPECT_RULING(Fail, ask(kAttemptTimeoutBounded, r));
  r.recording().journal.connections.back().departed = 900ms;
  EXPECT_RULING(Pass, ask(kAttemptTimeoutBounded, r));
}

}  // namespace mishap::client_tests
