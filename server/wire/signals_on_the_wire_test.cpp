#include <mutex>
#include <thread>

#include "server/wire/faults_on_the_wire_fixture.h"

// Signals to the client: whoever runs it is asked, and the exchange waits for the word that it was
// done.
namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

class SignalOnTheWire : public FaultOnTheWire {
 protected:
  // From here on somebody runs the client.
  void listen() {
    run_->on_signal([this](const SignalOrder& order) {
      const std::lock_guard lock(mutex_);
      orders_.push_back(order);
    });
  }

  std::vector<SignalOrder> orders() {
    const std::lock_guard lock(mutex_);
    return orders_;
  }

  // Polled, since an order is no change of the journal.
  SignalOrder ordered() {
    const Duration deadline = clock_.now() + 5s;
    while (orders().empty() && clock_.now() < deadline) std::this_thread::yield();
    EXPECT_FALSE(orders().empty());
    return orders().empty() ? SignalOrder{} : orders().front();
  }

  Duration run_time() const { return clock_.now() - run_->began(); }

  Exchange ended() {
    EXPECT_TRUE(run_->wait(
        [](const Journal& journal) {
          return !journal.exchanges.empty() && journal.exchanges[0].receipt.ended &&
                 !journal.exchanges[0].rules.empty();
        },
        5s));
    return run_->snapshot().exchanges.at(0);
  }

 private:
  std::mutex mutex_;
  std::vector<SignalOrder> orders_;
};

TEST_F(SignalOnTheWire, HoldsTheRequestUntilTheClientIsGone) {
  begin_with("  - {on: any, when: {request: 1}, fault: {kind: client_killed, restart: 300ms}}\n");
  listen();
  RawClient client(port());
  client.send(post("/v1/bookings"));
  const SignalOrder asked = ordered();
  EXPECT_EQ(asked.signal, "SIGKILL");
  EXPECT_EQ(asked.lane, 0);
  EXPECT_EQ(asked.restart_after, Duration(300ms));
  client.reset();
  EXPECT_FALSE(run_->wait([](const Journal& journal) { return !journal.effects.empty(); }, 100ms));
  EXPECT_TRUE(run_->snapshot().effects.empty()) << "it waits for the word, not for the RST";
  const Duration at = run_time();
  run_->signalled(asked.number, at, true);
  const Exchange seen = ended();
  EXPECT_EQ(seen.effects.size(), 1U) << "a vendor does not stop when its caller dies";
  ASSERT_EQ(seen.receipt.signals.size(), 1U);
  EXPECT_EQ(seen.receipt.signals[0].sent, at);
  EXPECT_TRUE(seen.receipt.signals[0].gone);
  EXPECT_TRUE(seen.rules.at(0).delivered) << seen.rules.at(0).shortfall;
  next_request_is_clean();
}

TEST_F(SignalOnTheWire, MayTakeTheRequestWithIt) {
  begin_with("  - {on: any, fault: {kind: client_killed, carried_out: false}}\n");
  listen();
  RawClient client(port());
  client.send(post("/v1/bookings"));
  const SignalOrder asked = ordered();
  EXPECT_FALSE(asked.restart_after);
  run_->signalled(asked.number, run_time(), true);
  client.receive_to_end();
  EXPECT_EQ(client.take(), "");
  EXPECT_EQ(client.end(), RawClient::End::Fin);
  EXPECT_TRUE(ended().effects.empty());
}

TEST_F(SignalOnTheWire, ComesBehindTheAnswerAndNotBeforeItsTime) {
  begin_with(
      "  - {on: any, fault: {kind: client_killed, signal: SIGTERM, at: after_response, "
      "after: 200ms}}\n");
  listen();
  RawClient client(port());
  client.send(post("/v1/bookings"));
  client.receive_until("\r\n\r\n");
  const Duration answered = clock_.now();
  EXPECT_THAT(client.take(), StartsWith("HTTP/1.1 201"));
  const SignalOrder asked = ordered();
  EXPECT_GE(clock_.now() - answered, 190ms);
  EXPECT_EQ(asked.signal, "SIGTERM");
  run_->signalled(asked.number, run_time(), false);
  const Exchange seen = ended();
  EXPECT_TRUE(seen.rules.at(0).delivered) << seen.rules.at(0).shortfall;
  EXPECT_EQ(seen.receipt.ending, Ending::KeptAlive) << "the client goes on until it ends itself";
}

// A refusal in the vendor's place, and the signal in the wait that it asks for.
TEST_F(SignalOnTheWire, ComesBehindAnAnswerThatARuleGave) {
  begin_with(
      "  - {on: any, fault: {kind: status, code: 503, retry_after: '2'}}\n"
      "  - {on: any, fault: {kind: client_killed, at: after_response}}\n");
  listen();
  RawClient client(port());
  client.send(post("/v1/bookings"));
  client.receive_until("\r\n\r\n");
  EXPECT_THAT(client.take(), HasSubstr("\r\nRetry-After: 2\r\n"));
  run_->signalled(ordered().number, run_time(), true);
  const Exchange seen = ended();
  EXPECT_TRUE(seen.effects.empty());
  ASSERT_EQ(seen.rules.size(), 2U);
  EXPECT_TRUE(seen.rules[1].delivered) << seen.rules[1].shortfall;
}

TEST_F(SignalOnTheWire, IsSentToNobodyWhereNobodyRunsTheClient) {
  begin_with("  - {on: any, fault: {kind: client_killed, at: after_effect}}\n");
  RawClient client(port());
  client.send(post("/v1/bookings"));
  client.receive_until("\r\n\r\n");
  EXPECT_THAT(client.take(), StartsWith("HTTP/1.1 201"));
  const Exchange seen = ended();
  EXPECT_FALSE(seen.rules.at(0).delivered);
  EXPECT_THAT(seen.rules.at(0).shortfall, HasSubstr("nobody here runs the client"));
}

TEST_F(SignalOnTheWire, KeepsNoRunFromItsEnd) {
  begin_with("  - {on: any, fault: client_killed}\n");
  listen();
  RawClient client(port());
  client.send(post("/v1/bookings"));
  const SignalOrder asked = ordered();
  const Duration began = clock_.now();
  const Journal journal = run_->end();
  EXPECT_LT(clock_.now() - began, 5s);
  run_->signalled(asked.number, run_time(), true);  // too late, and harmless
  EXPECT_FALSE(journal.exchanges.at(0).receipt.ended.has_value() &&
               journal.exchanges.at(0).receipt.delivery == Delivery::Complete);
}

}  // namespace
}  // namespace mishap::server
