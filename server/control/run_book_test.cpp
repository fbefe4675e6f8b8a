#include "server/control/run_book.h"

#include <gmock/gmock.h>

#include "server/control/fake_runs_testing.h"

namespace mishap::server::control {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct RunBookTest : testing::Test {
  std::string begin(RunBook& book) { return book.begin(RunRequest{}).value().id; }

  FakeMaker maker;
  StandingClock clock;
  RunLimits limits{.at_once = 3, .kept = 2, .idle = 30min};
};

TEST_F(RunBookTest, HoldsNoMoreLiveRunsThanItMay) {
  RunBook book(maker, clock, limits);
  const auto first = begin(book);
  begin(book);
  begin(book);
  const auto over = book.begin(RunRequest{});
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().status, 503);
  EXPECT_EQ(maker.seen.begun, 3);
  ASSERT_TRUE(book.end(first, {}, ""));
  EXPECT_TRUE(book.begin(RunRequest{}));
}

TEST_F(RunBookTest, ARunThatCouldNotBeBegunTakesNoRoom) {
  RunBook book(maker, clock, limits);
  RunRequest bad;
  bad.scenario = "bad";
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(book.begin(bad));
  EXPECT_TRUE(book.begin(RunRequest{}));
}

TEST_F(RunBookTest, EndingTwiceGivesTheSameAndJudgesOnce) {
  RunBook book(maker, clock, limits);
  const auto id = begin(book);
  EXPECT_EQ(book.end(id, {}, "")->verdict, "fail");
  EXPECT_EQ(book.end(id, {}, "")->verdict, "fail");
  EXPECT_EQ(maker.seen.ended, 1);
  EXPECT_EQ(book.take_outcomes(id, "x", 0).error().status, 409);
  EXPECT_EQ(book.look(id)->state, RunState::Ended);
  EXPECT_EQ(book.look(id)->verdict, "fail");
}

TEST_F(RunBookTest, KeepsTheEndedRunsThatWereUsedLast) {
  RunBook book(maker, clock, limits);
  const auto end_one = [&] {
    clock.move(1s);
    const auto id = begin(book);
    EXPECT_TRUE(book.end(id, {}, ""));
    return id;
  };
  const auto control = end_one();
  const auto second = end_one();
  clock.move(1s);
  EXPECT_TRUE(book.look(control));
  const auto third = end_one();
  EXPECT_TRUE(book.look(control));
  EXPECT_FALSE(book.look(second));
  EXPECT_TRUE(book.look(third));
  EXPECT_EQ(maker.seen.live, 2);
}

TEST_F(RunBookTest, ARunThatNobodyUsesExpiresAndSaysSo) {
  RunBook book(maker, clock, limits);
  const auto id = begin(book);
  clock.move(29min);
  book.expire();
  EXPECT_EQ(book.look(id)->state, RunState::Running);
  clock.move(29min);
  book.expire();
  EXPECT_EQ(book.look(id)->state, RunState::Running) << "it was looked at";
  maker.seen.last_activity = (clock.now() + 20min).count();
  clock.move(40min);
  book.expire();
  EXPECT_EQ(book.look(id)->state, RunState::Running) << "a request came";
  clock.move(31min);
  book.expire();
  EXPECT_EQ(book.look(id)->state, RunState::Expired);
  EXPECT_EQ(maker.seen.abandoned, 1);
  const auto ended = book.end(id, {}, "");
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().status, 410);
  EXPECT_THAT(ended.error().detail, HasSubstr("idle for 30m"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(book.begin(RunRequest{})) << "its room is free";
}

TEST_F(RunBookTest, AControlIsAnEndedRun) {
  RunBook book(maker, clock, limits);
  const auto healthy = begin(book);
  const auto run = begin(book);
  EXPECT_EQ(book.end(run, {}, healthy).error().status, 422);
  EXPECT_EQ(book.end(run, {}, run).error().status, 422);
  EXPECT_EQ(book.end(run, {}, "nonsense").error().status, 422);
  ASSERT_TRUE(book.end(healthy, {}, ""));
  EXPECT_EQ(maker.seen.last_control, nullptr);
  ASSERT_TRUE(book.end(run, {}, healthy));
  EXPECT_NE(maker.seen.last_control, nullptr);
}

TEST_F(RunBookTest, ForgettingClosesWithoutJudging) {
  RunBook book(maker, clock, limits);
  const auto id = begin(book);
  EXPECT_TRUE(book.forget(id));
  EXPECT_EQ(maker.seen.abandoned, 1);
  EXPECT_EQ(maker.seen.ended, 0);
  EXPECT_EQ(maker.seen.live, 0);
  EXPECT_EQ(book.look(id).error().status, 404);
}

}  // namespace
}  // namespace mishap::server::control
