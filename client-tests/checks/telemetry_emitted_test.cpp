#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// So many operations, of which the first are given up after two attempts.
void work(RecordingBuilder& r, int operations, int given_up) {
  r.recording().claims.telemetry = true;
  for (int i = 0; i < operations; ++i) {
    auto create = r.create("r-" + std::to_string(i));
    if (i < given_up) {
      create.attempt(i * 1s).fired("ill").failed_with(503, i * 1s + 1ms);
      create.attempt(i * 1s + 100ms).fired("ill").failed_with(503, i * 1s + 101ms);
    } else {
      create.attempt(i * 1s).effect().answered(201, i * 1s + 1ms);
    }
  }
  r.process(0ms, operations * 1s, given_up > 0 ? 1 : 0);
}

Telemetry& tell(RecordingBuilder& r, std::map<std::string, std::int64_t> counters) {
  Telemetry& told = r.recording().telemetry.emplace_back();
  told.counters = std::move(counters);
  return told;
}

}  // namespace

TEST(TelemetryEmitted, FailsCountersThatAreNotWhatWasSeen) {
  RecordingBuilder r("x");
  work(r, 3, 1);
  tell(r, {{"attempts", 4}, {"retries", 0}, {"exhausted", 1}});
  const Finding finding = ask(kTelemetryEmitted, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "copy 0: retries 0 != 1 seen")) << statements(finding);
}

TEST(TelemetryEmitted, PassesThoseThatAre) {
  RecordingBuilder r("x");
  work(r, 3, 1);
  tell(r, {{"attempts", 4}, {"retries", 1}, {"exhausted", 1}, {"alerts", 0}, {"cache_hits", 9}});
  EXPECT_RULING(Pass, ask(kTelemetryEmitted, r));
}

TEST(TelemetryEmitted, AnAlertBelongsToAnOutageAndNotToOneFailure) {
  RecordingBuilder single("x");
  work(single, 12, 1);
  tell(single, {{"alerts", 1}});
  const Finding loud = ask(kTelemetryEmitted, single);
  EXPECT_RULING(Fail, loud);
  EXPECT_TRUE(mentions(loud, "1 of 12 operations met a failure, alerts 1 > 0")) << statements(loud);

  RecordingBuilder outage("x");
  work(outage, 12, 12);
  tell(outage, {{"alerts", 0}});
  const Finding silent = ask(kTelemetryEmitted, outage);
  EXPECT_RULING(Fail, silent);
  EXPECT_TRUE(mentions(silent, "12 of 12 operations given up, alerts 0 = 0")) << statements(silent);
  outage.recording().telemetry.front().counters["alerts"] = 2;
  EXPECT_RULING(Pass, ask(kTelemetryEmitted, outage));
}

// The rate of retries is what tells of an outage that the retries still hide.
TEST(TelemetryEmitted, ManyRetriesMayBeWorthAnAlert) {
  RecordingBuilder r("x");
  r.recording().claims.telemetry = true;
  for (int i = 0; i < 20; ++i) {
    auto create = r.create("r-" + std::to_string(i));
    create.attempt(i * 1s).fired("ill").failed_with(503, i * 1s + 1ms);
    create.attempt(i * 1s + 100ms).fired("ill").failed_with(503, i * 1s + 101ms);
    create.attempt(i * 1s + 300ms).effect().answered(201, i * 1s + 301ms);
  }
  r.process(0ms, 20s, 0);
  tell(r, {{"alerts", 1}});
  EXPECT_RULING(NotApplicable, ask(kTelemetryEmitted, r));
}

TEST(TelemetryEmitted, WhatIsBetweenIsAMatterOfTaste) {
  RecordingBuilder r("x");
  work(r, 12, 3);
  tell(r, {{"alerts", 1}});
  EXPECT_RULING(NotApplicable, ask(kTelemetryEmitted, r));
}

TEST(TelemetryEmitted, FailsAFileThatIsNotThere) {
  RecordingBuilder r("x");
  work(r, 3, 1);
  tell(r, {}).trouble = "there is no telemetry.json";
  EXPECT_RULING(Fail, ask(kTelemetryEmitted, r));
}

TEST(TelemetryEmitted, JudgesOnlyWhatWasClaimed) {
  RecordingBuilder r("x");
  work(r, 3, 1);
  r.recording().claims.telemetry = false;
  EXPECT_RULING(NotApplicable, ask(kTelemetryEmitted, r));
  r.recording().claims.telemetry = true;
  r.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kTelemetryEmitted, r));
}

TEST(TelemetryEmitted, ConnectsThatCameToNothingCannotBeCompared) {
  RecordingBuilder r("x");
  work(r, 3, 1);
  r.refused(0ms, 50ms, {10ms});
  tell(r, {{"attempts", 9}});
  EXPECT_RULING(Inconclusive, ask(kTelemetryEmitted, r));
}

TEST(TelemetryEmitted, ALifeTakesItsCountersAlong) {
  RecordingBuilder r("x");
  work(r, 3, 1);
  r.process(4s, 5s, 0).life = 2;
  tell(r, {{"attempts", 9}});
  EXPECT_RULING(NotApplicable, ask(kTelemetryEmitted, r));
}

}  // namespace mishap::client_tests
