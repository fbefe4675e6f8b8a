#include "client-tests/checks/noise_floor.h"

#include "client-tests/checks/waits_testing.h"

namespace mishap::client_tests {

namespace {

std::optional<double> noise_of(const ManyCopies& how) {
  RecordingBuilder r("x");
  fail_together(r, statistics::constant(1, statistics::no_jitter()), how);
  return noise_of_copies(CaseOf(r).value);
}

}  // namespace

TEST(NoiseOfCopies, IsHowFarApartTheyAreWithoutAWait) {
  EXPECT_NEAR(noise_of({.copies = 40, .noise = 0.010}).value_or(0), 0.008, 0.002);
  EXPECT_NEAR(noise_of({.copies = 40, .noise = 0.100}).value_or(0), 0.080, 0.020);
}

TEST(NoiseOfCopies, IsUnknownFromAFew) {
  EXPECT_FALSE(noise_of({.copies = 7}));
}

}  // namespace mishap::client_tests
