#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// A create that was refused with a text, and what the client printed then.
Finding printed(const std::string& output, bool reached = true) {
  RecordingBuilder r("hostile-error-text");
  auto attempt = r.create("r-1").attempt(0ms).fired("hostile");
  reached ? attempt.failed_with(400, 1ms) : attempt.lost_by_reset(1ms);
  attempt.raw().answer.body_bytes = 100;
  Captured& captured = r.recording().output.emplace_back();
  captured.stream = "stderr";
  captured.head = output;
  captured.bytes = output.size();
  return ask(kLogInjectionSafe, r, parameters({{"marker", "FORGED"}}));
}

}  // namespace

TEST(LogInjectionSafe, FailsALineThatTheServerWrote) {
  EXPECT_RULING(Fail, printed("refused: bad\nFORGED level=info all is well\n"));
  EXPECT_RULING(Fail, printed("refused: bad\rFORGED\n"));
  EXPECT_RULING(Fail, printed("refused: \x1b"
                              "FORGED\n"));
  EXPECT_TRUE(mentions(printed("FORGED"), "a line begins with \"FORGED\""));
}

TEST(LogInjectionSafe, PassesItWithinALineOrNotAtAll) {
  EXPECT_RULING(Pass, printed("refused: \"bad\\r\\nFORGED level=info\"\n"));
  EXPECT_RULING(Pass, printed("refused with 400\n"));
}

TEST(LogInjectionSafe, SilenceProvesNothing) {
  EXPECT_RULING(Inconclusive, printed(""));
}

TEST(LogInjectionSafe, WantsAMarkerThatReachedTheClient) {
  EXPECT_RULING(NotApplicable, printed("FORGED\n", false));
  RecordingBuilder r("x");
  r.create("r-1").attempt(0ms).fired("hostile").failed_with(400, 1ms);
  EXPECT_RULING(NotApplicable, ask(kLogInjectionSafe, r));
  r.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kLogInjectionSafe, r, parameters({{"marker", "FORGED"}})));
}

}  // namespace mishap::client_tests
