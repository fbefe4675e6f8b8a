#include "client-tests/checks/crash_testing.h"

namespace mishap::client_tests {

TEST(ResumesFromCheckpoint, WhatIsDoneIsLeftAlone) {
  RecordingBuilder control("healthy");
  good_day(control);
  RecordingBuilder r("x");
  first_create(r);
  cut_create(r).attempt(450ms).answered(201, 452ms).replayed();
  last_create(r);
  two_lives(r);
  EXPECT_RULING(Pass, ask(kResumesFromCheckpoint, r, &control));
}

TEST(ResumesFromCheckpoint, DoneAgainIsAFailAndUnderItsOldKeyAWarning) {
  RecordingBuilder control("healthy");
  good_day(control);
  const auto with = [&](const char* key, bool effect) {
    RecordingBuilder r("x");
    auto done = r.create("a").key("k1");
    done.attempt(50ms).effect().answered(201, 52ms);
    cut_create(r).attempt(450ms).answered(201, 452ms).replayed();
    auto again = done.attempt(500ms).key(key).answered(201, 502ms);
    if (effect) again.effect();
    last_create(r);
    two_lives(r);
    return ask(kResumesFromCheckpoint, r, &control);
  };
  EXPECT_RULING(Fail, with("k1", true));
  EXPECT_RULING(Fail, with("k7", true));
  EXPECT_RULING(Fail, with("", false));
  const Finding wasteful = with("k1", false);
  EXPECT_RULING(Pass, wasteful);
  EXPECT_FALSE(wasteful.warnings.empty());
}

// References and keys that are made anew at each start.
TEST(ResumesFromCheckpoint, MoreThanOnAGoodDayIsAFail) {
  RecordingBuilder control("healthy");
  good_day(control);
  RecordingBuilder r("x");
  first_create(r);
  cut_create(r);
  for (const char* name : {"a2", "b2", "c2"}) {
    r.create(name).key(name).attempt(500ms).effect().answered(201, 502ms);
  }
  two_lives(r);
  const Finding finding = ask(kResumesFromCheckpoint, r, &control);
  EXPECT_RULING(Fail, finding);
  EXPECT_NE(statements(finding).find("5 made, 3 on a good day"), std::string::npos)
      << statements(finding);
}

TEST(ResumesFromCheckpoint, LessIsAFailOnlyForWhoSaysThatAllIsDone) {
  RecordingBuilder control("healthy");
  good_day(control);
  for (const int exit_code : {0, 1}) {
    RecordingBuilder r("x");
    first_create(r);
    cut_create(r).attempt(450ms).answered(201, 452ms).replayed();
    two_lives(r, 900ms, exit_code);
    const Finding finding = ask(kResumesFromCheckpoint, r, &control);
    EXPECT_EQ(finding.ruling, exit_code == 0 ? Ruling::Fail : Ruling::Pass);
  }
}

// Whoever dies before anything is done has a list to go on with all the same.
TEST(ResumesFromCheckpoint, CountsAlsoWhereNothingWasDoneBefore) {
  RecordingBuilder control("healthy");
  good_day(control);
  RecordingBuilder forgets("x");
  cut_create(forgets).attempt(450ms).answered(201, 452ms).replayed();
  two_lives(forgets);
  EXPECT_RULING(Fail, ask(kResumesFromCheckpoint, forgets, &control));

  RecordingBuilder goes_on("x");
  cut_create(goes_on).attempt(450ms).answered(201, 452ms).replayed();
  goes_on.create("a").key("k1").attempt(500ms).effect().answered(201, 502ms);
  last_create(goes_on);
  two_lives(goes_on);
  EXPECT_RULING(Pass, ask(kResumesFromCheckpoint, goes_on, &control));
}

// Its silence is all there is of a service.
TEST(ResumesFromCheckpoint, AServiceIsJudgedOnceItHasBeenSilent) {
  RecordingBuilder control("healthy");
  good_day(control);
  for (const Duration stopped : {2s, 12s}) {
    RecordingBuilder r("x");
    first_create(r);
    cut_create(r).attempt(450ms).answered(201, 452ms).replayed();
    two_lives(r, stopped);
    for (ProcessFacts& process : r.recording().processes) process.role = ProcessRole::Service;
    r.recording().processes.back().stop = Stop::Stopped;
    r.recording().processes.back().told_to_end = stopped;
    r.length(stopped);
    const Finding finding = ask(kResumesFromCheckpoint, r, &control);
    EXPECT_EQ(finding.ruling, stopped > 5s ? Ruling::Fail : Ruling::Inconclusive)
        << statements(finding);
  }
}

TEST(ResumesFromCheckpoint, NeedsACrashAndASecondLife) {
  RecordingBuilder control("healthy");
  good_day(control);
  RecordingBuilder r("x");
  first_create(r);
  r.process(0ms, 100ms, 0);
  EXPECT_RULING(NotApplicable, ask(kResumesFromCheckpoint, r, &control));
}

}  // namespace mishap::client_tests
