#include "client-tests/checks/first_run.h"

#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// A create that is lost in the first run, and sent again under its key by the second.
void tell_two_runs(RecordingBuilder& r) {
  r.recording().scenario.runs_after = 1;
  auto create = r.create("r-1").key("k-1");
  create.attempt(0ms).effect_at(1ms).fired("lost").lost_by_reset(4ms);
  r.outcome(20ms, "r-1", OutcomeKind::Pending);
  r.process(0ms, 30ms, 1);
  create.attempt(100ms).replayed().answered(201, 102ms);
  r.outcome(110ms, "r-1", OutcomeKind::Succeeded);
  ProcessFacts& second = r.process(90ms, 120ms, 0);
  second.life = 2;
  second.run = 2;
}

}  // namespace

TEST(FirstRun, IsAllThereIsWhereTheClientRanOnce) {
  RecordingBuilder r("x");
  r.create("r-1").attempt(0ms).effect().answered(201, 1ms);
  r.process(0ms, 10ms, 0);
  EXPECT_FALSE(second_run_began(r.recording()));
  EXPECT_FALSE(first_run(r.recording()));
}

TEST(FirstRun, EndsBeforeTheSecondBegins) {
  RecordingBuilder r("x");
  tell_two_runs(r);
  r.recording().output.emplace_back().stream = "life2.stdout";
  EXPECT_EQ(second_run_began(r.recording()), 90ms);
  const auto first = first_run(r.recording());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->journal.exchanges.size(), 1u);
  EXPECT_EQ(first->journal.connections.size(), 1u);
  EXPECT_EQ(first->journal.effects.size(), 1u);
  EXPECT_EQ(first->outcomes.size(), 1u);
  EXPECT_EQ(first->processes.size(), 1u);
  EXPECT_EQ(first->length, 90ms);
  EXPECT_EQ(first->output.size(), 1u);
}

TEST(FirstRun, AnEffectThatComesLateBelongsToTheRunThatAskedForIt) {
  RecordingBuilder r("x");
  tell_two_runs(r);
  r.recording().journal.effects.front().at = 95ms;
  const auto first = first_run(r.recording());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->journal.effects.size(), 1u);
}

TEST(FirstRun, ChecksAreGivenItAloneAndTheWholeBeside) {
  RecordingBuilder r("x");
  tell_two_runs(r);
  const CaseOf told(r);
  EXPECT_EQ(told.value.history.operations.at(0).attempts.size(), 1u);
  ASSERT_NE(told.value.whole_history, nullptr);
  EXPECT_EQ(told.value.whole_history->operations.at(0).attempts.size(), 2u);
  EXPECT_EQ(of_all_runs(told.value).history.operations.at(0).outcomes.size(), 2u);
}

}  // namespace mishap::client_tests
