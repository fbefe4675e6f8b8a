#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// A vendor that takes no keys and shows nothing.
void plain_vendor(RecordingBuilder& r) {
  r.recording().scenario.offers_keys = r.recording().scenario.offers_lookup = false;
}

}  // namespace

TEST(UnknownReportedAsPending, OnlyPendingIsTrueWhereNobodyCanKnow) {
  struct Row {
    bool effect;
    OutcomeKind said;
    Ruling ruling;
  };
  for (const Row& row :
       {Row{true, OutcomeKind::Pending, Ruling::Pass},
        Row{false, OutcomeKind::Pending, Ruling::Pass},
        Row{true, OutcomeKind::Failed, Ruling::Fail}, Row{false, OutcomeKind::Failed, Ruling::Fail},
        Row{true, OutcomeKind::Succeeded, Ruling::Fail}}) {
    RecordingBuilder r("x");
    plain_vendor(r);
    auto attempt = r.create("a").attempt(0ms);
    if (row.effect) attempt.effect();
    attempt.fired("lost").lost_by_reset(4ms);
    r.outcome(10ms, "a", row.said);
    const Finding finding = ask(kUnknownReportedAsPending, r);
    EXPECT_EQ(finding.ruling, row.ruling) << statements(finding);
  }
}

TEST(UnknownReportedAsPending, JudgesWhereTheVendorOffersNoWayToAsk) {
  RecordingBuilder r("x");
  plain_vendor(r);
  r.create("a").attempt(0ms).fired("lost").lost_by_reset(4ms);
  r.outcome(10ms, "a", OutcomeKind::Failed);
  r.recording().scenario.offers_lookup = true;
  EXPECT_RULING(NotApplicable, ask(kUnknownReportedAsPending, r));
  r.recording().scenario.offers_lookup = false;
  r.recording().scenario.offers_keys = true;
  EXPECT_RULING(NotApplicable, ask(kUnknownReportedAsPending, r));
}

TEST(UnknownReportedAsPending, A503AndARefusalAreNoUnknowns) {
  for (const StatusCode status : {400, 429, 503}) {
    RecordingBuilder r("x");
    plain_vendor(r);
    r.create("a").attempt(0ms).fired("status").failed_with(status, 4ms);
    r.outcome(10ms, "a", OutcomeKind::Failed);
    EXPECT_RULING(NotApplicable, ask(kUnknownReportedAsPending, r)) << status;
  }
  RecordingBuilder gateway("x");
  plain_vendor(gateway);
  gateway.create("a").attempt(0ms).fired("status").failed_with(504, 4ms);
  gateway.outcome(10ms, "a", OutcomeKind::Failed);
  EXPECT_RULING(Fail, ask(kUnknownReportedAsPending, gateway));
}

TEST(UnknownReportedAsPending, WhatWasConfirmedOrMayHaveBeenAskedIsNotJudged) {
  RecordingBuilder again("x");
  plain_vendor(again);
  auto op = again.create("a");
  op.attempt(0ms).fired("lost").lost_by_reset(4ms);
  op.attempt(100ms).effect().answered(201, 102ms);
  again.outcome(110ms, "a", OutcomeKind::Succeeded);
  EXPECT_RULING(NotApplicable, ask(kUnknownReportedAsPending, again));
  RecordingBuilder asked("x");
  plain_vendor(asked);
  asked.create("a").attempt(0ms).fired("lost").lost_by_reset(4ms);
  asked.read("/v1/statement").attempt(50ms).answered(200, 51ms);
  asked.outcome(110ms, "a", OutcomeKind::Failed);
  EXPECT_RULING(NotApplicable, ask(kUnknownReportedAsPending, asked));
}

TEST(UnknownReportedAsPending, IsNotObservedWithoutALine) {
  RecordingBuilder r("x");
  plain_vendor(r);
  r.create("a").attempt(0ms).fired("lost").lost_by_reset(4ms);
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(NotObserved, ask(kUnknownReportedAsPending, r));
}

}  // namespace mishap::client_tests
