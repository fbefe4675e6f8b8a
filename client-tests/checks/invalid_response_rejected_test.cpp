#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(InvalidResponseRejected, FailsOnSuccessBecauseOfTheStatus) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).effect().fired("junk").spoiled(201, 4ms);
  r.outcome(6ms, "a", OutcomeKind::Succeeded);
  r.process(0ms, 10ms, 0);
  const Finding finding = ask(kInvalidResponseRejected, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: 201 with an invalid body, taken for success"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, std::vector<std::uint64_t>{1});
}

TEST(InvalidResponseRejected, FailsOnACutBody) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("cut").cut(201, 4ms, 5ms);
  r.outcome(6ms, "a", OutcomeKind::Succeeded);
  const Finding finding = ask(kInvalidResponseRejected, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "201 whose body was cut"));
}

TEST(InvalidResponseRejected, PassesWhereAValidAnswerOrALookupConfirmed) {
  RecordingBuilder retried("x");
  auto op = retried.create("a").key("k");
  op.attempt(0ms).effect().fired("junk").spoiled(201, 4ms);
  op.attempt(100ms).replayed().answered(201, 102ms);
  retried.outcome(110ms, "a", OutcomeKind::Succeeded);
  EXPECT_RULING(Pass, ask(kInvalidResponseRejected, retried));

  RecordingBuilder looked("x");
  auto other = looked.create("a");
  other.attempt(0ms).effect().fired("junk").spoiled(201, 4ms);
  looked.lookup(50ms, {other.number()}, true).answered(200, 52ms);
  looked.outcome(110ms, "a", OutcomeKind::Succeeded);
  EXPECT_RULING(Pass, ask(kInvalidResponseRejected, looked));
}

TEST(InvalidResponseRejected, FailsWhereTheConfirmationCameAfterTheWord) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).effect().fired("junk").spoiled(201, 4ms);
  r.outcome(10ms, "a", OutcomeKind::Succeeded);
  r.lookup(50ms, {op.number()}, true).answered(200, 52ms);
  EXPECT_RULING(Fail, ask(kInvalidResponseRejected, r));
}

TEST(InvalidResponseRejected, PassesOnPending) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("junk").spoiled(201, 4ms);
  r.outcome(10ms, "a", OutcomeKind::Pending);
  EXPECT_RULING(Pass, ask(kInvalidResponseRejected, r));
}

TEST(InvalidResponseRejected, FailsOnACrash) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).fired("junk").spoiled(200, 4ms);
  auto& process = r.process(0ms, 10ms, 0);
  process.stop = Stop::Signalled;
  process.signal = 6;
  const Finding finding = ask(kInvalidResponseRejected, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "ended by signal 6"));
}

TEST(InvalidResponseRejected, TheExitCodeSpeaksWhereNothingWasValid) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).fired("junk").spoiled(200, 4ms);
  auto& process = r.process(0ms, 10ms, 0);
  EXPECT_RULING(Fail, ask(kInvalidResponseRejected, r));
  process.exit_code = 1;
  EXPECT_RULING(Pass, ask(kInvalidResponseRejected, r));
}

TEST(InvalidResponseRejected, IsNotObservedWhereTheClientTellsNothing) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).fired("junk").spoiled(200, 4ms);
  r.create("a").attempt(10ms).effect().answered(201, 12ms);
  r.process(0ms, 20ms, 0);
  EXPECT_RULING(NotObserved, ask(kInvalidResponseRejected, r));
}

TEST(InvalidResponseRejected, DoesNotApplyToValidAnswers) {
  RecordingBuilder r("x");
  r.create("a").attempt(10ms).effect().answered(201, 12ms);
  EXPECT_RULING(NotApplicable, ask(kInvalidResponseRejected, r));
}

}  // namespace mishap::client_tests
