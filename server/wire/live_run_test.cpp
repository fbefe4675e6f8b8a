#include <dirent.h>
#include <sys/resource.h>

#include <atomic>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/wire/wire_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using End = RawClient::End;

class LiveRunTest : public WireTest {
 protected:
  static int open_descriptors() {
    DIR* folder = ::opendir("/proc/self/fd");
    int count = 0;
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
  }
};

struct EndCase {
  const char* name;
  Steps at_request;
  std::string request;
  Ending ending;
};

TEST_F(LiveRunTest, EndsSoonWhateverASessionWaitsFor) {
  const Steps huge = steps(FakeEngine::answer(200, std::string(50'000'000, 'x')), {Finish{}});
  const std::vector<EndCase> cases = {
      {"wait", {Wait{30s}, Apply{}}, get("/"), Ending::Open},
      {"stall", {Stall{}}, get("/"), Ending::Stalled},
      {"blocked write", huge, get("/"), Ending::Open},
      {"half a body",
       {},
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab",
       Ending::Open},
      {"wait after a reset", {ResetConnection{}, Wait{30s}, Apply{}}, get("/"), Ending::Reset},
  };
  for (const EndCase& one : cases) {
    SCOPED_TRACE(one.name);
    engine_ = std::make_shared<FakeEngine>();
    engine_->at_request = [&one](const RequestHead&) { return one.at_request; };
    begin();
    RawClient client(port(), 4096);
    client.send(one.request);
    EXPECT_TRUE(engine_->wait_until([](const auto& all) { return !all.empty(); }));
    client.receive_for(20ms);
    const Duration asked = clock_.now();
    run_->end();
    EXPECT_LT(clock_.now() - asked, 5s);
    const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
    EXPECT_EQ(seen.ended, 1);
    EXPECT_EQ(seen.receipt.ending, one.ending);
    EXPECT_EQ(seen.applied, 0) << "the run's end is not the passing of time";
    EXPECT_EQ(engine_->connections_once_ended(1).at(0).ended, 1);
    run_.reset();
    EXPECT_EQ(engine_->calls_after_close(), 0);
  }
}

TEST_F(LiveRunTest, EndsIdleAndFreshConnectionsAndClosesThePort) {
  begin();
  RawClient idle(port());
  idle.send(get("/"));
  EXPECT_EQ(idle.receive_bytes(kOk.size()), kOk);
  RawClient half(port());
  half.send(get("/") + "GET / HT");
  EXPECT_EQ(half.receive_bytes(kOk.size()), kOk);
  const Port was = port();
  run_->end();
  idle.receive_to_end();
  EXPECT_EQ(idle.end(), End::Fin);
  EXPECT_EQ(engine_->connections_once_ended(2).size(), 2U);
  EXPECT_EQ(engine_->requests(), 2U) << "half a head at the end is no exchange";
  auto again = listen_on("127.0.0.1", was);
  EXPECT_TRUE(again.has_value());
}

TEST_F(LiveRunTest, EndMayBeCalledFromManyThreadsAndTwice) {
  begin();
  RawClient client(port());
  client.send(get("/"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([this] { run_->end(); });
  for (std::thread& thread : threads) thread.join();
  run_->end();
  EXPECT_EQ(engine_->calls_after_close(), 0);
}

TEST_F(LiveRunTest, SaysWhatIsWrongWithAPortThatIsTaken) {
  begin();
  auto second = begin_live_run({.io = io_,
                                .engine = engine_,
                                .clock = RunClock(clock_, clock_.now()),
                                .plans = {{0, "booking", {}}},
                                .port = port()});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::Environment);
  EXPECT_THAT(second.error().message, testing::HasSubstr(std::to_string(port())));
}

TEST_F(LiveRunTest, GivesEachLaneAndApiItsOwnAddress) {
  auto run = begin_live_run({.io = io_,
                             .engine = engine_,
                             .clock = RunClock(clock_, clock_.now()),
                             .plans = {{0, "a", {}}, {0, "b", {}}, {1, "a", {}}}});
  ASSERT_TRUE(run.has_value());
  const auto& addresses = (*run)->addresses();
  ASSERT_EQ(addresses.size(), 3U);
  EXPECT_EQ(addresses[2].lane, 1);
  EXPECT_EQ(addresses[1].api, "b");
  EXPECT_EQ(addresses[0].url, "http://127.0.0.1:" + std::to_string(addresses[0].port));
  EXPECT_NE(addresses[0].port, addresses[1].port);
}

TEST_F(LiveRunTest, TellsEveryExchange) {
  begin();
  std::atomic<int> told = 0;
  run_->on_exchange([&told](const Exchange&) { ++told; });
  RawClient client(port());
  client.send(get("/") + get("/"));
  client.receive_bytes(2 * kOk.size());
  engine_->exchanges_once_ended(2);
  run_->end();
  EXPECT_EQ(told, 2);
}

TEST_F(LiveRunTest, ServesAThousandConnectionsAtOnce) {
  constexpr int kMany = 1000;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_GE(limit.rlim_cur, 2U * kMany + 100U) << "ulimit -n is too low for this test";
  begin();
  std::vector<RawClient> clients;
  clients.reserve(kMany);
  for (int i = 0; i < kMany; ++i) clients.emplace_back(port());
  for (int round = 1; round <= 2; ++round) {
    for (RawClient& client : clients) client.send(get("/"));
    for (RawClient& client : clients) {
      EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
      client.take();
    }
  }
  EXPECT_EQ(engine_->exchanges_once_ended(2 * kMany).size(), 2U * kMany);
  run_->end();
  EXPECT_EQ(engine_->connections_once_ended(kMany).size(), static_cast<std::size_t>(kMany));
}

TEST_F(LiveRunTest, TwoHundredRunsSideBySideLeaveNoDescriptorOpen) {
  constexpr int kRuns = 200;
  engine_->at_request = [](const RequestHead& head) {
    if (head.target == "/stall") return Steps{Stall{}};
    return Steps{Apply{}};
  };
  const int before = open_descriptors();
  {
    std::vector<std::unique_ptr<server::Run>> runs;
    std::vector<RawClient> clients;
    for (int i = 0; i < kRuns; ++i) {
      auto run = begin_live_run({.io = io_,
                                 .engine = engine_,
                                 .clock = RunClock(clock_, clock_.now()),
                                 .plans = {{0, "booking", {}}}});
      ASSERT_TRUE(run.has_value());
      clients.emplace_back((*run)->addresses().at(0).port);
      clients.back().send(get(i % 2 == 0 ? "/stall" : "/"));
      runs.push_back(std::move(*run));
    }
    EXPECT_TRUE(engine_->wait_until([](const auto& all) { return all.size() == kRuns; }));
    for (auto& run : runs) run->end();
    EXPECT_EQ(engine_->connections_once_ended(kRuns).size(), static_cast<std::size_t>(kRuns));
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(LiveRunTest, WaitsForDescriptorsInsteadOfSpinning) {
  begin();
  RawClient first(port());
  first.send(get("/"));
  EXPECT_EQ(first.receive_bytes(kOk.size()), kOk);
  RawClient waiting;
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  waiting.connect(port());
  waiting.send(get("/"));
  const std::clock_t cpu_before = std::clock();
  EXPECT_EQ(waiting.receive_for(400ms), "");
  const double cpu = static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC;
  EXPECT_LT(cpu, 0.2) << "of 0.4 s";
  first.send(get("/"));
  EXPECT_EQ(first.receive_bytes(2 * kOk.size()), kOk + kOk) << "open connections are still served";
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(waiting.receive_bytes(kOk.size()), kOk);
}

}  // namespace
}  // namespace mishap::server
