#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

Captured& printed(RecordingBuilder& r, const std::string& stream, std::uint64_t bytes,
                  std::uint64_t canary_hits) {
  Captured& captured = r.recording().output.emplace_back();
  captured.stream = stream;
  captured.bytes = bytes;
  captured.canary_hits = canary_hits;
  return captured;
}

void send_token(RecordingBuilder& r) {
  auto attempt = r.create("r-1").attempt(0ms).answered(201, 1ms);
  attempt.raw().request.headers.push_back({"Authorization", "Bearer sha256:0", true});
}

}  // namespace

TEST(NoSecretsInLogs, FailsATokenInTheOutput) {
  RecordingBuilder r("x");
  send_token(r);
  printed(r, "stdout", 100, 0);
  printed(r, "stderr", 100, 2);
  const Finding finding = ask(kNoSecretsInLogs, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "stderr of copy 0: MISHAP_TOKEN in clear, 2 times"));
}

TEST(NoSecretsInLogs, LogFilesAndEncodedFormsCountAsWell) {
  for (const std::string stream : {"file:app.log", "life2.stderr", "life2.file:logs/app.log"}) {
    RecordingBuilder r("x");
    send_token(r);
    printed(r, stream, 100, 1).canary_forms = {"as base64"};
    const Finding finding = ask(kNoSecretsInLogs, r);
    EXPECT_RULING(Fail, finding);
    EXPECT_TRUE(mentions(finding, stream + " of copy 0: MISHAP_TOKEN as base64, 1 time"))
        << statements(finding);
  }
}

TEST(NoSecretsInLogs, AFileThatIsTooLargeProvesNothing) {
  RecordingBuilder r("x");
  send_token(r);
  printed(r, "file:app.log", 100, 0).unread = 5;
  EXPECT_RULING(Inconclusive, ask(kNoSecretsInLogs, r));
}

TEST(NoSecretsInLogs, SaysThatNamedLogFilesWereNotThere) {
  RecordingBuilder r("x");
  send_token(r);
  printed(r, "stderr", 100, 0);
  r.recording().claims.logs = {"{state}/*.log"};
  EXPECT_TRUE(mentions(ask(kNoSecretsInLogs, r), "none of the log files"));
  printed(r, "file:app.log", 10, 0);
  EXPECT_FALSE(mentions(ask(kNoSecretsInLogs, r), "none of the log files"));
}

TEST(NoSecretsInLogs, PassesOutputWithoutIt) {
  RecordingBuilder r("x");
  send_token(r);
  printed(r, "stderr", 100, 0);
  EXPECT_RULING(Pass, ask(kNoSecretsInLogs, r));
  RecordingBuilder empty("x");
  send_token(empty);
  EXPECT_RULING(Pass, ask(kNoSecretsInLogs, empty));
  EXPECT_TRUE(mentions(ask(kNoSecretsInLogs, empty), "printed nothing at all"));
}

TEST(NoSecretsInLogs, WithoutATokenOnTheWireThereIsNothingToPrint) {
  RecordingBuilder r("x");
  r.create("r-1").attempt(0ms).answered(201, 1ms);
  printed(r, "stderr", 100, 0);
  EXPECT_RULING(NotApplicable, ask(kNoSecretsInLogs, r));
}

TEST(NoSecretsInLogs, ATestSuiteThatDrivesPrintsForItself) {
  RecordingBuilder r("x");
  send_token(r);
  printed(r, "drive.stdout", 100, 1);
  EXPECT_RULING(Pass, ask(kNoSecretsInLogs, r));
}

TEST(NoSecretsInLogs, IsNotObservedOfAClientThatIsNotOurs) {
  RecordingBuilder r("x");
  send_token(r);
  r.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kNoSecretsInLogs, r));
}

}  // namespace mishap::client_tests
