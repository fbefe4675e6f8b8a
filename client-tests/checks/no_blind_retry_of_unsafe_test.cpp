#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(NoBlindRetryOfUnsafe, FailsOnAResendAfterAnEffect) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  op.attempt(500ms).effect().answered(201, 502ms);
  r.process(0ms, 600ms, 0);
  const Finding finding = ask(kNoBlindRetryOfUnsafe, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_TRUE(mentions(finding, "a: sent again 0.50 s after a reset, which had taken effect"));
}

TEST(NoBlindRetryOfUnsafe, WarnsWhereTheLostAttemptHadNoEffectAndFailsIfStrict) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).fired("busy").failed_with(503, 1ms);
  op.attempt(500ms).effect().answered(201, 502ms);
  r.process(0ms, 600ms, 0);
  const Finding finding = ask(kNoBlindRetryOfUnsafe, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_EQ(finding.warnings.size(), 1u);
  EXPECT_RULING(Fail, ask(kNoBlindRetryOfUnsafe, r, parameters({{"strict", "true"}})));
}

TEST(NoBlindRetryOfUnsafe, ExcusesALookupThatSaidAbsent) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).effect_at(3s).stalled().left(1s);
  r.lookup(1100ms, {op.number()}, false).answered(200, 1101ms);
  op.attempt(1200ms).effect().answered(201, 1202ms);
  r.process(0ms, 4s, 0);
  EXPECT_RULING(Pass, ask(kNoBlindRetryOfUnsafe, r));
}

TEST(NoBlindRetryOfUnsafe, FailsWhereTheLookupHadFoundItOrItsAnswerWasLost) {
  RecordingBuilder found("x");
  auto op = found.create("a");
  op.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  found.lookup(100ms, {op.number()}, true).answered(200, 101ms);
  op.attempt(200ms).effect().answered(201, 202ms);
  const Finding finding = ask(kNoBlindRetryOfUnsafe, found);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a lookup had found it"));

  RecordingBuilder lost("x");
  auto other = lost.create("a");
  other.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  lost.lookup(100ms, {other.number()}, false).lost_by_reset(101ms);
  other.attempt(200ms).effect().answered(201, 202ms);
  EXPECT_RULING(Fail, ask(kNoBlindRetryOfUnsafe, lost));
}

TEST(NoBlindRetryOfUnsafe, ALibraryThatResendsByItselfFailsOnlyWhereItDidHarm) {
  RecordingBuilder harm("x");
  auto op = harm.create("a");
  op.attempt(0ms).effect().fired("close").lost_by_close(4ms);
  op.resend(5ms).effect().answered(201, 7ms);
  const Finding finding = ask(kNoBlindRetryOfUnsafe, harm);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "by the HTTP library"));

  RecordingBuilder luck("x");
  auto other = luck.create("a");
  other.attempt(0ms).fired("close").lost_by_close(4ms);
  other.resend(5ms).effect().answered(201, 7ms);
  luck.process(0ms, 20ms, 0);
  const Finding lucky = ask(kNoBlindRetryOfUnsafe, luck);
  EXPECT_RULING(Pass, lucky);
  EXPECT_EQ(lucky.warnings.size(), 1u);
}

TEST(NoBlindRetryOfUnsafe, PassesAClientThatLeavesItOpen) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  r.process(0ms, 600ms, 1);
  EXPECT_RULING(Pass, ask(kNoBlindRetryOfUnsafe, r));
}

TEST(NoBlindRetryOfUnsafe, IsInconclusiveWhereTheClientWasStillAtIt) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  killed(r, 1s);
  EXPECT_RULING(Inconclusive, ask(kNoBlindRetryOfUnsafe, r));
}

TEST(NoBlindRetryOfUnsafe, DoesNotApplyToKeysRefusalsAndThrottling) {
  RecordingBuilder keyed("x");
  auto op = keyed.create("a").key("k");
  op.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  op.attempt(500ms).replayed().answered(201, 502ms);
  EXPECT_RULING(NotApplicable, ask(kNoBlindRetryOfUnsafe, keyed));

  RecordingBuilder throttled("x");
  auto other = throttled.create("a");
  other.attempt(0ms).fired("limit").failed_with(429, 1ms);
  other.attempt(500ms).effect().answered(201, 502ms);
  EXPECT_RULING(NotApplicable, ask(kNoBlindRetryOfUnsafe, throttled));
}

TEST(NoBlindRetryOfUnsafe, WhatAnUpstreamDidNotSayIsNotGuessed) {
  RecordingBuilder r("x");
  auto booking = r.create("a");
  booking.attempt(0ms).answered(503, 1ms).raw().upstream.in_doubt = true;
  booking.attempt(100ms).effect().answered(201, 102ms);
  r.process(0ms, 200ms, 0);
  EXPECT_RULING(Inconclusive, ask(kNoBlindRetryOfUnsafe, r));
}

}  // namespace mishap::client_tests
