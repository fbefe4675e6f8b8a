#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(ExitCodeTruthful, HoldsTheCodeAgainstWhatHappened) {
  struct Row {
    std::string what;
    bool done;
    std::optional<OutcomeKind> said;
    int code;
    Ruling ruling;
  };
  const std::vector<Row> rows = {
      {"done, 0", true, {}, 0, Ruling::Pass},
      {"not done, 0", false, {}, 0, Ruling::Fail},
      {"done, 1", true, {}, 1, Ruling::Fail},
      {"not done, 1", false, {}, 1, Ruling::Pass},
      {"pending, 0", true, OutcomeKind::Pending, 0, Ruling::Fail},
      {"pending, 1", true, OutcomeKind::Pending, 1, Ruling::Pass},
      {"said failed, 0", false, OutcomeKind::Failed, 0, Ruling::Fail},
  };
  for (const Row& row : rows) {
    RecordingBuilder r("x");
    auto attempt = r.create("a").attempt(0ms);
    row.done ? attempt.effect().answered(201, 2ms) : attempt.failed_with(503, 2ms);
    if (row.said) r.outcome(5ms, "a", *row.said);
    r.process(0ms, 10ms, row.code);
    const Finding finding = ask(kExitCodeTruthful, r);
    EXPECT_EQ(finding.ruling, row.ruling) << row.what << "\n" << statements(finding);
  }
}

TEST(ExitCodeTruthful, SaysWhatSpeaksAgainstZero) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).failed_with(503, 2ms);
  r.process(0ms, 10ms, 0);
  const Finding finding = ask(kExitCodeTruthful, r);
  EXPECT_TRUE(mentions(finding, "exit code 0, but a: no effect after 503"));
  EXPECT_EQ(finding.witnesses.at(0).exchanges, std::vector<std::uint64_t>{1});
}

TEST(ExitCodeTruthful, PendingMayBeMappedToAnyCode) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  r.outcome(5ms, "a", OutcomeKind::Pending);
  r.process(0ms, 10ms, 0);
  EXPECT_RULING(Fail, ask(kExitCodeTruthful, r));
  EXPECT_RULING(Pass, ask(kExitCodeTruthful, r, parameters({{"pending", "any"}})));
}

TEST(ExitCodeTruthful, AReadThatTheClientCanDoWithoutIsAWarning) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.read().attempt(5ms).failed_with(503, 6ms);
  r.process(0ms, 10ms, 0);
  const Finding finding = ask(kExitCodeTruthful, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_EQ(finding.warnings.size(), 1u);
}

TEST(ExitCodeTruthful, ZeroFailsWhereAllWasInVain) {
  RecordingBuilder r("x");
  r.read().attempt(5ms).failed_with(503, 6ms);
  r.process(0ms, 10ms, 0);
  EXPECT_RULING(Fail, ask(kExitCodeTruthful, r));
}

TEST(ExitCodeTruthful, ACallHiddenByEqualContentMayHaveFailed) {
  RecordingBuilder control("control");
  control.read().attempt(0ms).answered(200, 1ms);
  control.read().attempt(10ms).answered(200, 11ms);
  control.process(0ms, 20ms, 0);
  RecordingBuilder r("x");
  auto op = r.read();
  op.attempt(0ms).failed_with(400, 1ms);
  op.attempt(10ms).answered(200, 11ms);
  r.process(0ms, 20ms, 1);
  EXPECT_RULING(Pass, ask(kExitCodeTruthful, r, &control));
}

// All that was seen went well, and it ends with 1.
void end_with_one(RecordingBuilder& r) {
  r.create("a").attempt(0ms).effect().answered(201, 2ms);
  r.process(0ms, 10ms, 1);
}

TEST(ExitCodeTruthful, ACallThatWasRefusedMayHaveFailed) {
  RecordingBuilder r("x");
  end_with_one(r);
  EXPECT_RULING(Fail, ask(kExitCodeTruthful, r));
  server::ListenerSpell& spell = r.recording().journal.spells.emplace_back();
  EXPECT_RULING(Pass, ask(kExitCodeTruthful, r));
  spell.lane = 1;
  EXPECT_RULING(Fail, ask(kExitCodeTruthful, r)) << "another copy was refused";
}

TEST(ExitCodeTruthful, ACallThatWasResetAtAcceptMayHaveFailed) {
  RecordingBuilder r("x");
  end_with_one(r);
  server::Connection& connection = r.recording().journal.connections.emplace_back();
  EXPECT_RULING(Fail, ask(kExitCodeTruthful, r)) << "a client may open one and not use it";
  connection.rules.emplace_back();
  EXPECT_RULING(Pass, ask(kExitCodeTruthful, r));
}

TEST(ExitCodeTruthful, WhatWasNeverBegunIsNotDone) {
  for (const int made : {2, 1}) {
    RecordingBuilder usual("healthy");
    usual.control();
    RecordingBuilder r("x");
    for (int i = 0; i < 2; ++i) {
      usual.create("a" + std::to_string(i)).attempt(i * 1ms).effect().answered(201, 2ms);
    }
    for (int i = 0; i < made; ++i) {
      r.create("a" + std::to_string(i)).attempt(i * 1ms).effect().answered(201, 2ms);
    }
    usual.process(0ms, 10ms, 0);
    r.process(0ms, 10ms, 1);
    EXPECT_EQ(ask(kExitCodeTruthful, r, &usual).ruling, made == 2 ? Ruling::Fail : Ruling::Pass);
  }
}

TEST(ExitCodeTruthful, LeavesKilledClientsAlone) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).failed_with(503, 2ms);
  killed(r, 2s);
  EXPECT_RULING(NotApplicable, ask(kExitCodeTruthful, r));
}

TEST(ExitCodeTruthful, IsNotObservedWhereTheClientIsNotOurs) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).failed_with(503, 2ms);
  r.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kExitCodeTruthful, r));
}

// A retry whose body carries a new time stamp is an operation of its own to whoever goes by
// content.
TEST(ExitCodeTruthful, ZeroIsTrueWhereAsMuchWasDoneAsInTheControl) {
  RecordingBuilder control("control");
  control.create().attempt(0ms).content("at 0").effect().answered(201, 1ms);
  control.process(0ms, 10ms, 0);
  RecordingBuilder r("x");
  r.create().attempt(0ms).content("at 1").fired("busy").failed_with(429, 1ms);
  r.process(0ms, 3s, 0);
  EXPECT_RULING(Fail, ask(kExitCodeTruthful, r, &control));
  r.create().attempt(2s).content("at 2").effect().answered(201, 2001ms);
  EXPECT_RULING(Pass, ask(kExitCodeTruthful, r, &control));
}

TEST(ExitCodeTruthful, AnExitCodeThatWasHandedInIsJudged) {
  RecordingBuilder r("x");
  r.create("a").attempt(0ms).failed_with(503, 2ms);
  r.process(0ms, 10ms, 0);
  r.recording().child = false;
  EXPECT_RULING(Fail, ask(kExitCodeTruthful, r));
}

TEST(ExitCodeTruthful, WhatAnUpstreamDidNotSayIsNotGuessed) {
  RecordingBuilder r("x");
  r.create("a").key("k").attempt(0ms).answered(503, 1ms).raw().upstream.in_doubt = true;
  r.process(0ms, 200ms, 0);
  EXPECT_RULING(Inconclusive, ask(kExitCodeTruthful, r));
}

}  // namespace mishap::client_tests
