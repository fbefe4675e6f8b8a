#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

Finding ask_two_seconds(const RecordingBuilder& run) {
  return ask(kKeyLifetimeRespected, run, parameters({{"lifetime", "2s"}}));
}

OperationBuilder asked_to_wait(RecordingBuilder& run) {
  auto create = run.create("b").key("k1");
  create.attempt(0ms).effect().failed_with(503, 2ms);
  return create;
}

}  // namespace

TEST(KeyLifetimeRespected, AKeyThatIsTooOldIsAFail) {
  RecordingBuilder r("x");
  auto create = asked_to_wait(r);
  create.attempt(3s).effect().answered(201, 3002ms);
  r.process(0ms, 4s, 0);
  const Finding finding = ask_two_seconds(r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "b: key k1 again after 3.00 s > 2.00 s")) << statements(finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2}));
}

TEST(KeyLifetimeRespected, ALookupOrSilenceIsRight) {
  for (const bool looks : {true, false}) {
    RecordingBuilder r("x");
    auto create = asked_to_wait(r);
    create.attempt(1s).failed_with(503, 1002ms);
    if (looks) r.lookup(3s, {create.number()}, true).answered(200, 3001ms);
    r.process(0ms, 4s, 0);
    EXPECT_RULING(Pass, ask_two_seconds(r));
  }
}

// A request takes a while to be read; the tolerance is that of late things.
TEST(KeyLifetimeRespected, TheLastMomentIsStillInTime) {
  RecordingBuilder just("x");
  auto create = asked_to_wait(just);
  create.attempt(2245ms).answered(201, 2249ms);
  just.process(0ms, 4s, 0);
  EXPECT_RULING(NotApplicable, ask_two_seconds(just)) << "told about when it was too old";

  RecordingBuilder late("x");
  asked_to_wait(late).attempt(2251ms).answered(201, 2252ms);
  late.process(0ms, 4s, 0);
  EXPECT_RULING(Fail, ask_two_seconds(late));
}

TEST(KeyLifetimeRespected, NoOccasionWhereItWasSettledInTimeOrNobodyLived) {
  RecordingBuilder settled("x");
  asked_to_wait(settled).attempt(500ms).answered(201, 502ms);
  settled.process(0ms, 4s, 0);
  EXPECT_RULING(NotApplicable, ask_two_seconds(settled));

  RecordingBuilder ended("x");
  asked_to_wait(ended);
  ended.process(0ms, 1s, 1);
  EXPECT_RULING(NotApplicable, ask_two_seconds(ended));

  RecordingBuilder given_up("x");
  asked_to_wait(given_up);
  given_up.outcome(10ms, "b", OutcomeKind::Pending);
  given_up.process(0ms, 4s, 1);
  EXPECT_RULING(NotApplicable, ask_two_seconds(given_up));

  RecordingBuilder refused("x");
  refused.create("b").key("k1").attempt(0ms).answered(422, 2ms);
  refused.process(0ms, 4s, 1);
  EXPECT_RULING(NotApplicable, ask_two_seconds(refused));
}

TEST(KeyLifetimeRespected, NeedsALifetimeThatIsTold) {
  RecordingBuilder r("x");
  asked_to_wait(r).attempt(3s).answered(201, 3002ms);
  r.process(0ms, 4s, 0);
  EXPECT_RULING(NotApplicable, ask(kKeyLifetimeRespected, r));
}

// Another key is another matter: its time begins with its own first use.
TEST(KeyLifetimeRespected, EachKeyHasATimeOfItsOwn) {
  RecordingBuilder r("x");
  auto create = asked_to_wait(r);
  create.attempt(3s).key("k2").answered(201, 3002ms);
  r.process(0ms, 4s, 0);
  EXPECT_RULING(Pass, ask_two_seconds(r));
}

TEST(KeyLifetimeRespected, AClientThatWasKilledMayHaveSentIt) {
  RecordingBuilder r("x");
  asked_to_wait(r);
  killed(r, 3s);
  EXPECT_RULING(Inconclusive, ask_two_seconds(r));
}

}  // namespace mishap::client_tests
