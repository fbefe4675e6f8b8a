#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// A call for each kind of failure, given up after two attempts.
void five_kinds(RecordingBuilder& r, const std::vector<std::string>& categories) {
  for (std::size_t kind = 0; kind < 5; ++kind) {
    auto call = r.create("r-" + std::to_string(kind));
    for (int k = 0; k < 2; ++k) {
      const Duration at = static_cast<Duration::rep>(kind) * Duration(10s) + k * 1s;
      auto attempt = call.attempt(at).fired("bad");
      if (kind == 0) attempt.left(at + 500ms);
      if (kind == 1) attempt.lost_by_reset(at + 1ms);
      if (kind == 2) attempt.failed_with(429, at + 1ms);
      if (kind == 3) attempt.failed_with(403, at + 1ms);
      if (kind == 4) attempt.spoiled(200, at + 1ms);
    }
    r.outcome(static_cast<Duration::rep>(kind) * Duration(10s) + 5s, "r-" + std::to_string(kind),
              OutcomeKind::Failed)
        .category = categories[kind];
  }
}

Finding categories(const std::vector<std::string>& names) {
  RecordingBuilder r("five-kinds");
  five_kinds(r, names);
  return ask(kErrorCategoryDistinct, r);
}

}  // namespace

TEST(ErrorCategoryDistinct, TellsOneNameForAllFromFive) {
  EXPECT_RULING(Pass, categories({"timeout", "network", "throttled", "permanent", "invalid"}));
  const Finding one = categories({"failed", "failed", "failed", "failed", "failed"});
  EXPECT_RULING(Fail, one);
  EXPECT_TRUE(mentions(one, "is called \"failed\", as invalid response is"));
  EXPECT_RULING(Fail, categories({"io", "io", "throttled", "permanent", "invalid"}));
}

TEST(ErrorCategoryDistinct, SaysHowManyItSaw) {
  EXPECT_TRUE(mentions(categories({"a", "b", "c", "d", "e"}), "5 of 5 kinds told apart"));
}

TEST(ErrorCategoryDistinct, WantsTwoKindsAndALabel) {
  EXPECT_RULING(NotObserved, categories({"", "", "", "", ""}));
  RecordingBuilder one("x");
  auto call = one.create("r-1");
  call.attempt(0ms).failed_with(429, 1ms);
  one.outcome(5s, "r-1", OutcomeKind::Failed).category = "failed";
  EXPECT_RULING(NotApplicable, ask(kErrorCategoryDistinct, one));
}

TEST(ErrorCategoryDistinct, MixedFailuresSayNothing) {
  RecordingBuilder r("x");
  for (int i = 0; i < 2; ++i) {
    auto call = r.create("r-" + std::to_string(i));
    call.attempt(i * 10s).failed_with(429, i * 10s);
    call.attempt(i * 10s + 1s).lost_by_reset(i * 10s + 1s);
    r.outcome(i * 10s + 2s, "r-" + std::to_string(i), OutcomeKind::Failed).category = "failed";
  }
  EXPECT_RULING(NotApplicable, ask(kErrorCategoryDistinct, r));
}

}  // namespace mishap::client_tests
