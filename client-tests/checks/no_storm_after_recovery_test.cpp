#include "client-tests/checks/crowd_testing.h"

namespace mishap::client_tests {

namespace {

constexpr Duration kOutageTo = 6s;
constexpr Duration kEnds = 14s;

struct Storm {
  int each = 0;             // requests that come beside the usual ones in each second behind
  bool anew = true;         // each is an operation of its own
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
    std::optional<OperationBuilder> late;
    for (int i = 0; i < storm.each; ++i) {
      if (storm.anew || i == 0)
        late = r.create("late-" + std::to_string(second / 1s) + "-" + std::to_string(i));
      auto attempt = late->attempt(second + i * 1ms);
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
  EXPECT_RULING(Pass, settled({.each = 8, .anew = false}));
  const Finding storm = settled({.each = 40, .anew = false});
  EXPECT_RULING(Fail, storm);
  EXPECT_TRUE(mentions(storm, "> 1.5 x 140 on a good day"));
  EXPECT_TRUE(mentions(storm, "for each operation > 1.5 x 1.00"));
}

TEST(NoStormAfterRecovery, ABacklogWorkedOffItemByItemIsNone) {
  const Finding backlog = settled({.each = 40});
  EXPECT_RULING(Pass, backlog);
  EXPECT_TRUE(mentions(backlog, "more came than on a good day, each once and served"));
}

// Looks before it creates, for each booking: half of all answers say that nothing is there.
TEST(NoStormAfterRecovery, ALookThatFindsNothingIsServed) {
  RecordingBuilder usual("healthy");
  well_until(usual, kEnds, 50ms);
  RecordingBuilder r("outage");
  stormy_day(r, {});
  for (RecordingBuilder* day : {&usual, &r}) {
    steadily(0ms, kEnds, 50ms, [&](Duration at, const std::string& reference) {
      if (day == &r && at >= 2s && at < kOutageTo) return;
      day->read("/v1/bookings/" + reference).attempt(at + 20ms).answered(404, at + 21ms);
    });
  }
  EXPECT_RULING(Pass, ask(kNoStormAfterRecovery, r, &usual));
}

TEST(NoStormAfterRecovery, BurstsAreComparedWithBursts) {
  const auto in_bursts = [](RecordingBuilder& r, bool is_ill) {
    for (Duration burst = 0ms; burst < 42s; burst += 4s) {
      steadily(burst, burst + 400ms, 10ms, [&](Duration at, const std::string& reference) {
        is_ill&& burst >= 8s && burst <= 16s ? fails(r, at, reference)
                                             : goes_well(r, at, reference);
      });
    }
    r.process(0ms, 42s, 0);
  };
  RecordingBuilder usual("healthy");
  usual.control();
  in_bursts(usual, false);
  RecordingBuilder r("outage");
  in_bursts(r, true);
  EXPECT_RULING(Pass, ask(kNoStormAfterRecovery, r, &usual));
}

TEST(NoStormAfterRecovery, WhatIsTurnedAwayIsNotSettled) {
  const Finding refused = settled({.each = 2, .status = 503});
  EXPECT_RULING(Fail, refused);
  EXPECT_TRUE(mentions(refused, "of them served < 95 %"));
}

TEST(NoStormAfterRecovery, WantsAFaultThatEndsAndWasLongerThanTheWaits) {
  const auto stormy = [](Storm storm) {
    storm.each = 40;
    storm.anew = false;
    return settled(storm);
  };
  EXPECT_RULING(NotApplicable, stormy({.outage_to = kEnds}));
  EXPECT_RULING(NotApplicable, stormy({.gap = 1900ms}));
  EXPECT_RULING(NotApplicable, stormy({.ends = 7500ms}));
  EXPECT_RULING(NotApplicable, stormy({.outage_to = 2400ms}));
}

TEST(NoStormAfterRecovery, WantsTheUsualRate) {
  EXPECT_RULING(NotApplicable, settled({.each = 12}, 3s));
  RecordingBuilder r("outage");
  stormy_day(r, {.each = 12});
  EXPECT_RULING(NotApplicable, ask(kNoStormAfterRecovery, r));
}

}  // namespace mishap::client_tests
