#include "client-tests/checks/waits_testing.h"

namespace mishap::client_tests {

namespace {

Finding family_of(const statistics::Waits& waits, std::size_t copies = 40) {
  RecordingBuilder r("outage-for-everybody");
  fail_together(r, waits, {.copies = copies, .retries = 3, .seed = 3});
  return ask(kJitterFamily, r);
}

}  // namespace

TEST(JitterFamily, NamesIt) {
  using namespace statistics;
  EXPECT_TRUE(mentions(family_of(growing(1, 2, no_jitter())), "jitter: fixed"));
  EXPECT_TRUE(mentions(family_of(growing(1, 2, plus_minus(0.2))), "jitter: proportional"));
  EXPECT_TRUE(mentions(family_of(growing(1, 2, between(0.5))), "jitter: equal"));
  EXPECT_TRUE(mentions(family_of(growing(1, 2, between(0))), "jitter: full"));
  EXPECT_TRUE(mentions(family_of(decorrelated(1, 99)), "jitter: decorrelated"));
}

TEST(JitterFamily, NeverFailsAndWantsThirty) {
  using namespace statistics;
  EXPECT_RULING(Pass, family_of(growing(1, 2, no_jitter())));
  EXPECT_RULING(NotApplicable, family_of(growing(1, 2, between(0)), 29));
}

}  // namespace mishap::client_tests
