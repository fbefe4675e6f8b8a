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

TEST(AsExpected, DoesNotApplyWithoutCounts) {
  RecordingBuilder r("x");
  EXPECT_RULING(NotApplicable, ask(kAsExpected, r));
}

}  // namespace mishap::client_tests
