#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <tuple>

#include "client-tests/launch/launch_test_support.h"

// What a scenario does to its client: real signals, real children, and the lives that follow.
namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LivesTest : public LaunchTest {
 protected:
  using Reported = std::tuple<std::uint64_t, bool, bool>;  // order, sent, gone

  // Sends the order as soon as the client has written a line into the file.
  LifeResult live(LaunchSpec spec, const std::string& file, server::SignalOrder order) {
    SignalPost post([this](std::uint64_t number, std::optional<Duration> at, bool gone) {
      reported_.emplace_back(number, at.has_value(), gone);
    });
    LifeSpec life;
    life.client = std::move(spec);
    const Duration began = clock_.now();
    bool is_sent = false;
    const auto keep_going = [&](const LifeProgress&) {
      if (!is_sent && text_of_file(file).find('\n') != std::string::npos) {
        is_sent = true;
        post.send(order);
      }
      if (clock_.now() - began <= kPatience) return Order::GoOn;
      ADD_FAILURE() << "the client did not end in time";
      return Order::Kill;
    };
    auto results = live_through({life}, watch_, clock_, began, keep_going, &post);
    return std::move(results.at(0));
  }

  static server::SignalOrder order(const std::string& signal,
                                   std::optional<Duration> restart_after = {}) {
    return {7, 0, signal, restart_after};
  }

  std::vector<Reported> reported_;
};

TEST_F(LivesTest, AKilledClientIsGoneWithAllOfItsTreeBeforeThatIsSaid) {
  const std::string file = scratch_.file("ready");
  const auto result =
      live(shell("sleep 600 & echo $! >" + file + "; wait"), file, order("SIGKILL"));
  EXPECT_THAT(reported_, ElementsAre(Reported{7, true, true}));
  EXPECT_EQ(result.client.process.stop, Stop::Scripted);
  EXPECT_EQ(result.client.process.signal, SIGKILL);
  EXPECT_TRUE(result.client.process.told_to_end.has_value());
  EXPECT_TRUE(is_gone(pids_in(text_of_file(file)).at(0)));
  EXPECT_THAT(result.earlier, IsEmpty());
}

TEST_F(LivesTest, ARestartHasTheSameStateAndAnOutcomeFileOfItsOwn) {
  const std::string file = scratch_.file("ready");
  LaunchSpec spec = shell("if [ -e " + file + R"( ]; then
        echo '{"operation":"b","outcome":"succeeded"}' >>"$MISHAP_OUTCOMES"; echo second; exit 3
      fi
      echo '{"operation":"a","outcome":"succeeded"}' >>"$MISHAP_OUTCOMES"
      echo first
      echo up >)" + file + "; exec sleep 600");
  spec.outcomes_file = scratch_.file("outcomes.jsonl");
  spec.environment.push_back({"MISHAP_OUTCOMES", spec.outcomes_file});
  const auto result = live(spec, file, order("SIGKILL", 50ms));
  ASSERT_EQ(result.earlier.size(), 1U);
  const LaunchResult& first = result.earlier[0];
  EXPECT_EQ(first.process.stop, Stop::Scripted);
  EXPECT_EQ(first.process.life, 1);
  ASSERT_EQ(first.outcomes.size(), 1U);
  EXPECT_EQ(first.outcomes[0].operation, "a");
  EXPECT_EQ(result.client.process.stop, Stop::Exited);
  EXPECT_EQ(result.client.process.exit_code, 3);
  EXPECT_EQ(result.client.process.life, 2);
  EXPECT_GE(result.client.process.started - first.process.ended, 50ms);
  ASSERT_EQ(result.client.outcomes.size(), 1U);
  EXPECT_EQ(result.client.outcomes[0].operation, "b");
  EXPECT_EQ(first.output.at(0).stream, "stdout");
  EXPECT_THAT(first.output.at(0).head, HasSubstr("first"));
  EXPECT_EQ(result.client.output.at(0).stream, "life2.stdout");
  EXPECT_THAT(result.client.output.at(0).head, HasSubstr("second"));
}

// A path that stands in the middle of a word names the file of the life that it is started for.
TEST_F(LivesTest, ARestartIsToldItsOwnFileWhereverItStands) {
  const std::string file = scratch_.file("ready");
  const std::string outcomes = scratch_.file("outcomes.jsonl");
  LaunchSpec spec =
      shell("if [ -e " + file + R"( ]; then echo '{"operation":"b","outcome":"failed"}' >>)" +
            outcomes + "; exit 0; fi; echo up >" + file + "; exec sleep 600");
  spec.outcomes_file = outcomes;
  const auto result = live(spec, file, order("SIGKILL", 1ms));
  ASSERT_EQ(result.client.outcomes.size(), 1U);
  EXPECT_EQ(result.client.outcomes[0].operation, "b");
}

TEST_F(LivesTest, ASlowServiceIsNotAtRestBeforeItIsBack) {
  const std::string file = scratch_.file("ready");
  LifeSpec life;
  life.client = shell("echo up >>" + file + "; if [ $(wc -l <" + file +
                      ") = 2 ]; then sleep 0.4; fi; echo listening; exec sleep 600");
  life.client.role = ProcessRole::Service;
  life.client.ready_line = *scenarios::LinePattern::compile("listening");
  life.service.emplace();
  life.service->ready = scenarios::Ready{scenarios::Ready::Kind::Log, "listening", {}};
  SignalPost post([](std::uint64_t, std::optional<Duration>, bool) {});
  const Duration began = clock_.now();
  bool is_sent = false;
  Duration rested_again{};
  const auto results = live_through(
      {life}, watch_, clock_, began,
      [&](const LifeProgress& progress) {
        if (!is_sent && progress.resting) {
          is_sent = true;
          post.send({3, 0, "SIGKILL", 200ms});
          return Order::GoOn;
        }
        const bool is_second = is_sent && text_of_file(file) == "up\nup\n";
        if (is_second && progress.resting && rested_again == Duration{}) {
          rested_again = clock_.now() - began;
        }
        if (clock_.now() - began > kPatience) return Order::Kill;
        return rested_again != Duration{} ? Order::Stop : Order::GoOn;
      },
      &post);
  ASSERT_EQ(results.at(0).earlier.size(), 1U);
  EXPECT_EQ(results[0].client.process.life, 2);
  EXPECT_GE(rested_again - results[0].client.process.started, 350ms);
}

TEST_F(LivesTest, ASignalThatCanBeCaughtLeavesTheEndToTheClient) {
  const std::string file = scratch_.file("ready");
  const auto result = live(
      shell("trap 'echo told; exit 4' TERM; echo up >" + file + "; while :; do sleep 0.01; done"),
      file, order("SIGTERM"));
  EXPECT_THAT(reported_, ElementsAre(Reported{7, true, false}));
  EXPECT_EQ(result.client.process.stop, Stop::Scripted);
  EXPECT_EQ(result.client.process.exit_code, 4);
  EXPECT_THAT(result.client.output.at(0).head, HasSubstr("told"));
}

TEST_F(LivesTest, WhatDrivesAServiceGoesOnOverItsRestart) {
  const std::string file = scratch_.file("ready");
  LifeSpec life;
  life.client = shell("echo up >>" + file + "; exec sleep 600");
  life.client.role = ProcessRole::Service;
  life.service.emplace();
  life.service->drive.emplace().command = {
      "/bin/sh", "-c", "until [ $(wc -l <" + file + ") = 2 ]; do sleep 0.01; done"};
  SignalPost post([this](std::uint64_t number, std::optional<Duration> at, bool gone) {
    reported_.emplace_back(number, at.has_value(), gone);
  });
  const Duration began = clock_.now();
  bool is_sent = false;
  const auto results = live_through(
      {life}, watch_, clock_, began,
      [&](const LifeProgress& progress) {
        if (!is_sent && text_of_file(file).find('\n') != std::string::npos) {
          is_sent = true;
          post.send({3, 0, "SIGKILL", 20ms});
        }
        if (clock_.now() - began > kPatience) return Order::Kill;
        return progress.resting ? Order::Stop : Order::GoOn;
      },
      &post);
  EXPECT_THAT(reported_, ElementsAre(Reported{3, true, true}));
  ASSERT_TRUE(results.at(0).drive);
  EXPECT_TRUE(succeeded(*results[0].drive)) << how_it_ended(*results[0].drive);
  ASSERT_EQ(results[0].earlier.size(), 1U);
  EXPECT_EQ(results[0].earlier[0].process.stop, Stop::Scripted);
  EXPECT_EQ(results[0].client.process.stop, Stop::Stopped);
  EXPECT_EQ(results[0].client.process.life, 2);
}

TEST_F(LivesTest, AClientThatEndedBeforeIsNotSignalled) {
  LaunchSpec spec = shell("exit 0");
  SignalPost post([this](std::uint64_t number, std::optional<Duration> at, bool gone) {
    reported_.emplace_back(number, at.has_value(), gone);
  });
  LifeSpec life;
  life.client = spec;
  life.after = {"/bin/sh", "-c", "echo after"};
  bool is_sent = false;
  const auto results = live_through(
      {life}, watch_, clock_, clock_.now(),
      [&](const LifeProgress& progress) {
        // While `after` runs the client is gone; where that is too short, for a copy never started.
        if (progress.acting && !is_sent) {
          is_sent = true;
          post.send({9, 5, "SIGKILL", {}});
        }
        return Order::GoOn;
      },
      &post);
  EXPECT_THAT(reported_, ElementsAre(Reported{9, false, true}));
  EXPECT_EQ(results.at(0).client.process.stop, Stop::Exited);
}

TEST_F(LivesTest, ARuleThatKillsEveryLifeComesToAnEnd) {
  const std::string file = scratch_.file("ready");
  SignalPost post([](std::uint64_t, std::optional<Duration>, bool) {});
  LifeSpec life;
  life.client = shell("echo up >>" + file + "; exec sleep 600");
  const Duration began = clock_.now();
  long killed = 0;
  const auto results = live_through(
      {life}, watch_, clock_, began,
      [&](const LifeProgress&) {
        const std::string lines = text_of_file(file);
        const long lives = std::ranges::count(lines, '\n');
        if (lives > killed) {
          killed = lives;
          post.send({static_cast<std::uint64_t>(lives), 0, "SIGKILL", 1ms});
        }
        return clock_.now() - began > kPatience ? Order::Kill : Order::GoOn;
      },
      &post);
  EXPECT_LT(clock_.now() - began, kPatience);
  EXPECT_EQ(killed, 10);
  EXPECT_EQ(results.at(0).earlier.size(), 9U);
  EXPECT_THAT(results.at(0).client.notes,
              ElementsAre(HasSubstr("killed by the scenario 10 times")));
}

TEST_F(LivesTest, AnInterruptWantsNoFurtherLife) {
  const std::string file = scratch_.file("ready");
  SignalPost post([](std::uint64_t, std::optional<Duration>, bool) {});
  LifeSpec life;
  life.client = shell("echo up >>" + file + "; exec sleep 600");
  const Duration began = clock_.now();
  bool is_sent = false;
  bool is_dead = false;
  const auto results = live_through(
      {life}, watch_, clock_, began,
      [&](const LifeProgress&) {
        if (!is_sent && text_of_file(file).find('\n') != std::string::npos) {
          is_sent = true;
          post.send({1, 0, "SIGKILL", 600s});
        }
        is_dead = is_sent && own_children() == 0;
        return is_dead || clock_.now() - began > kPatience ? Order::Interrupt : Order::GoOn;
      },
      &post);
  EXPECT_TRUE(is_dead);
  EXPECT_LT(clock_.now() - began, kPatience);
  EXPECT_EQ(results.at(0).client.process.stop, Stop::Scripted);
  EXPECT_EQ(results.at(0).client.process.life, 1);
  EXPECT_THAT(results.at(0).earlier, IsEmpty());
}

}  // namespace
}  // namespace mishap::client_tests
