#include "client-tests/checks/crowd_testing.h"

namespace mishap::client_tests {

namespace {

constexpr Duration kOutageTo = 6s;
constexpr Duration kEnds = 14s;

struct Storm {
  int each = 0;             // requests that come beside the usual ones in each second behind
  StatusCode status = 201;  // of these
  Duration gap = 500ms;     // between the attempts of what failed
  Duration ends = kEnds;    // of the client
  Duration outage_to = kOutageTo;
};

// Twenty calls a second; down from 2 s on.
void stormy_day(RecordingBuilder& r, const Storm& storm) {
  steadily(0ms, storm.ends, 50ms, [&](Duration at, const std::string& reference) {
    if (at < 2s || at >= storm.outage_to) return goes_well(r, at, reference);
    auto call = r.create(reference);
    call.attempt(at).fired("down", "status").failed_with(503, at + 1ms);
    const Duration again = at + 1ms + storm.gap;
    if (again < storm.outage_to) {
      call.attempt(again).fired("down", "status").failed_with(503, again + 1ms);
    }
  });
  for (Duration second = storm.outage_to; second < storm.ends; second += 1s) {
    for (int i = 0; i < storm.each; ++i) {
      auto late = r.create("late-" + std::to_string(second / 1s) + "-" + std::to_string(i));
      auto attempt = late.attempt(second + i * 1ms);
      storm.status < 400
          ? attempt.answered(storm.status, second + i * 1ms + 1ms)
          : attempt.fired("limit", "capacity").failed_with(storm.status, second + i * 1ms + 1ms);
    }
  }
  r.process(0ms, storm.ends, 0);
}

Finding settled(const Storm& storm, Duration usual_until = kEnds) {
  RecordingBuilder usual("healthy");
  well_until(usual, usual_until, 50ms);
  RecordingBuilder r("outage");
  stormy_day(r, storm);
  return ask(kNoStormAfterRecovery, r, &usual);
}

}  // namespace

TEST(NoStormAfterRecovery, ComparesTheLoadBehindTheFaultWithTheGoodDay) {
  const Finding calm = settled({});
  EXPECT_RULING(Pass, calm);
  EXPECT_TRUE(mentions(calm, "100.0 % of them served >= 95 %"));
  EXPECT_RULING(Pass, settled({.each = 8}));
  const Finding storm = settled({.each = 12});
  EXPECT_RULING(Fail, storm);
  EXPECT_TRUE(mentions(storm, "> 1.5 x"));
}

TEST(NoStormAfterRecovery, WhatIsTurnedAwayIsNotSettled) {
  const Finding refused = settled({.each = 2, .status = 503});
  EXPECT_RULING(Fail, refused);
  EXPECT_TRUE(mentions(refused, "of them served < 95 %"));
}

TEST(NoStormAfterRecovery, WantsAFaultThatEndsAndWasLongerThanTheWaits) {
  EXPECT_RULING(NotApplicable, settled({.each = 12, .outage_to = kEnds}));
  EXPECT_RULING(NotApplicable, settled({.each = 12, .gap = 1900ms}));
  EXPECT_RULING(NotApplicable, settled({.each = 12, .ends = 7500ms}));
  EXPECT_RULING(NotApplicable, settled({.each = 12, .outage_to = 2400ms}));
}

TEST(NoStormAfterRecovery, WantsTheUsualRate) {
  EXPECT_RULING(NotApplicable, settled({.each = 12}, 3s));
  RecordingBuilder r("outage");
  stormy_day(r, {.each = 12});
  EXPECT_RULING(NotApplicable, ask(kNoStormAfterRecovery, r));
}

}  // namespace mishap::client_tests
