#include "client-tests/launch/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "client-tests/launch/launch_test_support.h"
#include "client-tests/launch/output_capture.h"

namespace mishap::client_tests {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

using Launcher = LaunchTest;

const Captured& stream(const LaunchResult& result, const std::string& name) {
  for (const auto& captured : result.output) {
    if (captured.stream == name) return captured;
  }
  throw std::out_of_range(name);
}

TEST_F(Launcher, TellsTheExitCode) {
  for (const int code : {0, 1, 3, 127, 255}) {
    const auto result = run(shell("exit " + std::to_string(code)));
    EXPECT_EQ(result.process.stop, Stop::Exited);
    EXPECT_EQ(result.process.exit_code, code);
    EXPECT_EQ(result.process.signal, 0);
    EXPECT_EQ(result.process.left_behind, 0U);
    EXPECT_GE(result.process.ended, result.process.started);
    EXPECT_TRUE(result.notes.empty());
  }
}

TEST_F(Launcher, TellsTheSignalThatEndedIt) {
  const auto result = run(shell("kill -SEGV $$"));
  EXPECT_EQ(result.process.stop, Stop::Signalled);
  EXPECT_EQ(result.process.signal, SIGSEGV);
}

TEST_F(Launcher, GivesACleanStart) {
  ::setenv("LAUNCH_TEST_KEPT", "kept", 1);
  ::setenv("LAUNCH_TEST_CHANGED", "old", 1);
  ::setenv("LAUNCH_TEST_PROXY", "http://elsewhere", 1);
  auto spec = shell(
      "echo \"$LAUNCH_TEST_KEPT $LAUNCH_TEST_CHANGED ${LAUNCH_TEST_PROXY-none} $MINE\"; pwd; cat; "
      "ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status >&2");
  spec.environment = {{"LAUNCH_TEST_CHANGED", "new"}, {"MINE", "a=b"}};
  spec.unset = {"LAUNCH_TEST_PROXY"};
  spec.working_folder = scratch_.path();
  const auto old_pipe = ::signal(SIGPIPE, SIG_IGN);
  const auto result = run(spec);
  ::signal(SIGPIPE, old_pipe);
  // ls itself opens a fourth descriptor.
  EXPECT_EQ(stream(result, "stdout").head, "kept new none a=b\n" + scratch_.path() + "\n4\n");
  // The C library keeps signals 32 and 33 to itself.
  EXPECT_THAT(stream(result, "stderr").head,
              MatchesRegex("SigBlk:\t0000000000000000\nSigIgn:\t0000000[01][08]0000000\n"));
}

TEST_F(Launcher, LeadsItsOwnProcessGroup) {
  const auto result = run(shell("cut -d' ' -f1,5 /proc/$$/stat"));
  const auto numbers = pids_in(stream(result, "stdout").head);
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_EQ(numbers[0], numbers[1]);
}

struct MissingCase {
  std::vector<std::string> command;
  ErrorCode code;
  std::string message;
};

TEST_F(Launcher, SaysWhyAClientCannotBeStarted) {
  std::ofstream(scratch_.file("plain.txt")) << "text\n";
  std::ofstream(scratch_.file("script")) << "#!/no/interpreter\n";
  std::filesystem::permissions(scratch_.file("script"), std::filesystem::perms::owner_all);
  const MissingCase cases[] = {
      {{}, ErrorCode::NotFound, "no client: the command is empty"},
      {{"/no/such"}, ErrorCode::NotFound, "no such client: /no/such"},
      {{"no-such-client-anywhere"}, ErrorCode::NotFound, "no such client: no-such-client-anywhere"},
      {{scratch_.path()}, ErrorCode::BadInput, "the client is a folder: " + scratch_.path()},
      {{scratch_.file("plain.txt")},
       ErrorCode::BadInput,
       "the client may not be executed: " + scratch_.file("plain.txt")},
      {{scratch_.file("script")},
       ErrorCode::NotFound,
       "the client cannot be executed: the interpreter of " + scratch_.file("script") +
           " is missing"},
  };
  for (const auto& missing : cases) {
    LaunchSpec spec;
    spec.command = missing.command;
    const auto result = run(spec);
    EXPECT_EQ(result.process.stop, Stop::NotStarted);
    ASSERT_TRUE(result.not_started) << missing.message;
    EXPECT_EQ(result.not_started->message, missing.message);
    EXPECT_EQ(result.not_started->code, missing.code);
    EXPECT_EQ(result.output.size(), 2U);
  }
}

TEST_F(Launcher, FindsAProgramByTheClientsOwnPath) {
  std::ofstream(scratch_.file("my-client")) << "echo found $1\n";
  std::filesystem::permissions(scratch_.file("my-client"), std::filesystem::perms::owner_all);
  LaunchSpec spec;
  spec.command = {"my-client", "it"};
  EXPECT_FALSE(find_client(spec));
  spec.environment = {{"PATH", scratch_.path() + ":/usr/bin:/bin"}};
  EXPECT_EQ(find_client(spec).value(), scratch_.file("my-client"));
  // It has no #! line: run by the shell, as a shell would.
  EXPECT_EQ(stream(run(spec), "stdout").head, "found it\n");
}

TEST_F(Launcher, InterruptsTheOthersWhenOneCannotBeStarted) {
  auto good = shell("echo ready; exec sleep 1000");
  LaunchSpec bad;
  bad.copy = 1;
  bad.command = {"/no/such"};
  const auto results =
      run_clients({good, bad}, watch_, clock_, Duration(0), [] { return Order::GoOn; });
  EXPECT_EQ(results.at(0).process.stop, Stop::Interrupted);
  EXPECT_EQ(results.at(1).process.stop, Stop::NotStarted);
}

TEST_F(Launcher, KillsOnOrder) {
  const std::string ready = scratch_.file("ready");
  const auto result =
      run(shell("echo $$ > " + ready + "; exec sleep 1000"), once_written(ready, Order::Kill));
  EXPECT_EQ(result.process.stop, Stop::Killed);
  EXPECT_EQ(result.process.signal, SIGTERM);
  EXPECT_EQ(result.process.left_behind, 0U);
  EXPECT_TRUE(is_gone(pids_in(text_of_file(ready)).at(0)));
}

TEST_F(Launcher, LetsAClientEndCleanlyWhenInterrupted) {
  const std::string ready = scratch_.file("ready");
  const auto result = run(
      shell("trap 'echo bye; exit 7' TERM; echo x > " + ready + "; while :; do sleep 0.01; done"),
      once_written(ready, Order::Interrupt));
  EXPECT_EQ(result.process.stop, Stop::Interrupted);
  EXPECT_EQ(result.process.exit_code, 7);
  EXPECT_EQ(stream(result, "stdout").head, "bye\n");
}

TEST_F(Launcher, ForcesAClientThatIgnoresSigterm) {
  const std::string ready = scratch_.file("ready");
  const Duration began = clock_.now();
  const auto result = run(shell("trap '' TERM; echo $$ > " + ready + "; while :; do sleep 1; done"),
                          once_written(ready, Order::Kill));
  EXPECT_EQ(result.process.stop, Stop::Killed);
  EXPECT_EQ(result.process.signal, SIGKILL);
  EXPECT_GE(clock_.now() - began, milliseconds(500)) << "it was not given its grace";
  EXPECT_TRUE(is_gone(pids_in(text_of_file(ready)).at(0)));
}

TEST_F(Launcher, EndsAStoppedClient) {
  const std::string ready = scratch_.file("ready");
  const auto result =
      run(shell("echo $$ > " + ready + "; kill -STOP $$"), once_written(ready, Order::Kill));
  EXPECT_EQ(result.process.stop, Stop::Killed);
}

TEST_F(Launcher, KeepsABoundedPartOfAFlood) {
  constexpr std::uint64_t kFlood = 64 * 1024 * 1024;
  const auto result = run(shell("head -c " + std::to_string(kFlood) + " /dev/zero; echo end >&2"));
  EXPECT_EQ(stream(result, "stdout").bytes, kFlood);
  EXPECT_EQ(stream(result, "stdout").head.size(), OutputCapture::kKept);
  EXPECT_EQ(stream(result, "stdout").tail.size(), OutputCapture::kKept);
  EXPECT_EQ(stream(result, "stderr").head, "end\n");
}

TEST_F(Launcher, IsNotHeldUpByAClientThatClosesItsOutput) {
  const auto result = run(shell("exec >&- 2>&-; i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done"));
  EXPECT_EQ(result.process.stop, Stop::Exited);
  EXPECT_EQ(stream(result, "stdout").bytes, 0U);
}

TEST_F(Launcher, MasksTheClientsSecretsAndCountsTheToken) {
  auto spec = shell("echo $VENDOR_API_KEY; echo token $MISHAP_TOKEN >&2");
  spec.environment = {{"VENDOR_API_KEY", "k-998877"}, {"MISHAP_TOKEN", "canary-5544"}};
  spec.canary = "canary-5544";
  spec.command.push_back("k-998877");
  const auto result = run(spec);
  EXPECT_EQ(stream(result, "stdout").head, "***\n");
  EXPECT_EQ(stream(result, "stdout").masked, 1U);
  EXPECT_EQ(stream(result, "stderr").canary_hits, 1U);
  EXPECT_EQ(masked_command(spec).back(), "***");
}

TEST_F(Launcher, ReadsOutcomeLinesAsTheyArrive) {
  auto spec = shell(
      "echo '{\"operation\":\"a\",\"outcome\":\"pending\"}' >> $OUT; "
      "while [ ! -e $GO ]; do sleep 0.01; done; "
      "echo '{\"operation\":\"a\",\"outcome\":\"succeeded\"}' >> $OUT; echo nonsense >> $OUT; "
      "printf '{\"operation\":\"b\",\"outcome\":\"failed\"}' >> $OUT");
  spec.outcomes_file = scratch_.file("outcomes");
  spec.environment = {{"OUT", spec.outcomes_file}, {"GO", scratch_.file("go")}};
  std::ofstream(spec.outcomes_file) << "left from before\n";
  const Duration began = clock_.now();
  Duration released{};
  const auto result = run(spec, [&] {
    const Duration now = clock_.now() - began;
    if (released == Duration(0) && now > milliseconds(300)) {
      released = now;
      std::ofstream(scratch_.file("go")) << "x";
    }
    return Order::GoOn;
  });
  ASSERT_EQ(result.outcomes.size(), 3U);
  EXPECT_EQ(result.outcomes[0].outcome, OutcomeKind::Pending);
  EXPECT_LT(result.outcomes[0].at, released) << "stamped when it came, not when the client ended";
  EXPECT_GE(result.outcomes[1].at, released);
  EXPECT_EQ(result.outcomes[2].operation, "b");
  ASSERT_EQ(result.bad_outcome_lines.size(), 1U);
  EXPECT_EQ(result.bad_outcome_lines[0], "line 3: not JSON");
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_THAT(result.notes[0], HasSubstr("no newline"));
}

TEST_F(Launcher, FollowsAnOutcomeFileThatIsReplaced) {
  auto spec = shell(
      "echo '{\"operation\":\"a\",\"outcome\":\"pending\"}' > $OUT.2; mv $OUT.2 $OUT; "
      "while [ ! -e $GO ]; do sleep 0.01; done; "
      "echo '{\"operation\":\"a\",\"outcome\":\"failed\"}' > $OUT.3; mv $OUT.3 $OUT");
  spec.outcomes_file = scratch_.file("outcomes");
  spec.environment = {{"OUT", spec.outcomes_file}, {"GO", scratch_.file("go")}};
  const Duration began = clock_.now();
  const auto result = run(spec, [&] {
    if (clock_.now() - began > milliseconds(300)) std::ofstream(scratch_.file("go")) << "x";
    return Order::GoOn;
  });
  ASSERT_EQ(result.outcomes.size(), 2U);
  EXPECT_EQ(result.outcomes[1].outcome, OutcomeKind::Failed);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_THAT(result.notes[0], HasSubstr("started its outcome file over"));
}

TEST_F(Launcher, IsNotTrappedByASpecialFileInThePlaceOfTheOutcomes) {
  auto spec = shell("rm $OUT; mkfifo $OUT; ln -s /dev/zero $OUT.2; mv $OUT.2 $OUT");
  spec.outcomes_file = scratch_.file("outcomes");
  spec.environment = {{"OUT", spec.outcomes_file}};
  const auto result = run(spec);
  EXPECT_EQ(result.process.stop, Stop::Exited);
  EXPECT_TRUE(result.outcomes.empty());
}

TEST_F(Launcher, RunsCopiesSideBySide) {
  // Each waits for all the others, so that they can only end together.
  std::vector<LaunchSpec> specs;
  for (int copy = 0; copy < 5; ++copy) {
    auto spec = shell("echo x > $DIR/in-" + std::to_string(copy) +
                      "; until [ $(ls $DIR | wc -l) -ge 5 ]; do sleep 0.01; done; echo copy " +
                      std::to_string(copy));
    spec.copy = copy;
    spec.environment = {{"DIR", scratch_.path()}};
    specs.push_back(spec);
  }
  const Duration began = clock_.now();
  const auto results = run_clients(specs, watch_, clock_, began, [&] {
    return clock_.now() - began > kPatience ? Order::Kill : Order::GoOn;
  });
  ASSERT_EQ(results.size(), 5U);
  for (int copy = 0; copy < 5; ++copy) {
    const auto& result = results[static_cast<std::size_t>(copy)];
    EXPECT_EQ(result.process.stop, Stop::Exited);
    EXPECT_EQ(result.process.copy, copy);
    EXPECT_EQ(stream(result, "stdout").head, "copy " + std::to_string(copy) + "\n");
  }
}

TEST_F(Launcher, AsksAtLeastEveryFiftyMilliseconds) {
  const Duration began = clock_.now();
  int asked = 0;
  const auto result = run(shell("exec sleep 1000"), [&] {
    ++asked;
    return clock_.now() - began > milliseconds(500) ? Order::Kill : Order::GoOn;
  });
  EXPECT_EQ(result.process.stop, Stop::Killed);
  EXPECT_GE(asked, 8);
}

TEST_F(Launcher, LeavesNoDescriptorAndNoZombieAfterAHundredRuns) {
  run(shell("exit 0"));
  const std::size_t descriptors = open_descriptors();
  const std::size_t children = own_children();
  for (int i = 0; i < 100; ++i) run(shell("true & true | true; wait; exit 0"));
  EXPECT_TRUE(descriptors_fall_to(descriptors));
  EXPECT_EQ(own_children(), children);
}

TEST_F(Launcher, RunsFromSeveralThreadsWithoutMixingThemUp) {
  constexpr int kThreads = 8;
  constexpr int kRuns = 8;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kRuns; ++i) {
        const std::string name = std::to_string(thread) + "-" + std::to_string(i);
        auto spec = shell("echo " + name + "; setsid sleep 1000 & exit " + std::to_string(thread));
        const auto results =
            run_clients({spec}, watch_, clock_, Duration(0), [] { return Order::GoOn; });
        const auto& result = results.at(0);
        const bool good = result.process.exit_code == thread && result.process.left_behind == 1 &&
                          stream(result, "stdout").head == name + "\n";
        if (good) ++right;
        if (!good) {
          ADD_FAILURE() << name << ": exit " << result.process.exit_code << ", left "
                        << result.process.left_behind << ", said " << stream(result, "stdout").head;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads * kRuns);
  EXPECT_EQ(own_children(), 0U);
}

TEST_F(Launcher, LeavesNothingWhenTheCallerThrows) {
  const std::string ready = scratch_.file("ready");
  const auto orders = [&]() -> Order {
    if (!text_of_file(ready).empty()) throw std::runtime_error("caller");
    return Order::GoOn;
  };
  const auto spec = shell("setsid sleep 1000 & echo $! $$ > " + ready + "; exec sleep 1000");
  EXPECT_THROW(run_clients({spec}, watch_, clock_, Duration(0), orders), std::runtime_error);
  for (const pid_t pid : pids_in(text_of_file(ready))) EXPECT_TRUE(is_gone(pid)) << pid;
}

}  // namespace
}  // namespace mishap::client_tests
