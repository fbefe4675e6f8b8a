#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

void content_type(ExchangeBuilder& attempt, const std::string& type) {
  attempt.raw().request.headers.push_back({"Content-Type", type, false});
}

}  // namespace

TEST(KeyBoundToPayload, FailsWhereTheContentChangedUnderItsKey) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k1");
  op.attempt(0ms).content("one").effect().lost_by_reset(2ms);
  op.attempt(100ms).content("two").answered(422, 101ms);
  const Finding finding = ask(kKeyBoundToPayload, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(
      mentions(finding, "a: key k1 with other content than before, after a reset; answered 422"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));
}

TEST(KeyBoundToPayload, PassesTheSameContentAgain) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k1");
  op.attempt(0ms).lost_by_reset(2ms);
  op.attempt(100ms).answered(201, 101ms);
  const Finding finding = ask(kKeyBoundToPayload, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(finding.warnings.empty());
}

TEST(KeyBoundToPayload, OtherBytesOfTheSameMeaningAreAWarning) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k1");
  op.attempt(0ms).content("same").lost_by_reset(2ms);
  op.attempt(100ms).content("same").raw().request.body_hash = "other bytes";
  const Finding finding = ask(kKeyBoundToPayload, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "warning: key k1: the same content in other bytes"));
}

TEST(KeyBoundToPayload, ABoundaryOfItsOwnForEachAttemptIsNone) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k1");
  op.attempt(0ms).content("same").lost_by_reset(2ms);
  auto again = op.attempt(100ms);
  again.content("same").raw().request.body_hash = "other bytes";
  content_type(again, "multipart/form-data; boundary=2");
  EXPECT_TRUE(ask(kKeyBoundToPayload, r).warnings.empty());
}

TEST(KeyBoundToPayload, WhatCannotBeComparedByMeaningIsInconclusive) {
  for (const std::string type : {"application/xml", "application/jose", "application/x-protobuf"}) {
    RecordingBuilder r("x");
    auto op = r.create("a").key("k1");
    op.attempt(0ms).content("one").lost_by_reset(2ms);
    auto again = op.attempt(100ms);
    again.content("two").answered(201, 101ms);
    content_type(again, type);
    EXPECT_RULING(Inconclusive, ask(kKeyBoundToPayload, r)) << type;
  }
  RecordingBuilder packed("x");
  auto op = packed.create("a").key("k1");
  op.attempt(0ms).content("one").lost_by_reset(2ms);
  auto again = op.attempt(100ms);
  again.content("two").answered(201, 101ms);
  content_type(again, "application/json");
  again.raw().request.headers.push_back({"Content-Encoding", "gzip", false});
  EXPECT_RULING(Inconclusive, ask(kKeyBoundToPayload, packed));
}

TEST(KeyBoundToPayload, ACorrectedRequestIsAWarning) {
  RecordingBuilder r("x");
  auto op = r.create("a").key("k1");
  op.attempt(0ms).content("bad").answered(400, 1ms);
  op.attempt(100ms).content("good").answered(201, 101ms);
  const Finding finding = ask(kKeyBoundToPayload, r);
  EXPECT_RULING(NotApplicable, finding);
  EXPECT_EQ(finding.warnings.size(), 1u);
}

TEST(KeyBoundToPayload, TwoIntentsUnderOneKeyAreAnotherRule) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).answered(201, 1ms);
  r.create("b").key("k").attempt(10ms).answered(422, 11ms);
  EXPECT_RULING(NotApplicable, ask(kKeyBoundToPayload, r));
}

TEST(KeyBoundToPayload, ChangedContentAfterASuccessIsSeenAcrossOperations) {
  RecordingBuilder r("x");
  r.create().key("k").attempt(0ms).content("one").answered(201, 1ms);
  r.create().key("k").attempt(10ms).content("two").answered(422, 11ms);
  EXPECT_RULING(Fail, ask(kKeyBoundToPayload, r));
}

TEST(KeyBoundToPayload, NeedsAKeyThatWasSentTwiceInWholeRequests) {
  RecordingBuilder once("x");
  once.create("a").key("k").attempt(0ms).answered(201, 1ms);
  EXPECT_RULING(NotApplicable, ask(kKeyBoundToPayload, once));
  RecordingBuilder cut("x");
  auto op = cut.create("a").key("k");
  op.attempt(0ms).content("").incomplete().lost_by_reset(1ms);
  op.attempt(10ms).content("one").answered(201, 11ms);
  EXPECT_RULING(NotApplicable, ask(kKeyBoundToPayload, cut));
}

// The key in the head of a batch is bound to the batch as a whole.
TEST(KeyBoundToPayload, TheKeyOfABatchIsBoundToAllOfIt) {
  const auto with = [](const std::string& second) {
    RecordingBuilder r("x");
    auto a = r.create("a");
    auto b = r.create("b");
    r.batch(0ms, {&a, &b}).key("k1").content("both").told({201, 503}, 4ms);
    r.batch(500ms, {&b}).key("k1").content(second).told({201}, 504ms);
    return ask(kKeyBoundToPayload, r);
  };
  EXPECT_RULING(Fail, with("one"));
  EXPECT_RULING(Pass, with("both"));
}

}  // namespace mishap::client_tests
