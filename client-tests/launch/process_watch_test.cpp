#include "client-tests/launch/process_watch.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "client-tests/launch/file_descriptor.h"
#include "client-tests/launch/launch_test_support.h"

namespace mishap::client_tests {
namespace {

using std::chrono::milliseconds;

using Watch = LaunchTest;

std::string said(const LaunchResult& result) {
  return result.output.at(0).head;
}

// Ways to leave something running that printed its number before. All exit with 0 at once.
struct LeavingCase {
  const char* name;
  const char* script;
  std::size_t left;
};

const LeavingCase kLeavingCases[] = {
    {"background", "sleep 1000 & echo $!; exit 0", 1},
    {"own session", "setsid sleep 1000 & echo $!; exit 0", 1},
    {"double fork", "(sh -c 'echo $$; exec sleep 1000' &) ; exit 0", 1},
    {"double fork into a session", "(setsid sh -c 'echo $$; exec sleep 1000' &) ; exit 0", 1},
    {"without environment",
     "(env -i /usr/bin/setsid /bin/sh -c 'echo $$; exec sleep 1000' &) ; exit 0", 1},
    {"ignoring every signal",
     "(setsid sh -c 'trap \"\" TERM HUP INT; echo $$; sleep 1000' &); exit 0", 2},
    {"twenty", "i=0; while [ $i -lt 20 ]; do setsid sleep 1000 & echo $!; i=$((i+1)); done; exit 0",
     20},
    {"its own tree", "setsid sh -c 'sleep 1000 & echo $!; sleep 1000 & echo $!; wait' & exit 0", 3},
};

TEST_F(Watch, EndsAndCountsWhatAClientLeavesBehind) {
  for (const auto& leaving : kLeavingCases) {
    const auto result = run(shell(leaving.script));
    EXPECT_EQ(result.process.stop, Stop::Exited) << leaving.name;
    EXPECT_EQ(result.process.exit_code, 0) << leaving.name;
    EXPECT_EQ(result.process.left_behind, leaving.left) << leaving.name;
    const auto pids = pids_in(said(result));
    EXPECT_FALSE(pids.empty()) << leaving.name;
    for (const pid_t pid : pids) EXPECT_TRUE(is_gone(pid)) << leaving.name;
  }
}

TEST_F(Watch, DoesNotCountHelpersThatFollowTheClient) {
  // The reader ends when its pipe closes, which is when the client ends.
  const auto result = run(shell("mkfifo $F; cat < $F & exec 3> $F; exit 0"), nullptr);
  EXPECT_EQ(result.process.left_behind, 0U);
}

TEST_F(Watch, KillsTheWholeTree) {
  auto spec = shell(
      "setsid sh -c 'sleep 1000 & echo $! >> $PIDS; wait' & "
      "(setsid sh -c 'trap \"\" TERM; echo $$ >> $PIDS; while :; do sleep 1; done' &); "
      "sleep 1000 & echo $! >> $PIDS; wait");
  const std::string file = scratch_.file("pids");
  spec.environment = {{"PIDS", file}};
  const auto result =
      run(spec, [&] { return pids_in(text_of_file(file)).size() < 3 ? Order::GoOn : Order::Kill; });
  EXPECT_EQ(result.process.stop, Stop::Killed);
  EXPECT_EQ(result.process.left_behind, 0U);
  for (const pid_t pid : pids_in(text_of_file(file))) EXPECT_TRUE(is_gone(pid)) << pid;
}

TEST_F(Watch, EndsAClientThatForksWithoutEnd) {
  const std::string ready = scratch_.file("ready");
  // Each one starts its successor and ends; bounded in case that nothing stops it.
  auto spec = shell(
      "cat > $DIR/hop <<'END'\n"
      "n=$1; [ $n -gt 0 ] || exit 0; [ $n -gt 1990 ] || echo x > $DIR/ready\n"
      "setsid sh $DIR/hop $((n-1)) &\n"
      "END\n"
      "sh $DIR/hop 2000; exec sleep 1000");
  spec.environment = {{"DIR", scratch_.path()}};
  const auto result = run(spec, once_written(ready, Order::Kill));
  EXPECT_EQ(result.process.stop, Stop::Killed);
  EXPECT_EQ(own_children(), 0U);
}

TEST_F(Watch, LeavesOtherProcessesOfOursAlone) {
  const pid_t mine = ::fork();
  if (mine == 0) {
    ::execlp("sleep", "sleep", "1000", nullptr);
    ::_exit(127);
  }
  run(shell("setsid sleep 1000 & exit 0"));
  EXPECT_FALSE(is_gone(mine));
  ::kill(mine, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(mine, &status, 0), mine) << "somebody else took its status";
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(Watch, CountsTheWorkOfTheWholeTree) {
  const Duration began = clock_.now();
  const auto result = run(shell("setsid sh -c 'while :; do :; done' & exec sleep 1000"), [&] {
    return clock_.now() - began > milliseconds(700) ? Order::Kill : Order::GoOn;
  });
  EXPECT_GT(result.process.cpu_seconds, 0.1);
  EXPECT_LT(result.process.cpu_seconds, 5.0);
  EXPECT_GT(result.process.samples, 3U);
  EXPECT_GT(result.process.peak_rss, 100'000U);
  EXPECT_GE(result.process.peak_fds, 6U) << "stdin, stdout, stderr of two processes";
  const auto& series = result.process.series;
  ASSERT_EQ(series.size(), result.process.samples);
  // At the last look parts of the tree may have ended already.
  EXPECT_TRUE(std::ranges::any_of(
      series, [](const ProcessSample& sample) { return sample.fds >= 6 && sample.threads >= 2; }));
  EXPECT_GT(series.back().cpu, series.front().cpu);
}

// A server on loopback that accepts one connection and holds it.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool listening =
        ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 &&
        ::listen(socket_.get(), 8) == 0 &&
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    EXPECT_TRUE(listening);
    port_ = ntohs(address.sin_port);
  }

  Port port() const { return port_; }
  Port peer_port() const { return peer_port_; }

  bool has_client() {
    if (connection_) return true;
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    connection_ = FileDescriptor(
        ::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC));
    peer_port_ = ntohs(peer.sin_port);
    return bool(connection_);
  }

 private:
  FileDescriptor socket_;
  FileDescriptor connection_;
  Port port_ = 0;
  Port peer_port_ = 0;
};

std::string connect_and_hold(Port port) {
  return "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(port) + "; read -u 3 line";
}

TEST_F(Watch, SeesTheSocketsOfTheTree) {
  Listener server;
  Listener elsewhere;
  LaunchSpec spec;
  // A grandchild in a session of its own is the one that calls.
  spec.command = {"bash", "-c",
                  "setsid bash -c '" + connect_and_hold(server.port()) + "' & " +
                      connect_and_hold(elsewhere.port())};
  spec.server_ports = {server.port()};
  Duration connected{};
  const auto result = run(spec, [&] {
    const bool both = server.has_client() && elsewhere.has_client();
    if (both && connected == Duration(0)) connected = clock_.now();
    const bool watched = both && clock_.now() - connected > milliseconds(2000);
    return watched ? Order::Kill : Order::GoOn;
  });
  ASSERT_GE(result.process.sockets.size(), 1U);
  for (const auto& socket : result.process.sockets) {
    EXPECT_EQ(socket.local_port, server.peer_port());
    EXPECT_GT(socket.last_seen, socket.first_seen);
    EXPECT_LE(socket.last_seen, result.process.ended);
  }
  EXPECT_EQ(result.process.sockets.size(), 1U);
  EXPECT_FALSE(result.process.sockets.front().half_closed_since);
  EXPECT_TRUE(std::ranges::any_of(result.process.series,
                                  [](const ProcessSample& sample) { return sample.sockets == 1; }));
  EXPECT_EQ(result.process.foreign_addresses,
            (std::vector<std::string>{"127.0.0.1:" + std::to_string(elsewhere.port())}));
}

// A server whose queue is full: the kernel leaves whoever comes now unanswered.
class FullListener {
 public:
  FullListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* at = reinterpret_cast<sockaddr*>(&address);
    EXPECT_TRUE(::bind(socket_.get(), at, size) == 0 && ::listen(socket_.get(), 0) == 0 &&
                ::getsockname(socket_.get(), at, &size) == 0);
    port_ = ntohs(address.sin_port);
    for (auto& waiting : waiting_) {
      waiting = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      ::connect(waiting.get(), at, size);
    }
  }

  Port port() const { return port_; }

 private:
  FileDescriptor socket_;
  std::array<FileDescriptor, 8> waiting_;
  Port port_ = 0;
};

TEST_F(Watch, SeesAConnectThatNobodyAnswers) {
  FullListener server;
  LaunchSpec spec;
  spec.command = {"bash", "-c", connect_and_hold(server.port())};
  spec.server_ports = {server.port()};
  const Duration began = clock_.now();
  const auto result = run(
      spec, [&] { return clock_.now() - began > milliseconds(2000) ? Order::Kill : Order::GoOn; });
  ASSERT_EQ(result.process.sockets.size(), 1U);
  const auto& socket = result.process.sockets.front();
  ASSERT_TRUE(socket.connecting_until);
  EXPECT_EQ(*socket.connecting_until, socket.last_seen);
  EXPECT_GT(socket.last_seen - socket.first_seen, milliseconds(200));
}

TEST_F(Watch, ClientsDoNotInheritOurSockets) {
  Listener ours;
  // Taken as libraries take theirs: without close-on-exec.
  const FileDescriptor leaking(::socket(AF_INET, SOCK_STREAM, 0));
  const auto result = run(shell("ls -l /proc/$$/fd"));
  EXPECT_EQ(said(result).find("socket:"), std::string::npos);
}

TEST_F(Watch, ReadsNothingOfAProcessThatIsGone) {
  const auto result = run(shell("exit 0"));
  EXPECT_TRUE(result.process.sockets.empty());
  EXPECT_TRUE(result.process.foreign_addresses.empty());
}

}  // namespace
}  // namespace mishap::client_tests
