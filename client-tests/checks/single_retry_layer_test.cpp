#include "client-tests/checks/waits_testing.h"

namespace mishap::client_tests {

namespace {

Finding layers_of(const statistics::Waits& waits, const ManyCopies& how) {
  RecordingBuilder r("outage-for-everybody");
  fail_together(r, waits, how);
  return ask(kSingleRetryLayer, r);
}

void attempts_with(RecordingBuilder& r, const std::vector<std::string>& counters) {
  auto call = r.create("r-1");
  for (std::size_t k = 0; k < counters.size(); ++k) {
    const Duration at = static_cast<Duration::rep>(k) * Duration(100ms);
    auto attempt = call.attempt(at).fired("outage").failed_with(503, at);
    attempt.raw().request.headers.push_back({"X-Stainless-Retry-Count", counters[k], false});
  }
}

}  // namespace

TEST(SingleRetryLayer, FindsALoopInALoopByItsWaits) {
  using namespace statistics;
  const ManyCopies nine = {.copies = 20, .retries = 8, .seed = 4};
  for (const auto& jittered : {no_jitter(), between(0), plus_minus(0.2)}) {
    const Finding nested =
        layers_of(statistics::nested(3, growing(0.1, 2, jittered), constant(2, jittered)), nine);
    EXPECT_RULING(Fail, nested);
    EXPECT_TRUE(mentions(nested, "they fall back after every 3 attempts: 3 x 3"));
    EXPECT_RULING(Pass, layers_of(growing(0.1, 2, jittered), nine));
  }
}

TEST(SingleRetryLayer, AFewWantEqualWaits) {
  using namespace statistics;
  const auto fixed = nested(3, growing(0.1, 2, no_jitter()), constant(2, no_jitter()));
  const auto drawn = nested(3, growing(0.1, 2, between(0)), constant(2, between(0)));
  const ManyCopies two = {.copies = 2, .retries = 8, .seed = 5};
  EXPECT_RULING(Fail, layers_of(fixed, two));
  EXPECT_RULING(NotApplicable, layers_of(drawn, two));
  EXPECT_RULING(Pass, layers_of(growing(0.1, 2, no_jitter()), two));
  const ManyCopies one = {.copies = 1, .retries = 8, .seed = 6};
  EXPECT_RULING(Fail, layers_of(fixed, one));
  EXPECT_RULING(NotApplicable, layers_of(growing(0.1, 2, no_jitter()), one));
}

TEST(SingleRetryLayer, WantsFourAttempts) {
  const ManyCopies three = {.copies = 20, .retries = 2};
  EXPECT_RULING(NotApplicable,
                layers_of(statistics::growing(0.1, 2, statistics::no_jitter()), three));
}

TEST(SingleRetryLayer, ReadsTheCounterThatALibrarySends) {
  RecordingBuilder restarts("x");
  attempts_with(restarts, {"0", "1", "2", "0", "1", "2"});
  const Finding finding = ask(kSingleRetryLayer, restarts);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "X-Stainless-Retry-Count begins anew: 0 after 2"));
  RecordingBuilder counts_on("x");
  attempts_with(counts_on, {"0", "1", "2", "3"});
  EXPECT_RULING(Pass, ask(kSingleRetryLayer, counts_on));
  RecordingBuilder switched_off("x");
  attempts_with(switched_off, {"0", "0", "0"});
  EXPECT_RULING(Pass, ask(kSingleRetryLayer, switched_off));
}

TEST(SingleRetryLayer, AProductOfThePromiseIsOne) {
  const auto of = [](int attempts, bool over) {
    RecordingBuilder r("x");
    r.promise().max_attempts = 3;
    auto call = r.create("r-1");
    for (int k = 0; k < attempts; ++k) call.attempt(k * 1s).failed_with(503, k * 1s);
    if (over) r.outcome(20s, "r-1", OutcomeKind::Failed);
    return ask(kSingleRetryLayer, r);
  };
  EXPECT_RULING(Fail, of(9, true));
  EXPECT_TRUE(mentions(of(9, true), "9 attempts = 3 x 3 promised ones"));
  EXPECT_RULING(NotApplicable, of(3, true));
  EXPECT_RULING(NotApplicable, of(7, true));
  EXPECT_RULING(NotApplicable, of(9, false));  // it was not over: no product, just many
}

}  // namespace mishap::client_tests
