#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/journal/fingerprint.h"
#include "server/wire/wire_fixture.h"

// Plans that nobody thought of: whatever steps stand behind one another, a client sees just the
// bytes and the ending that they say, never earlier than they say, and the receipt says the same.
namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using End = RawClient::End;

// What is to be seen of a plan.
struct Plan {
  Steps steps;
  std::string bytes;
  Duration earliest{};  // of the last byte, from the request on
  End end = End::Fin;
  Ending ending = Ending::Closed;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : chance_(seed) {}

  Plan make() {
    Plan plan;
    pending_ = {};
    add_bytes(plan, Part::Head);
    for (int more = pick(0, 4); more > 0; --more) add_anything(plan);
    // What is unsent when a RST goes out is lost.
    plan.steps.emplace_back(AwaitAcknowledged{});
    add_ending(plan);
    return plan;
  }

 private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(chance_); }

  std::string text(int most) {
    std::string made(static_cast<std::size_t>(pick(1, most)), '\0');
    for (char& c : made) c = static_cast<char>(pick(0, 255));
    return made;
  }

  void add_anything(Plan& plan) {
    switch (pick(0, 3)) {
      case 0:
        return add_wait(plan);
      case 1:
        return add_many(plan);
      default:
        return add_bytes(plan, Part::Body);
    }
  }

  void add_wait(Plan& plan) {
    const auto length = std::chrono::microseconds(pick(0, 4000));
    plan.steps.emplace_back(Wait{length});
    pending_ += length;
  }

  void add_bytes(Plan& plan, Part part) {
    Send send{part, text(3000), 0, {}};
    plan.bytes += send.bytes;
    plan.earliest += std::exchange(pending_, {});
    if (pick(0, 1) == 1) {
      send.slice = static_cast<std::uint64_t>(pick(100, 800));
      send.gap = std::chrono::microseconds(pick(0, 500));
      const auto slices = (send.bytes.size() + send.slice - 1) / send.slice;
      plan.earliest += send.gap * static_cast<Duration::rep>(slices - 1);
    }
    plan.steps.emplace_back(std::move(send));
  }

  void add_many(Plan& plan) {
    SendMany many{Part::Body, text(60), static_cast<std::uint64_t>(pick(1, 40)), {}};
    many.gap = std::chrono::microseconds(pick(0, 1) * pick(0, 100));
    for (std::uint64_t i = 0; i < many.times; ++i) plan.bytes += many.unit;
    plan.earliest += std::exchange(pending_, {});
    plan.earliest += many.gap * static_cast<Duration::rep>(many.times - 1);
    plan.steps.emplace_back(std::move(many));
  }

  void add_ending(Plan& plan) {
    switch (pick(0, 3)) {
      case 0:
        plan.end = End::Reset;
        plan.ending = Ending::Reset;
        plan.steps.emplace_back(ResetConnection{});
        return;
      case 1:
        plan.end = End::Open;
        plan.ending = Ending::Stalled;
        plan.steps.emplace_back(Stall{});
        return;
      default:
        plan.steps.emplace_back(CloseConnection{.half = pick(0, 1) == 1});
    }
  }

  std::mt19937 chance_;
  Duration pending_{};  // waits in front of the next bytes
};

class RandomPlans : public WireTest, public testing::WithParamInterface<unsigned> {
 protected:
  static void see(const Plan& plan, RawClient& client) {
    if (plan.end == End::Open) {
      EXPECT_EQ(client.receive_bytes(plan.bytes.size()), plan.bytes);
      client.take();
      EXPECT_EQ(client.receive_for(3ms), "");
    } else {
      EXPECT_EQ(client.receive_to_end(), plan.bytes);
    }
    EXPECT_EQ(client.end(), plan.end);
    client.close();
  }

  static void compare(const Plan& plan, const SeenExchange& seen) {
    const Receipt& receipt = seen.receipt;
    EXPECT_EQ(receipt.bytes_written, plan.bytes.size());
    EXPECT_EQ(receipt.bytes_planned, plan.bytes.size());
    EXPECT_EQ(receipt.bytes_hash, fingerprint(plan.bytes).text());
    // A client that leaves a silent server may be quicker than a wait in front of the stall.
    const bool left_before = plan.ending == Ending::Stalled && receipt.ending == Ending::ClientLeft;
    EXPECT_TRUE(receipt.ending == plan.ending || left_before) << to_string(receipt.ending);
    ASSERT_TRUE(receipt.first_write && receipt.last_write && receipt.ended);
    EXPECT_GE(*receipt.last_write - seen.first_byte, plan.earliest);
    EXPECT_GE(*receipt.ended, *receipt.last_write);
    std::uint64_t written = 0;
    if (receipt.more_writes > 0) return;  // those in the middle are not kept
    for (const Write& write : receipt.writes) {
      EXPECT_EQ(write.offset, written);
      written += write.bytes;
    }
    EXPECT_EQ(written, plan.bytes.size());
  }
};

TEST_P(RandomPlans, AreSeenAndRecordedAsTheyWereMade) {
  constexpr std::size_t kPlans = 60;
  Maker maker(GetParam());
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < kPlans; ++i) plans.push_back(maker.make());
  engine_->at_apply = [&](const RequestHead& head) {
    return plans.at(std::stoul(head.target.substr(1))).steps;
  };
  begin();
  for (std::size_t i = 0; i < kPlans; ++i) {
    SCOPED_TRACE("plan " + std::to_string(i));
    RawClient client(port());
    client.send(get("/" + std::to_string(i)));
    see(plans[i], client);
  }
  const auto seen = engine_->exchanges_once_ended(kPlans);
  ASSERT_EQ(seen.size(), kPlans);
  for (std::size_t i = 0; i < kPlans; ++i) {
    SCOPED_TRACE("plan " + std::to_string(i));
    compare(plans[i], seen[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(OfSeed, RandomPlans, testing::Values(1U, 2U, 3U, 4U));

}  // namespace
}  // namespace mishap::server
