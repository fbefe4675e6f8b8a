#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(KeyStableAcrossAttempts, FailsOnANewKeyForARetry) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).key("k1").lost_by_reset(1ms);
  op.attempt(100ms).key("k2").answered(201, 101ms);
  const Finding finding = ask(kKeyStableAcrossAttempts, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: key k1 then k2 after a reset"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));
}

TEST(KeyStableAcrossAttempts, QuotesOfTheFieldAreNotPartOfTheKey) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).key("\"k1\"").lost_by_reset(1ms);
  op.attempt(100ms).key("k1").answered(201, 101ms);
  EXPECT_RULING(Pass, ask(kKeyStableAcrossAttempts, r));
}

TEST(KeyStableAcrossAttempts, ACorrectedRequestMayHaveANewKey) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).key("k1").content("bad").answered(400, 1ms);
  op.attempt(100ms).key("k2").content("good").answered(201, 101ms);
  EXPECT_RULING(Pass, ask(kKeyStableAcrossAttempts, r));
}

TEST(KeyStableAcrossAttempts, NeedsTwoAttemptsThatAreSurelyOfOneOperation) {
  RecordingBuilder one("x");
  one.create("a").key("k").attempt(0ms).answered(201, 1ms);
  EXPECT_RULING(NotApplicable, ask(kKeyStableAcrossAttempts, one));
  RecordingBuilder mixed("x");
  auto op = mixed.create();
  op.attempt(0ms).key("k1").overlapping().lost_by_reset(1ms);
  op.attempt(1ms).key("k2").overlapping().answered(201, 2ms);
  EXPECT_RULING(NotApplicable, ask(kKeyStableAcrossAttempts, mixed));
}

}  // namespace mishap::client_tests
