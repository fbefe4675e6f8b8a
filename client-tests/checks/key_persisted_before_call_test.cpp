#include "client-tests/checks/crash_testing.h"

namespace mishap::client_tests {

TEST(KeyPersistedBeforeCall, TheSameKeyGoesOnAfterTheCrash) {
  RecordingBuilder r("x");
  auto cut = cut_create(r);
  cut.attempt(450ms).answered(201, 452ms).replayed();
  two_lives(r);
  EXPECT_RULING(Pass, ask(kKeyPersistedBeforeCall, r));
}

TEST(KeyPersistedBeforeCall, AnotherKeyOrNoneIsAFail) {
  for (const char* key : {"k9", ""}) {
    RecordingBuilder r("x");
    auto cut = cut_create(r);
    cut.attempt(450ms).key(key).effect().answered(201, 452ms);
    two_lives(r);
    const Finding finding = ask(kKeyPersistedBeforeCall, r);
    EXPECT_RULING(Fail, finding) << key;
    EXPECT_NE(statements(finding).find("was cut by the crash"), std::string::npos);
  }
}

TEST(KeyPersistedBeforeCall, ALookupOrAWordIsAsGood) {
  RecordingBuilder looked("x");
  auto cut = cut_create(looked);
  looked.lookup(450ms, {cut.number()}, true).answered(200, 452ms);
  two_lives(looked);
  EXPECT_RULING(Pass, ask(kKeyPersistedBeforeCall, looked));

  RecordingBuilder told("x");
  cut_create(told);
  told.outcome(460ms, "b", OutcomeKind::Pending);
  two_lives(told);
  EXPECT_RULING(Pass, ask(kKeyPersistedBeforeCall, told));
}

TEST(KeyPersistedBeforeCall, ForgettingIsAFailOnceTheClientHasEnded) {
  RecordingBuilder r("x");
  cut_create(r);
  two_lives(r);
  EXPECT_RULING(Fail, ask(kKeyPersistedBeforeCall, r));
  r.recording().processes.back().stop = Stop::Killed;
  r.recording().processes.back().told_to_end = 900ms;
  EXPECT_RULING(Inconclusive, ask(kKeyPersistedBeforeCall, r));
}

// Without lines another exit code than 0 is its word.
TEST(KeyPersistedBeforeCall, AnExitCodeIsAWordOfWhoWritesNoLines) {
  RecordingBuilder r("x");
  cut_create(r);
  two_lives(r, 900ms, 1);
  EXPECT_RULING(Pass, ask(kKeyPersistedBeforeCall, r));
  r.create("other").key("k0").attempt(500ms).effect().answered(201, 501ms);
  r.outcome(510ms, "other", OutcomeKind::Succeeded);
  EXPECT_RULING(Fail, ask(kKeyPersistedBeforeCall, r)) << "it writes lines, and none about this";
}

TEST(KeyPersistedBeforeCall, NeedsACrashAndASecondLife) {
  RecordingBuilder r("x");
  cut_create(r);
  ProcessFacts& only = r.process(0ms, kKilled + 10ms, 0);
  only.stop = Stop::Scripted;
  only.told_to_end = kKilled;
  EXPECT_RULING(NotApplicable, ask(kKeyPersistedBeforeCall, r));

  RecordingBuilder healthy("x");
  first_create(healthy);
  healthy.process(0ms, 100ms, 0);
  EXPECT_RULING(NotApplicable, ask(kKeyPersistedBeforeCall, healthy));
}

}  // namespace mishap::client_tests
