#include "client-tests/driver/second_run.h"

#include <gmock/gmock.h>

namespace mishap::client_tests {
namespace {

using testing::ElementsAre;

LifeResult ended(Stop stop, int exit_code) {
  LifeResult life;
  life.client.process.stop = stop;
  life.client.process.exit_code = exit_code;
  return life;
}

OutcomeLine line(const std::string& operation, OutcomeKind kind) {
  OutcomeLine line;
  line.operation = operation;
  line.outcome = kind;
  return line;
}

TEST(WhyNotAgain, AClientThatIsDoneNeedNotBeRunAgain) {
  EXPECT_EQ(why_not_again({ended(Stop::Exited, 0)}), "the first run left nothing undone");
  EXPECT_EQ(why_not_again({ended(Stop::Exited, 1)}), "");
  EXPECT_EQ(why_not_again({ended(Stop::Exited, 0), ended(Stop::Exited, 2)}), "");
  EXPECT_EQ(why_not_again({ended(Stop::Signalled, 0)}), "");
  EXPECT_EQ(why_not_again({ended(Stop::Scripted, 0)}), "");
}

TEST(WhyNotAgain, TheLastWordOfAnOperationCounts) {
  LifeResult life = ended(Stop::Exited, 0);
  life.client.outcomes = {line("a", OutcomeKind::Pending), line("a", OutcomeKind::Succeeded)};
  EXPECT_NE(why_not_again({life}), "");
  life.client.outcomes.push_back(line("b", OutcomeKind::Failed));
  EXPECT_EQ(why_not_again({life}), "");
}

TEST(WhyNotAgain, WhatHadToBeEndedProvesNothing) {
  EXPECT_EQ(why_not_again({ended(Stop::Killed, 1)}), "the first run did not end by itself");
  EXPECT_EQ(why_not_again({ended(Stop::Interrupted, 1)}), "the first run did not end by itself");
  EXPECT_EQ(why_not_again({ended(Stop::NotStarted, 1)}), "the first run did not come about");
}

TEST(WhyNotAgain, AServiceIsAskedByItsDriveAndItsLines) {
  LifeResult life = ended(Stop::Stopped, 143);
  life.client.process.role = ProcessRole::Service;
  EXPECT_NE(why_not_again({life}), "");
  life.drive.emplace().exit_code = 1;
  EXPECT_EQ(why_not_again({life}), "");
}

TEST(NextRun, GoesOnCountingLivesAndMayHaveACommandOfItsOwn) {
  LifeSpec spec;
  spec.client.command = {"client"};
  spec.before = {"reset"};
  LifeResult first = ended(Stop::Exited, 1);
  first.client.process.life = 3;
  const auto same = next_run({spec}, {first}, 2);
  EXPECT_THAT(same[0].client.command, ElementsAre("client"));
  EXPECT_EQ(same[0].client.life, 4);
  EXPECT_EQ(same[0].client.run, 2);
  EXPECT_TRUE(same[0].before.empty());
  spec.again = {"client", "--replay"};
  EXPECT_THAT(next_run({spec}, {first}, 2)[0].client.command, ElementsAre("client", "--replay"));
}

}  // namespace
}  // namespace mishap::client_tests
