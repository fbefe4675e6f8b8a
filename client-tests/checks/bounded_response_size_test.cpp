#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

// A read whose answer would be 256 MiB, of which so much was taken.
void took(RecordingBuilder& r, std::uint64_t taken, std::uint64_t peak = 0) {
  auto attempt = r.read().attempt(0ms).fired("huge").cut(200, 5ms, 6ms);
  attempt.raw().receipt.bytes_planned = 256 * kMiB;
  attempt.raw().receipt.bytes_written = taken;
  ProcessFacts& process = r.process(0ms, 1s, 0);
  process.samples = 5;
  process.peak_rss = peak;
}

}  // namespace

TEST(BoundedResponseSize, CountsWhatWasTaken) {
  RecordingBuilder all("huge");
  took(all, 256 * kMiB);
  EXPECT_RULING(Fail, ask(kBoundedResponseSize, all));
  EXPECT_TRUE(mentions(ask(kBoundedResponseSize, all), "#1: took 256 MiB of 256 MiB > 72 MiB"));
  RecordingBuilder some("huge");
  took(some, 72 * kMiB);
  EXPECT_RULING(Pass, ask(kBoundedResponseSize, some));
  EXPECT_RULING(Fail, ask(kBoundedResponseSize, some, parameters({{"limit", "1MiB"}})));
}

TEST(BoundedResponseSize, WhatATimeoutEndsShowsNoBound) {
  for (const Duration left : {700ms, 900ms}) {
    RecordingBuilder r("huge");
    r.promise().attempt_timeout = 1s;
    took(r, 40 * kMiB);
    r.recording().journal.exchanges.back().receipt.departed = left;
    EXPECT_EQ(ask(kBoundedResponseSize, r).ruling,
              left == 700ms ? Ruling::Pass : Ruling::Inconclusive);
  }
}

TEST(BoundedResponseSize, ComparesMemoryWithTheHealthyRun) {
  RecordingBuilder control("control");
  control.control();
  control.process(0ms, 1s, 0).samples = 5;
  control.recording().processes.back().peak_rss = 20 * kMiB;
  const Node streams = parameters({{"streams", "true"}});
  RecordingBuilder grows("huge");
  took(grows, 256 * kMiB, 149 * kMiB);
  EXPECT_RULING(Fail, ask(kBoundedResponseSize, grows, &control, nullptr, streams));
  RecordingBuilder streamed("huge");
  took(streamed, 256 * kMiB, 30 * kMiB);
  EXPECT_RULING(NotApplicable, ask(kBoundedResponseSize, streamed, &control, nullptr, streams));
}

TEST(BoundedResponseSize, OrdinaryAnswersAreNoOccasion) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).answered(200, 1ms);
  EXPECT_RULING(NotApplicable, ask(kBoundedResponseSize, r));
}

}  // namespace mishap::client_tests
