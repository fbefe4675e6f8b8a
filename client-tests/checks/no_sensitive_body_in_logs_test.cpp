#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

Captured& was_printed(RecordingBuilder& r, const std::string& stream) {
  Captured& captured = r.recording().output.emplace_back();
  captured.stream = stream;
  captured.bytes = 100;
  return captured;
}

void send_a_body(RecordingBuilder& r) {
  r.recording().claims.sensitive = {"mail", "card"};
  auto attempt = r.create("r-1").attempt(0ms).answered(201, 1ms);
  attempt.raw().request.body_bytes = 80;
}

}  // namespace

TEST(NoSensitiveBodyInLogs, FailsWhatStandsInTheOutputOrInALogFile) {
  for (const std::string stream : {"stderr", "file:logs/app.log", "life12.stdout"}) {
    RecordingBuilder r("x");
    send_a_body(r);
    was_printed(r, "stdout");
    was_printed(r, stream).sensitive_hits = {"card", "mail"};
    const Finding finding = ask(kNoSensitiveBodyInLogs, r);
    EXPECT_RULING(Fail, finding);
    EXPECT_TRUE(mentions(finding, stream + " of copy 0: card, mail")) << statements(finding);
  }
}

TEST(NoSensitiveBodyInLogs, PassesOutputWithoutIt) {
  RecordingBuilder r("x");
  send_a_body(r);
  was_printed(r, "stderr");
  EXPECT_RULING(Pass, ask(kNoSensitiveBodyInLogs, r));
}

TEST(NoSensitiveBodyInLogs, WhatTheVendorTellsCountsAsWell) {
  RecordingBuilder r("x");
  r.recording().claims.sensitive = {"mail"};
  auto attempt = r.create("r-1").attempt(0ms).fired("told").failed_with(422, 1ms);
  attempt.raw().answer.body_bytes = 50;
  was_printed(r, "stderr").sensitive_hits = {"mail"};
  EXPECT_RULING(Fail, ask(kNoSensitiveBodyInLogs, r));
}

TEST(NoSensitiveBodyInLogs, WithoutABodyOrANameThereIsNothingToPrint) {
  RecordingBuilder none("x");
  send_a_body(none);
  none.recording().claims.sensitive.clear();
  was_printed(none, "stderr");
  EXPECT_RULING(NotApplicable, ask(kNoSensitiveBodyInLogs, none));
  RecordingBuilder empty("x");
  empty.recording().claims.sensitive = {"mail"};
  empty.read().attempt(0ms).answered(200, 1ms);
  was_printed(empty, "stderr");
  EXPECT_RULING(NotApplicable, ask(kNoSensitiveBodyInLogs, empty));
}

TEST(NoSensitiveBodyInLogs, WhatWasNotLookedAtProvesNothing) {
  RecordingBuilder r("x");
  send_a_body(r);
  was_printed(r, "file:app.log").unread = 1000;
  EXPECT_RULING(Inconclusive, ask(kNoSensitiveBodyInLogs, r));
}

TEST(NoSensitiveBodyInLogs, IsNotObservedOfAClientThatIsNotOurs) {
  RecordingBuilder r("x");
  send_a_body(r);
  r.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kNoSensitiveBodyInLogs, r));
}

TEST(NoSensitiveBodyInLogs, ATestSuiteThatDrivesPrintsForItself) {
  RecordingBuilder r("x");
  send_a_body(r);
  was_printed(r, "stdout");
  was_printed(r, "drive.stdout").sensitive_hits = {"mail"};
  EXPECT_RULING(Pass, ask(kNoSensitiveBodyInLogs, r));
}

}  // namespace mishap::client_tests
