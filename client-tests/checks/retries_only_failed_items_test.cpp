#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

// Three bookings in a batch at 0 ms; the second is told 503, the others are done.
struct SplitBatchRun {
  explicit SplitBatchRun(bool keyed = true, bool named = true) : r("x") {
    for (int i = 0; i < 3; ++i) {
      const std::string number = std::to_string(i + 1);
      OperationBuilder made =
          named ? r.create("R" + number) : r.operation("POST", "/v1/b" + number);
      if (keyed) made.key("k" + number);
      operations.push_back(made);
    }
    r.batch(0ms, {&operations[0], &operations[1], &operations[2]})
        .fired("some", "items_failed")
        .told({201, 503, 201}, 4ms)
        .by_rule(2);
  }
  RecordingBuilder r;
  std::vector<OperationBuilder> operations;
};

const CheckDescriptor& check() {
  return kRetriesOnlyFailedItems;
}

TEST(RetriesOnlyFailedItems, PassesWhereTheFailedOneComesAlone) {
  SplitBatchRun run;
  run.r.batch(500ms, {&run.operations[1]}).told({201}, 504ms);
  run.r.process(0ms, 600ms, 0);
  const Finding finding = ask(check(), run.r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "#1: 2 of 3 items done, none of them sent again"));
}

TEST(RetriesOnlyFailedItems, PassesWhereItComesAsACallOfItsOwn) {
  SplitBatchRun run;
  run.operations[1].attempt(500ms).effect().answered(201, 504ms);
  run.r.process(0ms, 600ms, 0);
  EXPECT_RULING(Pass, ask(check(), run.r));
}

TEST(RetriesOnlyFailedItems, FailsWhereTheWholeBatchComesAgain) {
  SplitBatchRun run(false);
  run.r.batch(500ms, {&run.operations[0], &run.operations[1], &run.operations[2]})
      .told({201, 201, 201}, 504ms);
  run.r.process(0ms, 600ms, 0);
  const Finding finding = ask(check(), run.r);
  EXPECT_RULING(Fail, finding);
  ASSERT_EQ(finding.witnesses.size(), 2U);
  EXPECT_TRUE(mentions(finding, "R1: item 1 of #1 told 201, sent again in #2: 1 > 0"));
  EXPECT_TRUE(mentions(finding, "R3: item 3 of #1 told 201, sent again in #2: 1 > 0"));
  EXPECT_EQ(finding.witnesses[0].exchanges, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(finding.witnesses[0].effects, std::vector<std::uint64_t>{3});
}

TEST(RetriesOnlyFailedItems, FailsWithoutAKeyAlthoughTheVendorRefused) {
  SplitBatchRun run(false);
  run.r.batch(500ms, {&run.operations[0], &run.operations[1]}).told({409, 201}, 504ms);
  EXPECT_RULING(Fail, ask(check(), run.r));
}

TEST(RetriesOnlyFailedItems, UnderTheirKeysIsAWasteOnly) {
  SplitBatchRun run;
  run.r.batch(500ms, {&run.operations[0], &run.operations[1], &run.operations[2]})
      .told({201, 201, 201}, 504ms, {1, 3});
  run.r.process(0ms, 600ms, 0);
  const Finding finding = ask(check(), run.r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding,
                       "warning: R1: item 1 of #1 told 201, sent again in #2: 1 > 0; "
                       "under its key, so nothing was done twice"));
}

TEST(RetriesOnlyFailedItems, FailsUnderOtherKeys) {
  SplitBatchRun run;
  for (auto& operation : run.operations) operation.key("other");
  run.r.batch(500ms, {&run.operations[0], &run.operations[1]}).told({201, 201}, 504ms);
  EXPECT_RULING(Fail, ask(check(), run.r));
}

// After its success nothing but its content would name it, so it is another operation.
TEST(RetriesOnlyFailedItems, KnowsWhatHasNoNameByTheSiblingItComesWith) {
  SplitBatchRun run(false, false);
  auto again = run.r.operation("POST", "/v1/b1");
  run.r.batch(500ms, {&again, &run.operations[1]}).told({201, 201}, 504ms);
  run.r.process(0ms, 600ms, 0);
  EXPECT_RULING(Fail, ask(check(), run.r));
}

TEST(RetriesOnlyFailedItems, TakesAnEqualItemByItselfForAnotherIntent) {
  SplitBatchRun run(false, false);
  auto next = run.r.operation("POST", "/v1/b1");
  run.r.batch(500ms, {&next}).told({201}, 504ms);
  run.r.process(0ms, 600ms, 0);
  EXPECT_RULING(Pass, ask(check(), run.r));
}

TEST(RetriesOnlyFailedItems, NeedsAClosedWorldForAPass) {
  SplitBatchRun run;
  killed(run.r, 600ms);
  const Finding finding = ask(check(), run.r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "too soon after the answer to tell what it sends again"));
}

TEST(RetriesOnlyFailedItems, DoesNotApplyToBatchesThatTellNothingApart) {
  const auto ruling_of = [](const std::vector<StatusCode>& statuses) {
    RecordingBuilder r("x");
    auto a = r.create("R1");
    auto b = r.create("R2");
    auto c = r.create("R3");
    auto batch = statuses.size() == 3 ? r.batch(0ms, {&a, &b, &c}) : r.batch(0ms, {&a, &b});
    batch.told(statuses, 4ms);
    r.process(0ms, 600ms, 0);
    return ask(check(), r);
  };
  EXPECT_RULING(NotApplicable, ruling_of({201, 201, 201}));
  EXPECT_RULING(NotApplicable, ruling_of({503, 503, 503}));
  EXPECT_RULING(NotApplicable, ruling_of({201, 503}));
  EXPECT_RULING(Pass, ruling_of({201, 422, 201}));
}

TEST(RetriesOnlyFailedItems, WhatNobodyWasToldIsNoOccasion) {
  RecordingBuilder r("x");
  auto a = r.create("R1");
  auto b = r.create("R2");
  auto c = r.create("R3");
  r.batch(0ms, {&a, &b, &c}).told({201, 503, 201}, 4ms).cut(207, 4ms, 5ms);
  r.batch(500ms, {&a, &b, &c}).told({201, 201, 201}, 504ms);
  r.process(0ms, 600ms, 0);
  EXPECT_RULING(NotApplicable, ask(check(), r));
}

// The other checks go by operations, so each holds for an item as for a call.
TEST(ChecksOfItems, ARefusedItemIsNotSentAgain) {
  RecordingBuilder r("x");
  auto a = r.create("R1").key("k1");
  auto b = r.create("R2").key("k2");
  r.batch(0ms, {&a, &b}).fired("some", "items_failed").told({201, 422}, 4ms).by_rule(2);
  r.batch(500ms, {&b}).told({422}, 504ms);
  r.process(0ms, 600ms, 1);
  EXPECT_RULING(Fail, ask(kNoRetryOnPermanentError, r));
}

TEST(ChecksOfItems, WhatWasDoneTwiceIsFoundWithinItsOperation) {
  RecordingBuilder r("x");
  auto a = r.create("R1");
  auto b = r.create("R2");
  r.batch(0ms, {&a, &b}).took_effect(1).took_effect(2).fired("lost").lost_by_reset(4ms);
  RecordingBuilder right("x");
  auto c = right.create("R1").key("k1");
  auto d = right.create("R2").key("k2");
  right.batch(0ms, {&c, &d}).took_effect(1).took_effect(2).fired("lost").lost_by_reset(4ms);
  right.batch(500ms, {&c, &d}).told({201, 201}, 504ms, {1, 2});
  right.process(0ms, 600ms, 0);
  EXPECT_RULING(Pass, ask(kNoDuplicateEffects, right));
  r.batch(500ms, {&a, &b}).told({201, 201}, 504ms);
  const Finding twice = ask(kNoDuplicateEffects, r);
  EXPECT_RULING(Fail, twice);
  EXPECT_EQ(twice.witnesses.size(), 2U);
}

TEST(ChecksOfItems, WhatTheVendorDoublesIsItsOwnAndWhatIsSentTwiceIsNot) {
  RecordingBuilder doubled("x");
  auto a = doubled.create("R1");
  auto b = doubled.create("R2");
  doubled.batch(0ms, {&a, &b}).told({201, 201}, 4ms).took_effect(1).took_effect(2);
  EXPECT_NE(ask(kNoDuplicateEffects, doubled).ruling, Ruling::Fail);
  RecordingBuilder sent_twice("x");
  auto one = sent_twice.create("R1");
  sent_twice.batch(0ms, {&one, &one}).told({201, 201}, 4ms);
  EXPECT_RULING(Fail, ask(kNoDuplicateEffects, sent_twice));
}

TEST(ChecksOfItems, CountTheAnswersOfItemsAsWell) {
  RecordingBuilder r("x");
  auto a = r.create("R1");
  auto b = r.create("R2");
  r.batch(0ms, {&a, &b}).told({201, 503}, 4ms).by_rule(2);
  r.recording().scenario.counts.seen = {{503, only(1, 1)}, {207, only(1, 1)}, {201, only(1, 1)}};
  EXPECT_RULING(Pass, ask(kAsExpected, r));
}

}  // namespace mishap::client_tests
