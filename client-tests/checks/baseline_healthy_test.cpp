#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(BaselineHealthy, PassesAClientThatWorks) {
  RecordingBuilder r("control");
  r.control();
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.read().attempt(5ms).answered(200, 6ms);
  r.outcome(3ms, "a", OutcomeKind::Succeeded);
  r.process(0ms, 10ms, 0);
  EXPECT_RULING(Pass, ask(kBaselineHealthy, r));
}

TEST(BaselineHealthy, AllowsAPoller) {
  RecordingBuilder r("control");
  r.control();
  auto op = r.read();
  op.attempt(0ms).answered(200, 1ms);
  op.poll(20ms).answered(200, 21ms);
  op.poll(40ms).answered(200, 41ms);
  r.process(0ms, 60ms, 0);
  EXPECT_RULING(Pass, ask(kBaselineHealthy, r));
}

TEST(BaselineHealthy, AllowsToLookBeforeItCreates) {
  RecordingBuilder r("control");
  r.control();
  r.read("/v1/bookings/a").attempt(0ms).answered(404, 1ms);
  r.create("a").attempt(2ms).effect().answered(201, 4ms);
  r.process(0ms, 10ms, 0);
  const Finding finding = ask(kBaselineHealthy, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "warning: GET /v1/bookings/a was answered 404"));
}

TEST(BaselineHealthy, ASafeRedeliveryIsAWarning) {
  RecordingBuilder r("control");
  r.control();
  auto op = r.create("a").key("k");
  op.attempt(0ms).effect().answered(201, 2ms);
  op.attempt(50ms).answered(201, 52ms).replayed();
  r.process(0ms, 100ms, 0);
  const Finding finding = ask(kBaselineHealthy, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "warning: a: 2 attempts without a fault; under one key"));

  RecordingBuilder twice("control");
  twice.control();
  auto unkeyed = twice.create("a");
  unkeyed.attempt(0ms).effect().answered(201, 2ms);
  unkeyed.attempt(50ms).answered(201, 52ms);
  twice.process(0ms, 100ms, 0);
  EXPECT_RULING(Fail, ask(kBaselineHealthy, twice));
}

TEST(BaselineHealthy, FailsOnAPathThatNobodyServes) {
  RecordingBuilder r("control");
  r.control();
  r.unmatched(0ms, "POST", "/v2/bookings");
  r.process(0ms, 10ms, 0);
  const Finding finding = ask(kBaselineHealthy, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "POST /v2/bookings matched nothing: 404"));
}

TEST(BaselineHealthy, FailsOnEachThingThatIsNotHealthy) {
  const auto healthy = [](RecordingBuilder& r) {
    r.control();
    r.create("a").attempt(0ms).effect().answered(201, 2ms);
  };
  RecordingBuilder exit_code("control");
  healthy(exit_code);
  exit_code.process(0ms, 10ms, 1);
  EXPECT_RULING(Fail, ask(kBaselineHealthy, exit_code));

  RecordingBuilder refused("control");
  refused.control();
  refused.create("a").attempt(0ms).answered(422, 2ms);
  EXPECT_RULING(Fail, ask(kBaselineHealthy, refused));

  RecordingBuilder pending("control");
  healthy(pending);
  pending.outcome(3ms, "a", OutcomeKind::Pending);
  EXPECT_RULING(Fail, ask(kBaselineHealthy, pending));

  RecordingBuilder twice("control");
  twice.control();
  auto op = twice.create("a");
  op.attempt(0ms).effect().answered(201, 2ms);
  op.attempt(5ms).effect().answered(201, 7ms);
  const Finding finding = ask(kBaselineHealthy, twice);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: 2 attempts without a fault"));
  EXPECT_TRUE(mentions(finding, "a: 2 effects for one operation"));
}

TEST(BaselineHealthy, FailsOnAClientThatMakesItsCallsAndNeverEnds) {
  RecordingBuilder r("control");
  r.control();
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  killed(r, 15s);
  const Finding finding = ask(kBaselineHealthy, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "never ended and was killed after 15.00 s"));
}

TEST(BaselineHealthy, IsInconclusiveWhereNoRequestCame) {
  RecordingBuilder r("control");
  r.control();
  killed(r, 15s);
  const Finding finding = ask(kBaselineHealthy, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "no request arrived; the client never ended"));
}

TEST(BaselineHealthy, LeavesRunsWithFaultsAlone) {
  RecordingBuilder r("x");
  r.rule("lost", "response_lost");
  EXPECT_RULING(NotApplicable, ask(kBaselineHealthy, r));
}

}  // namespace mishap::client_tests
