#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(AsExpected, HoldsEachCount) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k");
  op.attempt(0ms).failed_with(503, 1ms);
  op.attempt(100ms).effect().answered(201, 102ms);
  r.outcome(110ms, "a", OutcomeKind::Succeeded);
  r.process(0ms, 200ms, 0);
  auto& counts = r.recording().scenario.counts;
  counts.attempts = only(2, 5);
  counts.effects["bookings"] = only(1, 1);
  counts.seen[503] = only(1, 9);
  counts.outcome = "succeeded";
  EXPECT_RULING(Pass, ask(kAsExpected, r));

  counts.attempts = only(3, 5);
  EXPECT_TRUE(mentions(ask(kAsExpected, r), "a: attempts: 2 is not in 3..5"));
  counts.attempts = only(2, 5);
  counts.effects["bookings"] = only(2, 2);
  EXPECT_TRUE(mentions(ask(kAsExpected, r), "effects on bookings: 1 is not in 2"));
  counts.effects["bookings"] = only(1, 1);
  counts.seen[409] = only(1, 9);
  EXPECT_TRUE(mentions(ask(kAsExpected, r), "answers 409: 0 is not in 1..9"));
  counts.seen.erase(409);
  counts.outcome = "pending";
  const Finding finding = ask(kAsExpected, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: outcome succeeded is not pending"));
}

TEST(AsExpected, IsInconclusiveWhereTheEvidenceIsMissing) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.process(0ms, 200ms, 0);
  r.recording().scenario.counts.outcome = "succeeded";
  EXPECT_RULING(Inconclusive, ask(kAsExpected, r));

  RecordingBuilder cut_short("x");
  cut_short.create("a").attempt(0ms).effect().answered(201, 2ms);
  cut_short.recording().scenario.counts.effects["bookings"] = only(1, 1);
  killed(cut_short, 5s);
  EXPECT_RULING(Inconclusive, ask(kAsExpected, cut_short));
}

scenarios::Matcher on(const std::string& method, const std::string& path) {
  scenarios::Matcher matcher;
  matcher.method = method;
  matcher.path = path;
  matcher.text = method + " " + path;
  return matcher;
}

scenarios::ExpectedCall confirmed_after_booking(std::uint64_t first, std::uint64_t last) {
  scenarios::ExpectedCall call;
  call.on = on("POST", "/v1/confirm");
  call.count = only(first, last);
  call.after = on("POST", "/v1/bookings");
  return call;
}

TEST(AsExpected, CountsCallsThatCameWholeButNoResendOfTheTransport) {
  RecordingBuilder r("x");
  auto confirm = r.operation("POST", "/v1/confirm");
  confirm.attempt(0ms).lost_by_reset(1ms);
  confirm.resend(2ms).answered(200, 3ms);
  r.operation("POST", "/v1/confirm").attempt(10ms).incomplete();
  r.process(0ms, 200ms, 0);
  auto call = confirmed_after_booking(1, 1);
  call.after.reset();
  r.recording().scenario.counts.calls = {call};
  EXPECT_RULING(Pass, ask(kAsExpected, r));

  r.recording().scenario.counts.calls.front().count = only(2, 2);
  const Finding finding = ask(kAsExpected, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "calls POST /v1/confirm: 1 is not in 2"));
}

TEST(AsExpected, ACallBeginsAfterTheOtherWasAnsweredCompletely) {
  RecordingBuilder r("x");
  auto booking = r.create("a");
  booking.attempt(0ms).effect().lost_by_reset(2ms);
  booking.attempt(50ms).effect("bk_1").answered(201, 60ms);
  r.operation("POST", "/v1/confirm").attempt(60ms).answered(200, 62ms);
  r.process(0ms, 200ms, 0);
  r.recording().scenario.counts.calls = {confirmed_after_booking(1, 1)};
  EXPECT_RULING(Pass, ask(kAsExpected, r));
}

TEST(AsExpected, ACallThatBeginsTooEarlyIsCitedWithTheOther) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 60ms);
  r.operation("POST", "/v1/confirm").attempt(59ms).answered(200, 62ms);
  r.process(0ms, 200ms, 0);
  r.recording().scenario.counts.calls = {confirmed_after_booking(1, 1)};
  const Finding finding = ask(kAsExpected, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "POST /v1/confirm at 0.059 s < POST /v1/bookings answered at"));
  EXPECT_EQ(finding.witnesses.front().exchanges, (std::vector<std::uint64_t>{1, 2}));
}

TEST(AsExpected, WhatWasNeverAnsweredIsNoBeginning) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().lost_by_reset(2ms);
  r.operation("POST", "/v1/confirm").attempt(59ms).answered(200, 62ms);
  r.process(0ms, 200ms, 0);
  r.recording().scenario.counts.calls = {confirmed_after_booking(1, 1)};
  const Finding finding = ask(kAsExpected, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "no POST /v1/bookings was answered completely"));
}

TEST(AsExpected, EffectsOfOneApiAreCountedApart) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 2ms).raw().api = "pay";
  r.create("b").attempt(9ms).effect().answered(201, 11ms).raw().api = "crm";
  r.process(0ms, 200ms, 0);
  auto& counts = r.recording().scenario.counts;
  counts.effects["pay bookings"] = only(1, 1);
  counts.effects["bookings"] = only(2, 2);
  EXPECT_RULING(Pass, ask(kAsExpected, r));
}

TEST(AsExpected, DoesNotApplyWithoutCounts) {
  RecordingBuilder r("x");
  EXPECT_RULING(NotApplicable, ask(kAsExpected, r));
}

}  // namespace mishap::client_tests
