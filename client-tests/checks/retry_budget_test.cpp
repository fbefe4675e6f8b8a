#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// So many calls that fail, each with as many attempts as `attempts` says; 10 ms from one to the
// next.
void failing_calls(RecordingBuilder& r, int calls, const std::function<int(int)>& attempts) {
  for (int i = 0; i < calls; ++i) {
    auto call = r.create("r-" + std::to_string(i));
    for (int k = 0; k < attempts(i); ++k) {
      const Duration at = i * 10ms + k * 1ms;
      call.attempt(at).fired("outage").failed_with(503, at);
    }
  }
}

Finding budget_of(const std::function<int(int)>& attempts, int calls = 300,
                  const Node& values = parameters({{"claimed", "true"}})) {
  RecordingBuilder r("x");
  failing_calls(r, calls, attempts);
  return ask(kRetryBudget, r, values);
}

}  // namespace

TEST(RetryBudget, TellsWhoseRetriesDryUp) {
  EXPECT_RULING(Pass, budget_of([](int i) { return i < 60 ? 3 : 1; }));
  EXPECT_RULING(Fail, budget_of([](int) { return 3; }));
  EXPECT_TRUE(mentions(budget_of([](int) { return 3; }),
                       "3.00 attempts each in the first third, 3.00 in the last"));
  EXPECT_RULING(Inconclusive, budget_of([](int i) { return i < 150 ? 4 : 2; }));
}

TEST(RetryBudget, AFixedRateIsOneToo) {
  const auto one_in_two = [](int i) { return i < 100 ? 4 : 1 + i % 2; };
  EXPECT_RULING(Pass,
                budget_of(one_in_two, 300, parameters({{"claimed", "true"}, {"rate", "60"}})));
}

TEST(RetryBudget, APromiseIsAClaimAndHoldsWhereThereIsAnOccasion) {
  const auto promised = [](int calls, const std::function<int(int)>& attempts) {
    RecordingBuilder r("x");
    r.promise().retry_budget = 60;
    failing_calls(r, calls, attempts);
    return ask(kRetryBudget, r);
  };
  EXPECT_RULING(Fail, promised(300, [](int) { return 3; }));
  EXPECT_RULING(Pass, promised(300, [](int i) { return i < 100 ? 4 : 1 + i % 2; }));
  EXPECT_RULING(NotApplicable, promised(299, [](int) { return 3; }));
  EXPECT_RULING(NotApplicable, promised(300, [](int) { return 1; }));
}

TEST(RetryBudget, WithoutRetriesNothingDriesUp) {
  EXPECT_RULING(Inconclusive, budget_of([](int) { return 1; }));
  EXPECT_RULING(Pass, budget_of([](int i) { return i == 7 ? 2 : 1; }));
  EXPECT_RULING(Fail, budget_of([](int i) { return i < 100 ? 1 : 3; }));
}

TEST(RetryBudget, WantsAClaimAndThreeHundredCalls) {
  EXPECT_RULING(NotApplicable, budget_of([](int) { return 3; }, 300, {}));
  EXPECT_RULING(Inconclusive, budget_of([](int) { return 3; }, 299));
  EXPECT_RULING(NotApplicable, budget_of([](int) { return 3; }, 0));
}

}  // namespace mishap::client_tests
