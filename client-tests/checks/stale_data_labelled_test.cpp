#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

const std::string kRead = "GET /v1/products";
constexpr Duration kStart = 1795983245s;  // 2026-11-29T20:14:05Z

// Read at 0 ms, told at 10 ms; then two attempts that fail.
void outage_after_a_read(RecordingBuilder& run) {
  run.recording().wall_start = kStart;
  run.read().attempt(0ms).answered(200, 2ms);
  run.outcome(10ms, kRead, OutcomeKind::Succeeded);
  auto again = run.read();
  again.attempt(1s).fired("down").failed_with(503, 1002ms);
  again.attempt(2s).fired("down").failed_with(503, 2002ms);
  run.process(0ms, 4s, 1);
}

OutcomeLine& second_line(RecordingBuilder& run, OutcomeKind kind = OutcomeKind::Succeeded) {
  return run.outcome(3s, kRead, kind);
}

}  // namespace

TEST(StaleDataLabelled, AnAgeIsRightAndItsAbsenceAFail) {
  RecordingBuilder labelled("x");
  outage_after_a_read(labelled);
  OutcomeLine& line = second_line(labelled);
  line.cached = true;
  line.as_of = "2026-11-29T20:14:05Z";
  EXPECT_RULING(Pass, ask(kStaleDataLabelled, labelled));

  RecordingBuilder silent("x");
  outage_after_a_read(silent);
  second_line(silent);
  const Finding finding = ask(kStaleDataLabelled, silent);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding,
                       "GET /v1/products: reported succeeded at 3.00 s after 503 -> 503, "
                       "without cached and as_of"))
      << statements(finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{2, 3}));
}

TEST(StaleDataLabelled, HalfALabelIsNone) {
  for (const bool has_word : {true, false}) {
    RecordingBuilder r("x");
    outage_after_a_read(r);
    OutcomeLine& line = second_line(r);
    line.cached = has_word;
    if (!has_word) line.as_of = "monday";
    EXPECT_RULING(Fail, ask(kStaleDataLabelled, r));
  }
}

// What is counted from the moment of telling says nothing of the data.
TEST(StaleDataLabelled, AnAgeCannotBeNewerThanWhatWasRead) {
  struct Row {
    const char* as_of;
    Ruling ruling;
  };
  for (const Row& row :
       {Row{"2026-11-29T20:14:07Z", Ruling::Pass}, Row{"2026-11-29T20:14:08Z", Ruling::Fail},
        Row{"2026-11-29T22:14:08.5+02:00", Ruling::Fail},
        Row{"2026-11-29T18:14:05-02:00", Ruling::Pass}, Row{"2026-11-28T23:00:00Z", Ruling::Pass},
        Row{"two hours ago", Ruling::Pass}, Row{"2026-13-41T20:14:08Z", Ruling::Pass}}) {
    RecordingBuilder r("x");
    outage_after_a_read(r);
    OutcomeLine& line = second_line(r);
    line.cached = true;
    line.as_of = row.as_of;
    EXPECT_EQ(ask(kStaleDataLabelled, r).ruling, row.ruling) << row.as_of;
    r.recording().child = false;
    EXPECT_RULING(Pass, ask(kStaleDataLabelled, r)) << "another machine has another clock";
  }
}

TEST(StaleDataLabelled, NoOccasionWhereItWasReadOrSaidToHaveFailed) {
  RecordingBuilder failed("x");
  outage_after_a_read(failed);
  second_line(failed, OutcomeKind::Failed);
  EXPECT_RULING(NotApplicable, ask(kStaleDataLabelled, failed));

  RecordingBuilder recovered("x");
  recovered.read("/v1/other").attempt(0ms).failed_with(503, 2ms);  // nobody speaks of it
  auto read = recovered.read();
  read.attempt(1s).failed_with(503, 1002ms);
  read.attempt(2s).answered(200, 2002ms);
  second_line(recovered);
  recovered.process(0ms, 4s, 0);
  EXPECT_RULING(NotApplicable, ask(kStaleDataLabelled, recovered));

  for (const StatusCode status : {304, 404, 302}) {
    RecordingBuilder answered("x");
    outage_after_a_read(answered);
    answered.read().attempt(2500ms).answered(status, 2502ms);
    second_line(answered);
    EXPECT_RULING(NotApplicable, ask(kStaleDataLabelled, answered)) << status << " is word enough";
  }
  for (const StatusCode status : {429, 408}) {
    RecordingBuilder refused("x");
    outage_after_a_read(refused);
    refused.read().attempt(2500ms).failed_with(status, 2502ms);
    second_line(refused);
    EXPECT_RULING(Fail, ask(kStaleDataLabelled, refused)) << status;
  }
}

// What is fresh needs no call, and no label.
TEST(StaleDataLabelled, ALineWithoutACallIsNotJudged) {
  RecordingBuilder r("x");
  outage_after_a_read(r);
  OutcomeLine& line = second_line(r);
  line.cached = true;
  line.as_of = "2026-11-29T20:14:05Z";
  r.outcome(3500ms, kRead, OutcomeKind::Succeeded);
  EXPECT_RULING(Pass, ask(kStaleDataLabelled, r));
}

// Three at once: one is told of while the second is under way, whose line comes while the third
// tries again.
TEST(StaleDataLabelled, OfReadsAtOnceALineIsAboutThoseThatWereOver) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).answered(200, 10ms);
  r.read().attempt(5ms).answered(200, 300ms);
  auto ill = r.read();
  ill.attempt(199ms).fired("down").failed_with(503, 200ms);
  ill.attempt(399ms).fired("down").failed_with(503, 400ms);
  r.outcome(15ms, kRead, OutcomeKind::Succeeded);
  r.outcome(305ms, kRead, OutcomeKind::Succeeded);
  r.outcome(410ms, kRead, OutcomeKind::Failed);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(NotApplicable, ask(kStaleDataLabelled, r));
  r.recording().outcomes.back().outcome = OutcomeKind::Succeeded;
  EXPECT_RULING(Fail, ask(kStaleDataLabelled, r)) << "the third was answered from memory";
}

TEST(StaleDataLabelled, TwoAnswersAtOnceAreGoodForTwoLines) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).answered(200, 10ms);
  r.read().attempt(5ms).answered(200, 12ms);
  auto ill = r.read();
  ill.attempt(6ms).fired("down").failed_with(503, 17ms);
  ill.attempt(199ms).fired("down").failed_with(503, 200ms);
  r.outcome(15ms, kRead, OutcomeKind::Succeeded);
  r.outcome(18ms, kRead, OutcomeKind::Succeeded);
  r.process(0ms, 4s, 0);
  EXPECT_RULING(NotApplicable, ask(kStaleDataLabelled, r));
  r.outcome(210ms, kRead, OutcomeKind::Succeeded);
  EXPECT_RULING(Fail, ask(kStaleDataLabelled, r)) << "and no more than two";
}

TEST(StaleDataLabelled, AnAnswerOfWhichNobodySpokeIsNotGoodForLong) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).answered(200, 1ms);
  outage_after_a_read(r);
  second_line(r);
  EXPECT_RULING(Fail, ask(kStaleDataLabelled, r));
}

// A line may come a moment before the connection is closed; later it may be about another read.
TEST(StaleDataLabelled, WhatWasLetGoWithoutAnAnswer) {
  const auto ruling = [](Duration left, bool has_label) {
    RecordingBuilder r("x");
    r.recording().wall_start = kStart;
    r.read().attempt(0ms).fired("stall").stalled().left(left);
    OutcomeLine& line = r.outcome(1s, kRead, OutcomeKind::Succeeded);
    line.cached = has_label;
    if (has_label) line.as_of = "2026-11-29T20:14:05Z";
    r.process(0ms, 4s, 0);
    return ask(kStaleDataLabelled, r).ruling;
  };
  EXPECT_EQ(ruling(999ms, false), Ruling::Fail);
  EXPECT_EQ(ruling(1020ms, false), Ruling::Fail);
  EXPECT_EQ(ruling(3s, false), Ruling::Inconclusive);
  EXPECT_EQ(ruling(3s, true), Ruling::Pass);
}

TEST(StaleDataLabelled, ALineMayNameTheQueryAndIsOfItsOwnCopy) {
  RecordingBuilder r("x");
  auto page = r.read();
  page.attempt(0ms).fired("down").failed_with(503, 2ms).raw().request.target =
      "/v1/products?limit=2";
  r.outcome(1s, "GET /v1/products?limit=3", OutcomeKind::Succeeded);
  r.outcome(1s, "GET /v1/products?limit=2", OutcomeKind::Succeeded, 1);
  r.process(0ms, 4s, 0);
  EXPECT_RULING(NotApplicable, ask(kStaleDataLabelled, r)) << "neither line is about this read";
  r.outcome(2s, "GET /v1/products?limit=2", OutcomeKind::Succeeded);
  EXPECT_RULING(Fail, ask(kStaleDataLabelled, r));
}

TEST(StaleDataLabelled, NeedsReadsThatFailedAndLinesThatNameThem) {
  RecordingBuilder unnamed("x");
  unnamed.read().attempt(0ms).failed_with(503, 2ms);
  unnamed.outcome(10ms, "b", OutcomeKind::Succeeded);
  unnamed.process(0ms, 1s, 0);
  EXPECT_RULING(NotObserved, ask(kStaleDataLabelled, unnamed));

  RecordingBuilder well("x");
  well.read().attempt(0ms).answered(200, 2ms);
  well.outcome(10ms, kRead, OutcomeKind::Succeeded);
  well.process(0ms, 1s, 0);
  EXPECT_RULING(NotApplicable, ask(kStaleDataLabelled, well));
}

// Nor are such lines taken for words about operations that nobody has seen.
TEST(StaleDataLabelled, LinesAboutReadsAreNoneAboutOperations) {
  RecordingBuilder r("x");
  r.create("b").key("k1").attempt(0ms).effect().answered(201, 2ms);
  r.outcome(5ms, "b", OutcomeKind::Succeeded);
  outage_after_a_read(r);
  second_line(r).cached = true;
  EXPECT_RULING(Pass, ask(kEveryOperationAccounted, r));
  EXPECT_TRUE(ask(kOutcomeTruthful, r).warnings.empty());
}

}  // namespace mishap::client_tests
