#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(NoRetryOnPermanentError, FailsOnARepetition) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).fired("bad").failed_with(400, 1ms);
  op.attempt(100ms).fired("bad").failed_with(400, 101ms);
  r.process(0ms, 200ms, 1);
  const Finding finding = ask(kNoRetryOnPermanentError, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "a: 1 further attempt after 400 > 0"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));
}

TEST(NoRetryOnPermanentError, PassesOneAttemptAndSilence) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).fired("bad").failed_with(422, 1ms);
  r.process(0ms, 200ms, 1);
  EXPECT_RULING(Pass, ask(kNoRetryOnPermanentError, r));
}

TEST(NoRetryOnPermanentError, SilenceNeedsAClosedWorld) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).fired("bad").failed_with(422, 1ms);
  r.recording().child = false;
  r.length(1s);
  EXPECT_RULING(Inconclusive, ask(kNoRetryOnPermanentError, r));
  r.recording().client_done = true;
  EXPECT_RULING(Pass, ask(kNoRetryOnPermanentError, r));
  r.recording().client_done = false;
  r.length(4s);
  EXPECT_RULING(Pass, ask(kNoRetryOnPermanentError, r));
}

TEST(NoRetryOnPermanentError, OneMoreAfter401WithAnotherCredential) {
  RecordingBuilder r("x");
  auto op = r.create("a");
  op.attempt(0ms).failed_with(401, 1ms).raw().request.headers = {{"Authorization", "h1", true}};
  op.attempt(9ms).failed_with(401, 10ms).raw().request.headers = {{"Authorization", "h2", true}};
  r.process(0ms, 200ms, 1);
  EXPECT_RULING(Pass, ask(kNoRetryOnPermanentError, r));
  op.attempt(19ms).failed_with(401, 20ms).raw().request.headers = {{"Authorization", "h3", true}};
  EXPECT_RULING(Fail, ask(kNoRetryOnPermanentError, r));
}

TEST(NoRetryOnPermanentError, OnlyWhatIsPermanentCounts) {
  struct Row {
    StatusCode status;
    bool scripted;
    std::string retry_after;
    Ruling ruling;
  };
  const std::vector<Row> rows = {
      {404, true, "", Ruling::Fail},           {404, false, "", Ruling::NotApplicable},
      {409, true, "", Ruling::NotApplicable},  {413, true, "", Ruling::Fail},
      {413, true, "1", Ruling::NotApplicable}, {429, true, "", Ruling::NotApplicable},
      {503, true, "", Ruling::NotApplicable},  {501, true, "", Ruling::Fail},
      {505, true, "", Ruling::Fail},           {451, true, "", Ruling::Fail},
      {412, true, "", Ruling::Fail},           {417, true, "", Ruling::Fail},
      {421, true, "", Ruling::NotApplicable},  {511, true, "", Ruling::Fail},
  };
  for (const Row& row : rows) {
    RecordingBuilder r("x");
    r.rule("bad", "status");
    auto op = r.create("a");
    for (const Duration at : {Duration(0ms), Duration(100ms)}) {
      auto attempt = op.attempt(at).failed_with(row.status, at + 1ms);
      if (row.scripted) attempt.fired("bad");
      if (!row.retry_after.empty()) attempt.header("Retry-After", row.retry_after);
    }
    r.process(0ms, 200ms, 1);
    const Finding finding = ask(kNoRetryOnPermanentError, r);
    EXPECT_EQ(finding.ruling, row.ruling) << row.status << "\n" << statements(finding);
  }
}

TEST(NoRetryOnPermanentError, A404ThatPassesIsNone) {
  RecordingBuilder r("x");
  r.rule("missing", "status").request = scenarios::Count{1, 1, 0, {}};
  auto op = r.read();
  op.attempt(0ms).fired("missing").failed_with(404, 1ms);
  op.attempt(100ms).answered(200, 101ms);
  r.process(0ms, 200ms, 0);
  EXPECT_RULING(NotApplicable, ask(kNoRetryOnPermanentError, r));
}

TEST(NoRetryOnPermanentError, WhatTheRefusalIsAboutMayBePutRight) {
  struct Row {
    StatusCode status;
    std::string field;
    Ruling ruling;
  };
  const std::vector<Row> rows = {
      {406, "Accept", Ruling::Pass},       {412, "If-Match", Ruling::Pass},
      {415, "Content-Type", Ruling::Pass}, {417, "Expect", Ruling::Pass},
      {428, "If-Match", Ruling::Pass},     {400, "If-Match", Ruling::Fail},
      {412, "X-Attempt", Ruling::Fail},    {417, "Accept", Ruling::Fail},
  };
  for (const Row& row : rows) {
    RecordingBuilder r("x");
    auto op = r.create("a");
    op.attempt(0ms).fired("bad").failed_with(row.status, 1ms).raw().request.headers = {
        {row.field, "one", false}};
    op.attempt(100ms).answered(201, 101ms);
    r.process(0ms, 200ms, 0);
    const Finding finding = ask(kNoRetryOnPermanentError, r);
    EXPECT_EQ(finding.ruling, row.ruling) << row.status << ' ' << row.field;
  }
}

TEST(NoRetryOnPermanentError, ACallerThatAsksTwiceByHabitDoesNotRetry) {
  RecordingBuilder control("control");
  control.read().attempt(0ms).answered(200, 1ms);
  control.read().attempt(10ms).answered(200, 11ms);
  RecordingBuilder r("x");
  auto op = r.read();
  op.attempt(0ms).fired("bad").failed_with(403, 1ms);
  op.attempt(10ms).fired("bad").failed_with(403, 11ms);
  r.process(0ms, 200ms, 1);
  EXPECT_RULING(Pass, ask(kNoRetryOnPermanentError, r, &control));
  op.attempt(20ms).fired("bad").failed_with(403, 21ms);
  EXPECT_RULING(Fail, ask(kNoRetryOnPermanentError, r, &control));
}

TEST(NoRetryOnPermanentError, WhatTheClientRedeliversOnTheGoodDayIsNoRetry) {
  RecordingBuilder control("control");
  control.control();
  auto usual = control.create().key("c");
  usual.attempt(0ms).effect().answered(201, 2ms);
  usual.attempt(50ms).answered(201, 52ms).replayed();
  const auto refused = [](RecordingBuilder& r, int times) {
    auto op = r.create().key("k");
    for (int i = 0; i < times; ++i)
      op.attempt(i * 50ms).fired("400").failed_with(400, i * 50ms + 2ms);
    r.process(0ms, 500ms, 1);
  };
  RecordingBuilder twice("x");
  refused(twice, 2);
  EXPECT_NE(ask(kNoRetryOnPermanentError, twice, &control).ruling, Ruling::Fail);
  EXPECT_RULING(Fail, ask(kNoRetryOnPermanentError, twice));
  RecordingBuilder thrice("x");
  refused(thrice, 3);
  EXPECT_RULING(Fail, ask(kNoRetryOnPermanentError, thrice, &control));
}

}  // namespace mishap::client_tests
