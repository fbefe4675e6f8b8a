#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

RecordingBuilder& without_keys(RecordingBuilder& run) {
  run.recording().scenario.offers_keys = false;
  return run;
}

// Made at 1 ms, its answer lost at 4 ms.
OperationBuilder lost_create(RecordingBuilder& run, const std::string& reference = "b") {
  auto create = without_keys(run).create(reference);
  create.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  return create;
}

}  // namespace

TEST(DeduplicatesWithoutKey, ALookupThatFindsItIsRight) {
  RecordingBuilder r("x");
  auto create = lost_create(r);
  r.lookup(200ms, {create.number()}, true).answered(200, 201ms);
  r.process(0ms, 1s, 0);
  EXPECT_RULING(Pass, ask(kDeduplicatesWithoutKey, r));
}

TEST(DeduplicatesWithoutKey, SentAgainWithoutALookIsAFailWhateverCameOfIt) {
  for (const bool is_done_twice : {true, false}) {
    RecordingBuilder r("x");
    auto create = lost_create(r);
    auto again = create.attempt(200ms).answered(201, 202ms);
    if (is_done_twice) again.effect();
    r.process(0ms, 1s, 0);
    const Finding finding = ask(kDeduplicatesWithoutKey, r);
    EXPECT_RULING(Fail, finding);
    EXPECT_TRUE(mentions(finding, is_done_twice
                                      ? "b: 2 effects (bk_1, bk_2) under one reference > 1"
                                      : "b: sent again 0.20 s after a reset, and no lookup that "
                                        "could have found it came in between"))
        << statements(finding);
  }
}

// A key that the vendor ignores changes nothing.
TEST(DeduplicatesWithoutKey, TrustInAKeyIsAFail) {
  RecordingBuilder r("x");
  auto create = without_keys(r).create("b").key("k1");
  create.attempt(0ms).effect().lost_by_reset(4ms);
  create.attempt(200ms).effect().answered(201, 202ms);
  r.process(0ms, 1s, 0);
  EXPECT_RULING(Fail, ask(kDeduplicatesWithoutKey, r));
  r.recording().scenario.offers_keys = true;
  EXPECT_RULING(NotApplicable, ask(kDeduplicatesWithoutKey, r));
}

// A real API may know the key that it is sent, and then the second call is a replay.
TEST(DeduplicatesWithoutKey, DoesNotKnowWhatAnUpstreamTakes) {
  RecordingBuilder r("x");
  auto create = lost_create(r);
  create.attempt(200ms).answered(201, 202ms);
  r.process(0ms, 1s, 0);
  EXPECT_RULING(Fail, ask(kDeduplicatesWithoutKey, r));
  r.recording().journal.exchanges.front().upstream.sent = 1ms;
  EXPECT_RULING(NotApplicable, ask(kDeduplicatesWithoutKey, r));
}

TEST(DeduplicatesWithoutKey, ALookupMustBeWholeAndInBetween) {
  struct Row {
    Duration at;
    bool whole;
    bool found;
    Ruling ruling;
  };
  for (const Row& row :
       {Row{100ms, true, false, Ruling::Pass}, Row{100ms, false, false, Ruling::Fail},
        Row{300ms, true, false, Ruling::Fail}, Row{100ms, true, true, Ruling::Fail}}) {
    RecordingBuilder r("x");
    auto create = without_keys(r).create("b");
    create.attempt(0ms).effect_at(250ms).lost_by_reset(4ms);  // it comes late
    auto lookup = r.lookup(row.at, {create.number()}, row.found);
    row.whole ? lookup.answered(200, row.at + 1ms) : lookup.lost_by_reset(row.at + 1ms);
    create.attempt(200ms).lost_by_reset(202ms);
    r.process(0ms, 1s, 0);
    EXPECT_EQ(ask(kDeduplicatesWithoutKey, r).ruling, row.ruling) << row.at.count();
  }
}

TEST(DeduplicatesWithoutKey, AnUpsertUnderOneIdMayBeSentAgain) {
  RecordingBuilder r("x");
  auto put = without_keys(r).operation("PUT", "/v1/bookings/b").reference("b");
  put.attempt(0ms).effect("b").lost_by_reset(4ms);
  put.attempt(200ms).effect("b").effect_kind(server::EffectKind::Replaced).answered(200, 202ms);
  r.process(0ms, 1s, 0);
  EXPECT_RULING(Pass, ask(kDeduplicatesWithoutKey, r));
}

// Each is an operation of its own by its path; the reference tells.
TEST(DeduplicatesWithoutKey, AnUpsertUnderANewIdIsASecondOne) {
  RecordingBuilder r("x");
  without_keys(r)
      .operation("PUT", "/v1/bookings/1")
      .reference("b")
      .attempt(0ms)
      .effect("1")
      .lost_by_reset(4ms);
  r.operation("PUT", "/v1/bookings/2")
      .reference("b")
      .attempt(200ms)
      .effect("2")
      .answered(201, 202ms);
  r.process(0ms, 1s, 0);
  const Finding finding = ask(kDeduplicatesWithoutKey, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_EQ(finding.witnesses.at(0).effects, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));

  RecordingBuilder control("x");
  for (const char* path : {"/v1/bookings/1", "/v1/bookings/2"}) {
    control.operation("PUT", path).reference("b").attempt(0ms).effect(path).answered(201, 2ms);
  }
  EXPECT_RULING(NotApplicable, ask(kDeduplicatesWithoutKey, r, &control))
      << "two under one reference are what it makes on the good day";
}

TEST(DeduplicatesWithoutKey, AVendorThatRefusesTheSecondHasDoneItItself) {
  RecordingBuilder r("x");
  auto create = lost_create(r);
  create.attempt(200ms).answered(409, 202ms);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask(kDeduplicatesWithoutKey, r));
}

TEST(DeduplicatesWithoutKey, NoOccasionWhereNothingWasAskedOrSentAgain) {
  RecordingBuilder silent("x");
  lost_create(silent);
  silent.process(0ms, 1s, 1);
  EXPECT_RULING(NotApplicable, ask(kDeduplicatesWithoutKey, silent));

  RecordingBuilder blind("x");
  auto create = lost_create(blind);
  create.attempt(200ms).effect().answered(201, 202ms);
  blind.process(0ms, 1s, 0);
  blind.recording().scenario.offers_lookup = false;
  EXPECT_RULING(NotApplicable, ask(kDeduplicatesWithoutKey, blind)) << "nobody can be asked";

  RecordingBuilder well("x");
  without_keys(well).create("b").attempt(0ms).effect().answered(201, 2ms);
  well.process(0ms, 1s, 0);
  EXPECT_RULING(NotApplicable, ask(kDeduplicatesWithoutKey, well));
}

TEST(DeduplicatesWithoutKey, AClientThatWasKilledMayHaveSentItAgain) {
  RecordingBuilder r("x");
  auto create = lost_create(r);
  r.lookup(200ms, {create.number()}, true).answered(200, 201ms);
  killed(r, 400ms);
  EXPECT_RULING(Inconclusive, ask(kDeduplicatesWithoutKey, r));
}

}  // namespace mishap::client_tests
