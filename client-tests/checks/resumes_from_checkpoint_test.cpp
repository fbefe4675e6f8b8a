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
    EXPECT_EQ(finding.ruling, exit_code == 0 ? Ruling::Fail : Ruling::Inconclusive);
  }
}

TEST(ResumesFromCheckpoint, NeedsSomethingThatWasDoneBefore) {
  RecordingBuilder control("healthy");
  good_day(control);
  RecordingBuilder r("x");
  cut_create(r).attempt(450ms).answered(201, 452ms).replayed();
  two_lives(r);
  EXPECT_RULING(NotApplicable, ask(kResumesFromCheckpoint, r, &control));
}

}  // namespace mishap::client_tests
