#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "client-tests/launch/file_descriptor.h"
#include "client-tests/launch/launch_test_support.h"

// The life of a service: before, ready, drive, rest, stop, after. Real children.
namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

// One that was free a moment ago.
Port free_port() {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  ::bind(socket.get(), raw, length);
  ::getsockname(socket.get(), raw, &length);
  return ntohs(address.sin_port);
}

class ServiceTest : public LaunchTest {
 protected:
  static LifeSpec service(const std::string& script) {
    LifeSpec life;
    life.client = shell(script);
    life.client.role = ProcessRole::Service;
    life.service.emplace();
    life.service->stop.grace = 20s;
    return life;
  }

  // A web server that answers 503 to /, 200 to /health, and never to /never.
  LifeSpec web(const std::string& path) {
    const std::string script = R"(
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        while self.path == "/never": self.server.socket.accept()
        self.send_response(200 if self.path == "/health" else 503)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
)";
    port_ = free_port();
    LifeSpec life = service("");
    life.client.command = {"/usr/bin/python3", "-c", script, std::to_string(port_)};
    ready(life, scenarios::Ready::Kind::Url, url(path));
    return life;
  }

  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }

  static void ready(LifeSpec& life, scenarios::Ready::Kind kind, const std::string& text) {
    life.service->ready = scenarios::Ready{kind, text, {}};
    if (kind != scenarios::Ready::Kind::Log) return;
    life.client.ready_line = *scenarios::LinePattern::compile(text);
  }

  static void drive(LifeSpec& life, const std::string& script) {
    life.service->drive.emplace().command = {"/bin/sh", "-c", script};
  }

  static void request(LifeSpec& life, const std::string& to) {
    auto& drive = life.service->drive.emplace();
    drive.method = "GET";
    drive.url = to;
  }

  std::vector<LifeResult> live(
      const std::vector<LifeSpec>& lives,
      const std::function<Order(const LifeProgress&)>& orders = stop_once_it_rests) {
    const Duration began = clock_.now();
    return live_through(lives, watch_, clock_, began, [&](const LifeProgress& progress) {
      if (clock_.now() - began < 2 * kPatience) return orders(progress);
      ADD_FAILURE() << "the run did not end in time";
      return Order::Kill;
    });
  }

  LifeResult live(const LifeSpec& life) { return std::move(live(std::vector{life}).at(0)); }

  static Order stop_once_it_rests(const LifeProgress& progress) {
    return progress.resting ? Order::Stop : Order::GoOn;
  }

  static std::string output_of(const LifeResult& result, const std::string& stream) {
    for (const auto& captured : result.client.output) {
      if (captured.stream == stream) return captured.head;
    }
    return "no such stream: " + stream;
  }

  Port port_ = 0;
};

TEST_F(ServiceTest, IsReadyWhenItsUrlAnswersAndIsDrivenByARequest) {
  auto life = web("/health");
  request(life, url("/health"));
  const auto result = live(life);
  EXPECT_EQ(result.trouble, "");
  EXPECT_EQ(result.drive->status, 200);
  EXPECT_TRUE(succeeded(*result.drive));
  EXPECT_EQ(output_of(result, "drive.answer"), "ok");
  EXPECT_EQ(result.client.process.stop, Stop::Stopped);
  EXPECT_EQ(result.client.process.role, ProcessRole::Service);
  ASSERT_TRUE(result.client.process.told_to_end);
  EXPECT_GE(*result.client.process.told_to_end, result.drive->ended);
}

TEST_F(ServiceTest, IsNotReadyWhileItsUrlAnswersWithAServerError) {
  auto life = web("/");
  life.service->ready_within = 2s;
  const auto result = live(life);
  EXPECT_THAT(result.trouble, AllOf(HasSubstr("was not ready within 2s"), HasSubstr("503")));
}

TEST_F(ServiceTest, IsReadyWhenItsPortAccepts) {
  auto life = web("/");
  ready(life, scenarios::Ready::Kind::Port, std::to_string(port_));
  request(life, url("/"));
  const auto result = live(life);
  EXPECT_EQ(result.trouble, "");
  EXPECT_EQ(result.drive->status, 503);
  EXPECT_FALSE(succeeded(*result.drive));
}

TEST_F(ServiceTest, IsReadyWhenALineOfItsOutputMatches) {
  auto life = service("echo starting; echo listening on 80 >&2; exec sleep 600");
  ready(life, scenarios::Ready::Kind::Log, "listening on \\d+");
  drive(life, "echo driven; echo $0 >&2; exit 4");
  const auto result = live(life);
  EXPECT_EQ(result.trouble, "");
  EXPECT_EQ(result.drive->exit_code, 4);
  EXPECT_EQ(how_it_ended(*result.drive), "ended with exit code 4");
  EXPECT_EQ(output_of(result, "drive.stdout"), "driven\n");
  EXPECT_EQ(output_of(result, "stdout"), "starting\n");
}

TEST_F(ServiceTest, ThatIsNeverReadyIsTrouble) {
  auto life = service("echo nothing here >&2; exec sleep 600");
  ready(life, scenarios::Ready::Kind::Log, "listening");
  life.service->ready_within = 300ms;
  drive(life, "touch " + scratch_.file("driven"));
  const auto result = live(life);
  EXPECT_EQ(result.trouble,
            "the service was not ready within 300ms: no line of its output matched \"listening\"; "
            "it said: nothing here");
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("driven")));
}

TEST_F(ServiceTest, ThatDiesAtOnceIsTroubleInItsOwnWords) {
  auto life = service("echo first; echo no such module >&2; exit 3");
  ready(life, scenarios::Ready::Kind::Port, std::to_string(free_port()));
  const auto result = live(life);
  EXPECT_EQ(result.trouble,
            "the service ended with exit code 3 before it could act; it said: no such module");
  EXPECT_EQ(result.client.process.stop, Stop::Exited);
}

TEST_F(ServiceTest, IsNotStartedWhereItsPortIsTaken) {
  auto first = web("/health");
  auto second = service("touch " + scratch_.file("started"));
  ready(second, scenarios::Ready::Kind::Url, url("/health"));
  bool asked = false;
  live({first}, [&](const LifeProgress& progress) {
    if (!progress.resting) return Order::GoOn;
    if (!std::exchange(asked, true)) {
      EXPECT_THAT(live(second).trouble, HasSubstr("something else takes connections"));
    }
    return Order::Stop;
  });
  EXPECT_TRUE(asked);
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("started")));
}

TEST_F(ServiceTest, ThatIgnoresItsSignalIsKilledAfterTheGrace) {
  auto life = service("trap '' TERM; echo up; while :; do sleep 600; done");
  ready(life, scenarios::Ready::Kind::Log, "up");
  life.service->stop.grace = 200ms;
  const auto result = live(life);
  EXPECT_EQ(result.client.process.stop, Stop::Stopped);
  EXPECT_EQ(result.client.process.signal, SIGKILL);
  EXPECT_THAT(result.client.notes,
              ::testing::Contains(HasSubstr("did not end within 200ms of its stop signal")));
}

TEST_F(ServiceTest, GetsTheSignalThatItAskedForAndTimeToObey) {
  auto life = service("trap 'echo bye; exit 7' INT; echo up; while :; do sleep 0.05; done");
  ready(life, scenarios::Ready::Kind::Log, "up");
  life.service->stop.signal = "SIGINT";
  const auto result = live(life);
  EXPECT_EQ(result.client.process.exit_code, 7);
  EXPECT_EQ(result.client.process.stop, Stop::Stopped);
  EXPECT_EQ(output_of(result, "stdout"), "up\nbye\n");
}

TEST_F(ServiceTest, LeavesNoGrandchildBehind) {
  const auto file = scratch_.file("pids");
  auto life = service("setsid sleep 600 & echo $! > " + file + "; echo up; exec sleep 600");
  ready(life, scenarios::Ready::Kind::Log, "up");
  live(life);
  const auto pids = pids_in(text_of_file(file));
  ASSERT_EQ(pids.size(), 1U);
  EXPECT_TRUE(is_gone(pids[0]));
  EXPECT_EQ(own_children(), 0U);
}

TEST_F(ServiceTest, IsNotStartedWhereBeforeFails) {
  auto life = service("touch " + scratch_.file("started"));
  life.before = {"/bin/sh", "-c", "echo no database >&2; exit 2"};
  life.after = {"/bin/sh", "-c", "touch " + scratch_.file("after")};
  const auto result = live(life);
  EXPECT_EQ(result.trouble, "`before` ended with exit code 2; it said: no database");
  EXPECT_EQ(output_of(result, "before.stderr"), "no database\n");
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("started")));
  EXPECT_TRUE(std::filesystem::exists(scratch_.file("after")));
}

TEST_F(ServiceTest, BeforeAndAfterSurroundACommandWithItsEnvironment) {
  LifeSpec life;
  life.client = shell("echo client >> $LOG");
  life.client.environment = {{"LOG", scratch_.file("log")}};
  life.before = {"/bin/sh", "-c", "echo before >> $LOG"};
  life.after = {"/bin/sh", "-c", "echo after >> $LOG; exit 1"};
  const auto result = live(life);
  EXPECT_EQ(text_of_file(scratch_.file("log")), "before\nclient\nafter\n");
  EXPECT_EQ(result.client.process.stop, Stop::Exited);
  EXPECT_THAT(result.client.notes,
              ::testing::Contains(HasSubstr("`after` ended with exit code 1")));
}

TEST_F(ServiceTest, AnAfterIsNotWaitedForLongBySomebodyWhoInterrupts) {
  const auto file = scratch_.file("in after");
  LifeSpec life;
  life.client = shell("exit 0");
  life.client.environment = {{"FILE", file}};
  life.after = {"/bin/sh", "-c", "trap '' TERM; touch \"$FILE\"; while :; do sleep 0.2; done"};
  const auto began = std::chrono::steady_clock::now();
  const auto results = live({life}, [&](const LifeProgress&) {
    return std::filesystem::exists(file) ? Order::Interrupt : Order::GoOn;
  });
  // It has a minute where nobody waits.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(45));
  EXPECT_THAT(results.at(0).client.notes, ::testing::Contains(HasSubstr("`after` ended with")));
  EXPECT_EQ(own_children(), 0U);
}

TEST_F(ServiceTest, NoDriveBeginsBeforeTheLastServiceIsReady) {
  const auto gate = scratch_.file("gate");
  auto quick = service("echo up; exec sleep 600");
  ready(quick, scenarios::Ready::Kind::Log, "up");
  drive(quick, "test -e " + gate);
  auto slow = service("sleep 0.4; touch " + gate + "; echo up; exec sleep 600");
  ready(slow, scenarios::Ready::Kind::Log, "up");
  const auto results = live({quick, slow});
  EXPECT_EQ(results.at(0).drive->exit_code, 0);
}

TEST_F(ServiceTest, ThatDiesWhileItIsDrivenHasExitedByItself) {
  const auto die = scratch_.file("die");
  auto life = service("echo up; until [ -e " + die + " ]; do sleep 0.01; done; exit 9");
  ready(life, scenarios::Ready::Kind::Log, "up");
  drive(life, "touch " + die + "; exec sleep 0.2");
  const auto result = live(life);
  EXPECT_EQ(result.trouble, "");
  EXPECT_EQ(result.client.process.stop, Stop::Exited);
  EXPECT_EQ(result.client.process.exit_code, 9);
  EXPECT_FALSE(result.client.process.told_to_end);
}

TEST_F(ServiceTest, EndsWithItsDriveWhenPatienceIsOver) {
  auto life = web("/health");
  request(life, url("/never"));
  bool acting = false;
  const auto results = live({life}, [&](const LifeProgress& progress) {
    acting = acting || progress.acting;
    return acting ? Order::Kill : Order::GoOn;
  });
  EXPECT_EQ(results.at(0).client.process.stop, Stop::Killed);
  EXPECT_EQ(results.at(0).drive->error, "given up");
}

TEST_F(ServiceTest, ADriveThatIsNotThereIsTheUsersError) {
  auto life = service("echo up; exec sleep 600");
  ready(life, scenarios::Ready::Kind::Log, "up");
  life.service->drive.emplace().command = {"/no/such/drive"};
  const auto result = live(life);
  ASSERT_TRUE(result.client.not_started);
  EXPECT_EQ(result.client.not_started->message, "drive: no such client: /no/such/drive");
}

}  // namespace
}  // namespace mishap::client_tests
