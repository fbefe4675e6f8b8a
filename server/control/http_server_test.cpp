#include "server/control/http_server.h"

#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <future>

namespace mishap::server::control {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

// A caller that says what it is told to, and nothing else.
class Caller {
 public:
  explicit Caller(Port port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    const timeval patience{20, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  Caller& say(const std::string& bytes) {
    ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return *this;
  }
  std::string hear() {
    std::string all;
    char bytes[4096];
    for (;;) {
      const auto got = ::recv(socket_.get(), bytes, sizeof bytes, 0);
      if (got <= 0) return all;
      all.append(bytes, static_cast<std::size_t>(got));
    }
  }

 private:
  Socket socket_;
};

const std::string kGet = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n";

struct HttpServerTest : testing::Test {
  std::unique_ptr<HttpServer> start(ServerLimits limits, Answerer answer) {
    return std::make_unique<HttpServer>(listen_on("127.0.0.1", 0).value(), clock, limits,
                                        std::move(answer), [this] { ++ticks; });
  }
  static Reply echo(const Call& call) { return {200, call.path + call.body, "text/plain", {}}; }

  SystemClock clock;
  std::atomic<int> ticks = 0;
};

TEST_F(HttpServerTest, AnswersOneCallForEachConnection) {
  const auto server = start({}, echo);
  const auto heard = Caller(server->port()).say(kGet + kGet).hear();
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(heard, HasSubstr("Connection: close"));
  EXPECT_TRUE(heard.ends_with("\r\n\r\n/x")) << heard;
}

TEST_F(HttpServerTest, ABodyThatIsTooLongIsAnsweredAlthoughItStillComes) {
  const auto server = start({}, echo);
  const auto heard = Caller(server->port())
                         .say("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" +
                              std::string(300'000, 'x'))
                         .hear();
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, WhoTakesTooLongToSpeakIsToldSo) {
  const auto server = start({.to_read = 100ms}, echo);
  EXPECT_THAT(Caller(server->port()).say("GET /x HT").hear(), StartsWith("HTTP/1.1 408 "));
  EXPECT_EQ(Caller(server->port()).hear(), "");
}

TEST_F(HttpServerTest, SlowCallersHoldUpNobodyElse) {
  const auto server = start({.workers = 8, .to_read = 60s}, echo);
  std::vector<Caller> slow;
  for (int i = 0; i < 7; ++i) slow.emplace_back(server->port()).say("G");
  EXPECT_THAT(Caller(server->port()).say(kGet).hear(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, MoreThanCanWaitAreToldToComeAgain) {
  std::promise<void> go;
  const auto gone = go.get_future().share();
  std::atomic<int> inside = 0;
  const auto server = start({.workers = 2, .waiting = 3}, [&](const Call& call) {
    ++inside;
    gone.wait();
    return echo(call);
  });
  std::vector<std::future<std::string>> heard;
  for (int i = 0; i < 12; ++i) {
    heard.push_back(std::async(std::launch::async,
                               [port = server->port()] { return Caller(port).say(kGet).hear(); }));
  }
  // The ones that are turned away need nobody to let the others go.
  const auto turned_away = [&] {
    return std::count_if(heard.begin(), heard.end(),
                         [](auto& one) { return one.wait_for(0s) == std::future_status::ready; });
  };
  const auto deadline = clock.now() + 20s;
  while (turned_away() < 7 && clock.now() < deadline) heard.back().wait_for(10ms);
  EXPECT_EQ(turned_away(), 7);
  go.set_value();
  int served = 0;
  for (auto& one : heard) {
    const auto text = one.get();
    if (text.starts_with("HTTP/1.1 200 "))
      ++served;
    else
      EXPECT_THAT(text, StartsWith("HTTP/1.1 503 "));
  }
  EXPECT_EQ(served, 5);
}

TEST_F(HttpServerTest, AnExceptionIsAnInternalErrorAndNoMore) {
  const auto server = start({}, [](const Call&) -> Reply { throw std::runtime_error("broken"); });
  EXPECT_THAT(Caller(server->port()).say(kGet).hear(), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Caller(server->port()).say(kGet).hear(), StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, EndsSoonAlthoughCallersHangOn) {
  auto server = start({.to_read = 600s}, echo);
  Caller silent(server->port());
  Caller half(server->port());
  half.say("GET /x");
  EXPECT_THAT(Caller(server->port()).say(kGet).hear(), StartsWith("HTTP/1.1 200 "));
  const auto began = clock.now();
  server.reset();
  EXPECT_LT(clock.now() - began, 10s);
}

TEST_F(HttpServerTest, TicksNowAndThen) {
  const auto server = start({}, echo);
  const auto deadline = clock.now() + 20s;
  while (ticks < 2 && clock.now() < deadline) std::this_thread::yield();
  EXPECT_GE(ticks, 2);
}

}  // namespace
}  // namespace mishap::server::control
