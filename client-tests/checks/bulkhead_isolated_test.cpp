#include "client-tests/checks/crowd_testing.h"

namespace mishap::client_tests {

namespace {

constexpr Duration kFrom = 2s;
constexpr Duration kTo = 6s;

void reads_well(RecordingBuilder& r, Duration at) {
  r.read("/v1/products")
      .attempt(at)
      .content("p" + std::to_string(at / 1ms))
      .answered(200, at + 2ms);
}

// Ten creates a second and ten reads beside them.
void good_day(RecordingBuilder& r, Duration until = 10s) {
  r.control();
  steadily(0ms, until, 100ms, [&](Duration at, const std::string& reference) {
    goes_well(r, at, reference);
    reads_well(r, at + 50ms);
  });
  r.process(0ms, until, 0);
}

// Reads stall from 2 s to 6 s; meanwhile every so many-th create is made.
void bad_day(RecordingBuilder& r, int every, Duration patience = 1s) {
  int number = 0;
  steadily(0ms, 10s, 100ms, [&](Duration at, const std::string& reference) {
    const bool is_ill = at >= kFrom && at < kTo;
    if (!is_ill || ++number % every == 0) goes_well(r, at, reference);
    if (!is_ill) return reads_well(r, at + 50ms);
    auto read = r.read("/v1/products").attempt(at + 50ms);
    read.content("p" + std::to_string(at / 1ms)).fired("stalls", "stall").stalled();
    read.left(at + 50ms + patience);
  });
  r.process(0ms, 10s, 1);
}

Finding isolated(int every, Duration patience = 1s, Duration usual_until = 10s) {
  RecordingBuilder usual("healthy");
  good_day(usual, usual_until);
  RecordingBuilder r("one-stalls");
  bad_day(r, every, patience);
  return ask(kBulkheadIsolated, r, &usual);
}

}  // namespace

TEST(BulkheadIsolated, ComparesTheOtherRouteWithTheGoodDay) {
  const Finding right = isolated(1);
  EXPECT_RULING(Pass, right);
  EXPECT_TRUE(mentions(right, "stalled >= 80 % of"));
  const Finding starved = isolated(4);
  EXPECT_RULING(Fail, starved);
  EXPECT_TRUE(mentions(starved, "POST /v1/bookings: "));
}

// Each create wants what a read says, so that nothing can be made while the reads stall.
TEST(BulkheadIsolated, WhatNeedsTheAnswerThatDoesNotComeIsNotStarved) {
  RecordingBuilder usual("healthy");
  usual.control();
  RecordingBuilder r("one-stalls");
  for (RecordingBuilder* day : {&usual, &r}) {
    steadily(0ms, 10s, 100ms, [&](Duration at, const std::string& reference) {
      if (day == &usual || at < kFrom || at >= kTo) {
        reads_well(*day, at);
        return goes_well(*day, at + 10ms, reference);
      }
      auto read = r.read("/v1/products").attempt(at);
      read.content("p" + std::to_string(at / 1ms)).fired("stalls", "stall").stalled();
      read.left(at + 1s);
    });
    day->process(0ms, 10s, 0);
  }
  const Finding finding = ask(kBulkheadIsolated, r, &usual);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "may need it")) << statements(finding);
}

// Forty at once every four seconds: while the reads stall it is the time between two bursts.
TEST(BulkheadIsolated, TheTimeBetweenTwoBurstsIsNoStarving) {
  RecordingBuilder usual("healthy");
  usual.control();
  RecordingBuilder r("one-stalls");
  for (RecordingBuilder* day : {&usual, &r}) {
    for (Duration burst = 0ms; burst < 12s; burst += 4s) {
      steadily(burst, burst + 400ms, 10ms,
               [&](Duration at, const std::string& reference) { goes_well(*day, at, reference); });
    }
    steadily(5s, 7s, 100ms, [&](Duration at, const std::string&) {
      if (day == &usual) return reads_well(*day, at);
      auto read = r.read("/v1/products").attempt(at);
      read.content("p" + std::to_string(at / 1ms)).fired("stalls", "stall").stalled();
      read.left(at + 500ms);
    });
    day->process(0ms, 12s, 0);
  }
  EXPECT_RULING(NotApplicable, ask(kBulkheadIsolated, r, &usual));
}

TEST(BulkheadIsolated, OneCallAtATimeHasNoPool) {
  EXPECT_RULING(NotApplicable, isolated(4, 90ms));
}

TEST(BulkheadIsolated, WantsAGoodDayThatIsAsLong) {
  EXPECT_RULING(NotApplicable, isolated(4, 1s, 3s));
  RecordingBuilder r("one-stalls");
  bad_day(r, 4);
  EXPECT_RULING(NotApplicable, ask(kBulkheadIsolated, r));
}

TEST(BulkheadIsolated, WhatIsDoneIsNotStarved) {
  RecordingBuilder usual("healthy");
  usual.control();
  RecordingBuilder r("one-stalls");
  // All creates are made in the first three seconds, on both days.
  for (RecordingBuilder* day : {&usual, &r}) {
    steadily(0ms, 3s, 100ms,
             [&](Duration at, const std::string& reference) { goes_well(*day, at, reference); });
    day->process(0ms, 10s, 0);
  }
  steadily(1s, 5s, 100ms, [&](Duration at, const std::string&) {
    auto read = r.read("/v1/products").attempt(at + 50ms);
    read.content("p" + std::to_string(at / 1ms)).fired("stalls", "stall").stalled();
    read.left(at + 1s);
  });
  EXPECT_RULING(Pass, ask(kBulkheadIsolated, r, &usual));
}

TEST(BulkheadIsolated, ARouteThatIsIllItselfIsNotCompared) {
  RecordingBuilder usual("healthy");
  good_day(usual);
  RecordingBuilder r("both-stall");
  bad_day(r, 4);
  r.create("ill").attempt(3s).fired("down", "status").failed_with(503, 3001ms);
  EXPECT_RULING(NotApplicable, ask(kBulkheadIsolated, r, &usual));
}

}  // namespace mishap::client_tests
