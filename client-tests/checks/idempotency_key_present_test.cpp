#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(IdempotencyKeyPresent, PassesWhereEveryAttemptCarriesOne) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).failed_with(503, 1ms);
  op.attempt(100ms).answered(201, 101ms);
  EXPECT_RULING(Pass, ask(kIdempotencyKeyPresent, r));
}

TEST(IdempotencyKeyPresent, FailsOnAKeyThatComesWithTheRetryOnly) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).failed_with(503, 1ms);
  op.attempt(100ms).key("k").answered(201, 101ms);
  const Finding finding = ask(kIdempotencyKeyPresent, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, std::vector<std::uint64_t>{1});
  EXPECT_TRUE(mentions(finding, "a: a key on 1 of 2 attempts"));
}

TEST(IdempotencyKeyPresent, WhatOneApiIsSentIsNoRuleForAnother) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).answered(201, 1ms);
  r.create("b").attempt(10ms).answered(201, 11ms).raw().api = "crm";
  const Finding finding = ask(kIdempotencyKeyPresent, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "a: a key on 1 of 1 attempts"));
}

TEST(IdempotencyKeyPresent, FailsOnACreateWithoutOneAmongOthers) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).answered(201, 1ms);
  r.create("b").attempt(10ms).answered(201, 11ms);
  EXPECT_RULING(Fail, ask(kIdempotencyKeyPresent, r));
}

TEST(IdempotencyKeyPresent, AnotherKindOfCallMayNeedNone) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).answered(201, 1ms);
  r.operation("POST", "/v1/login").attempt(10ms).answered(200, 11ms);
  EXPECT_RULING(Pass, ask(kIdempotencyKeyPresent, r));
}

TEST(IdempotencyKeyPresent, DoesNotApplyToAClientWithoutKeysUnlessTheScenarioAsks) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).answered(201, 1ms);
  const Finding finding = ask(kIdempotencyKeyPresent, r);
  EXPECT_RULING(NotApplicable, finding);
  EXPECT_EQ(finding.reason, "your client sends no keys");
  r.expect("idempotency_key_present", scenarios::Level::Required);
  EXPECT_RULING(Fail, ask(kIdempotencyKeyPresent, r));
  r.recording().scenario.offers_keys = false;
  EXPECT_RULING(NotApplicable, ask(kIdempotencyKeyPresent, r));
}

}  // namespace mishap::client_tests
