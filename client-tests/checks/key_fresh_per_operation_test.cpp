#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(KeyFreshPerOperation, FailsOnOneKeyForAll) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).answered(201, 1ms);
  r.create("b").key("k").attempt(10ms).answered(422, 11ms);
  const Finding finding = ask(kKeyFreshPerOperation, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "key k for 2 operations (a, b)"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));
}

TEST(KeyFreshPerOperation, AKeyMayBeToldToSeveralApis) {
  RecordingBuilder r("x");
  r.create().key("k").attempt(0ms).answered(201, 1ms);
  r.create().key("k").attempt(10ms).answered(201, 11ms).raw().api = "crm";
  EXPECT_RULING(Pass, ask(kKeyFreshPerOperation, r));
}

TEST(KeyFreshPerOperation, FailsAcrossCopies) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).answered(201, 1ms);
  r.create("b").key("k").lane(1).attempt(0ms).answered(201, 1ms);
  EXPECT_RULING(Fail, ask(kKeyFreshPerOperation, r));
}

TEST(KeyFreshPerOperation, PassesOnTwoEqualPostsWithTwoKeys) {
  RecordingBuilder r("x");
  r.create().key("k1").attempt(0ms).content("same").answered(201, 1ms);
  r.create().key("k2").attempt(10ms).content("same").answered(201, 11ms);
  EXPECT_RULING(Pass, ask(kKeyFreshPerOperation, r));
}

TEST(KeyFreshPerOperation, NaturalKeysExemptEqualContentOnly) {
  RecordingBuilder equal("x");
  equal.create("a").key("k").attempt(0ms).content("same").answered(201, 1ms);
  equal.create("b").key("k").attempt(10ms).content("same").answered(201, 11ms);
  EXPECT_RULING(Fail, ask(kKeyFreshPerOperation, equal));
  const Node natural = parameters({{"natural_key", "true"}});
  EXPECT_RULING(Pass, ask(kKeyFreshPerOperation, equal, natural));

  RecordingBuilder other("x");
  other.create("a").key("k").attempt(0ms).content("this").answered(201, 1ms);
  other.create("b").key("k").attempt(10ms).content("that").answered(201, 11ms);
  EXPECT_RULING(Fail, ask(kKeyFreshPerOperation, other, natural));
}

TEST(KeyFreshPerOperation, NeedsTwoOperationsWithKeys) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).answered(201, 1ms);
  r.create("b").attempt(10ms).answered(201, 11ms);
  EXPECT_RULING(NotApplicable, ask(kKeyFreshPerOperation, r));
}

}  // namespace mishap::client_tests
