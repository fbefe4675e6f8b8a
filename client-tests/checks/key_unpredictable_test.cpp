#include "client-tests/checks/check_testing.h"
#include "client-tests/statistics/simulated_clients_testing.h"

namespace mishap::client_tests {

namespace {

Finding keys_made_by(const std::function<std::string(int)>& key, int keys = 12,
                     const Node& values = {}) {
  RecordingBuilder r("x");
  for (int i = 0; i < keys; ++i) {
    auto call = r.create("booking-" + std::to_string(100 + i)).key(key(i));
    call.attempt(i * 1s).effect().answered(201, i * 1s + 1ms);
  }
  return ask(kKeyUnpredictable, r, values);
}

std::string random_hex(statistics::Chance& chance, int digits) {
  std::string text;
  for (int i = 0; i < digits; ++i) {
    text += "0123456789abcdef"[static_cast<int>(chance.uniform(0, 15.99))];
  }
  return text;
}

}  // namespace

TEST(KeyUnpredictable, PassesRandomOnes) {
  statistics::Chance chance(8);
  EXPECT_RULING(Pass, keys_made_by([&](int) { return random_hex(chance, 32); }));
  EXPECT_RULING(Pass, keys_made_by([&](int) { return "shop-7-" + random_hex(chance, 18); }));
}

TEST(KeyUnpredictable, FailsShortOnesSequencesAndReferences) {
  statistics::Chance chance(9);
  EXPECT_RULING(Fail, keys_made_by([](int i) { return std::to_string(i + 1); }));
  EXPECT_RULING(Fail, keys_made_by([](int i) { return "order-0000000000" + std::to_string(i); }));
  EXPECT_RULING(Fail, keys_made_by([&](int) { return random_hex(chance, 8) + "-aaaa-bbbb"; }));
  const Finding told = keys_made_by(
      [&](int i) { return "booking-" + std::to_string(100 + i) + random_hex(chance, 32); });
  EXPECT_RULING(Fail, told);
  EXPECT_TRUE(mentions(told, "it holds the reference"));
  EXPECT_TRUE(kKeyUnpredictable.advisory);
}

TEST(KeyUnpredictable, WantsTenKeys) {
  EXPECT_RULING(NotApplicable, keys_made_by([](int i) { return std::to_string(i); }, 9));
}

TEST(KeyUnpredictable, NaturalKeysAreADecision) {
  EXPECT_RULING(NotApplicable, keys_made_by([](int i) { return std::to_string(i); }, 12,
                                            parameters({{"natural", "true"}})));
}

}  // namespace mishap::client_tests
