#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// One request that a fault met, and so much output.
void printed(RecordingBuilder& r, std::uint64_t lines, std::uint64_t bytes) {
  r.create("r-1").attempt(0ms).fired("busy").failed_with(503, 1ms);
  Captured& captured = r.recording().output.emplace_back();
  captured.stream = "stderr";
  captured.lines = lines;
  captured.bytes = bytes;
}

Finding volume(std::uint64_t lines, std::uint64_t bytes) {
  RecordingBuilder r("x");
  printed(r, lines, bytes);
  return ask(kLogVolumeBounded, r);
}

}  // namespace

TEST(LogVolumeBounded, CountsLinesAndBytesForEachRequest) {
  EXPECT_RULING(Pass, volume(220, 1000));
  EXPECT_RULING(Fail, volume(221, 1000));
  EXPECT_RULING(Pass, volume(1, (64 + 16) * 1024));
  EXPECT_RULING(Fail, volume(1, (64 + 16) * 1024 + 1));
  EXPECT_TRUE(mentions(volume(9000, 10), "copy 0: 9000 lines, 10 bytes for 1 request > 220 lines"));
}

TEST(LogVolumeBounded, TakesItsLimitsFromTheScenario) {
  RecordingBuilder r("x");
  printed(r, 50, 10);
  EXPECT_RULING(Fail, ask(kLogVolumeBounded, r, parameters({{"free_lines", "0"}})));
}

TEST(LogVolumeBounded, OnlyUnderAFaultAndOnlyOfOurChild) {
  RecordingBuilder well("x");
  well.create("r-1").attempt(0ms).answered(201, 1ms);
  EXPECT_RULING(NotApplicable, ask(kLogVolumeBounded, well));
  RecordingBuilder foreign("x");
  printed(foreign, 9000, 10);
  foreign.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kLogVolumeBounded, foreign));
}

TEST(LogVolumeBounded, WhatDrivesAServicePrintsForItself) {
  RecordingBuilder r("x");
  printed(r, 9000, 10);
  r.recording().output.back().stream = "drive.stdout";
  EXPECT_RULING(Pass, ask(kLogVolumeBounded, r));
}

}  // namespace mishap::client_tests
