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

Calibration calibrated(int copies, double spread) {
  Calibration made{.copies = copies, .asked = 250ms};
  statistics::Chance chance(3);
  for (int i = 0; i < copies * 3; ++i) {
    made.gaps.push_back(as_duration(0.25 + chance.uniform(0, spread)));
  }
  return made;
}

TEST(NoiseOfCopies, IsThatOfTheBuiltInClientWhereItWasRun) {
  RecordingBuilder r("x");
  fail_together(r, statistics::constant(1, statistics::no_jitter()), {.copies = 40, .noise = 0.1});
  r.recording().calibration = calibrated(40, 0.010);
  EXPECT_NEAR(noise_of_copies(CaseOf(r).value).value_or(0), 0.008, 0.002);
  // A client that made one call alone, of which nothing else could be told.
  RecordingBuilder single("x");
  single.create("a").attempt(0ms).failed_with(503, 1ms);
  EXPECT_FALSE(noise_of_copies(CaseOf(single).value));
  single.recording().calibration = calibrated(40, 0.010);
  EXPECT_NEAR(noise_of_copies(CaseOf(single).value).value_or(0), 0.008, 0.002);
}

TEST(NoiseOfCopies, OfABadCalibrationIsThatOfTheCopies) {
  RecordingBuilder r("x");
  fail_together(r, statistics::constant(1, statistics::no_jitter()), {.copies = 40, .noise = 0.1});
  for (const int copies : {-1, 0, 7}) {
    r.recording().calibration = calibrated(std::max(copies, 0), 0.01);
    r.recording().calibration->copies = copies;
    EXPECT_NEAR(noise_of_copies(CaseOf(r).value).value_or(0), 0.080, 0.020) << copies;
  }
  r.recording().calibration = Calibration{.copies = 1'000'000'000, .asked = 1ms, .gaps = {1ms}};
  EXPECT_NEAR(noise_of_copies(CaseOf(r).value).value_or(0), 0.080, 0.020);
}

TEST(NoiseOfCopies, IsUnknownFromAFew) {
  EXPECT_FALSE(noise_of({.copies = 7}));
}

}  // namespace mishap::client_tests
