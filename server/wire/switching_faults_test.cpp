#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "server/wire/faults_on_the_wire_fixture.h"

// Many connections at once, and a fault for each request that nobody can foresee: what the journal
// and the ledger say of all of them agrees. ThreadSanitizer runs this as well.
namespace mishap::server {
namespace {

constexpr int kConnections = 64;
constexpr int kRequests = 12;

class SwitchingFaults : public FaultOnTheWire {
 protected:
  void agree(int threads_serving);

  // One client after the other on a connection, a new one where that was ended.
  void call(int number) {
    auto client = std::make_unique<RawClient>(port());
    for (int i = 0; i < kRequests; ++i) {
      client->send(post("/v1/bookings", "{\"reference\":\"r-" + std::to_string(number) + "-" +
                                            std::to_string(i) + "\"}"));
      ++sent_;
      client->receive_until("}");
      const bool goes_on = client->end() == End::Open;
      client->take();
      if (goes_on) continue;
      client = std::make_unique<RawClient>(port());
    }
    client->close();
  }

  std::atomic<std::size_t> sent_ = 0;
};

void SwitchingFaults::agree(int threads_serving) {
  begin_with(
      "  - {on: any, when: {rate: 15%}, fault: {kind: reset, at: after_effect}}\n"
      "  - {on: any, when: {rate: 15%}, fault: {kind: close, at: response_body, after: 3B}}\n"
      "  - {on: any, when: {rate: 15%}, fault: {kind: response_lost, by: close}}\n"
      "  - {on: any, when: {rate: 15%}, fault: {kind: reset, at: request_head}}\n"
      "  - {on: any, when: {rate: 15%}, fault: {kind: latency, for: 3ms}}\n"
      "  - {on: any, when: {rate: 15%}, fault: {kind: status, code: 503}}\n",
      threads_serving);
  std::vector<std::thread> clients;
  for (int i = 0; i < kConnections; ++i) clients.emplace_back([this, i] { call(i); });
  std::mutex telling;
  std::size_t told = 0;
  std::set<std::thread::id> threads;
  run_->on_exchange([&](const Exchange&) {
    const std::lock_guard lock(telling);
    ++told;
    threads.insert(std::this_thread::get_id());
  });
  for (auto& client : clients) client.join();
  EXPECT_TRUE(run_->wait(
      [](const Journal& seen) {
        return std::ranges::all_of(seen.connections,
                                   [](const Connection& one) { return one.closed.has_value(); });
      },
      20s));
  const Journal seen = run_->end();
  EXPECT_EQ(sent_, std::size_t{kConnections} * kRequests);
  EXPECT_EQ(seen.exchanges.size(), sent_);
  std::size_t applied = 0;
  for (const Exchange& exchange : seen.exchanges) {
    EXPECT_TRUE(exchange.receipt.ended) << exchange.number;
    if (exchange.applied) ++applied;
    // Where several meet, one may end what another was to act on.
    const auto fired = std::ranges::count(exchange.rules, true, &RuleHit::fired);
    for (const RuleHit& hit : exchange.rules) {
      EXPECT_TRUE(fired != 1 || hit.delivered || !hit.fired) << hit.fault << ": " << hit.shortfall;
    }
  }
  EXPECT_EQ(seen.effects.size(), applied);
  EXPECT_GT(told, 0U);
  EXPECT_LE(told, seen.exchanges.size());
  EXPECT_GT(applied, 0U);
  EXPECT_LT(applied, seen.exchanges.size());
  EXPECT_EQ(threads.size() > 1, threads_serving > 1);
}

TEST_F(SwitchingFaults, LeaveAJournalAndALedgerThatAgree) {
  agree(1);
}

TEST_F(SwitchingFaults, AgreeAsWellWhereSeveralThreadsServe) {
  agree(3);
}

// Whoever completes it is served by one thread, and those who wait by others.
TEST_F(SwitchingFaults, ABarrierHoldsAcrossThreads) {
  constexpr int kClients = 24;
  begin_with("  - {on: any, fault: {kind: barrier, count: " + std::to_string(kClients) +
                 ", within: 60s}}\n",
             3);
  std::vector<std::thread> clients;
  std::atomic<int> answered = 0;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([this, &answered] {
      RawClient client(port());
      client.send(post("/v1/bookings"));
      if (client.receive_until("}").find(" 201 ") != std::string::npos) ++answered;
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(answered, kClients);
}

}  // namespace
}  // namespace mishap::server
