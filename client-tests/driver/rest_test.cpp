#include "client-tests/driver/rest.h"

#include <gtest/gtest.h>

#include "client-tests/checks/history_builder.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;

TEST(Rest, ABreathIsEnoughWhereAllWentWell) {
  RecordingBuilder run("x");
  run.create("r-1").attempt(100ms).effect().answered(201, 110ms);
  EXPECT_EQ(silence_needed(run.recording()), Duration{});
  EXPECT_EQ(last_news(run.recording().journal), 110ms);
}

TEST(Rest, AfterAFailureSilenceMustLastForAQuietWindow) {
  RecordingBuilder run("x");
  auto booking = run.create("r-1");
  booking.attempt(100ms).failed_with(503, 110ms);
  EXPECT_GE(silence_needed(run.recording()), 3s);
  EXPECT_LT(silence_needed(run.recording()), 4s);
  // Though it recovered: a third attempt may come after a gap like the one before.
  booking.attempt(2110ms).effect().answered(201, 2120ms);
  EXPECT_GE(silence_needed(run.recording()), 4s);
  run.promise().max_delay = 10s;
  EXPECT_GE(silence_needed(run.recording()), 20s);
}

TEST(Rest, NothingAtAllIsNotAllWell) {
  RecordingBuilder run("x");
  EXPECT_GE(silence_needed(run.recording()), 3s);
}

TEST(Rest, APollThatFindsWhatItFoundIsNoNews) {
  RecordingBuilder run("x");
  auto read = run.read("/v1/products");
  read.attempt(100ms).answered(200, 110ms);
  read.poll(600ms).answered(200, 610ms);
  EXPECT_EQ(last_news(run.recording().journal), 110ms);
  read.poll(1100ms).failed_with(503, 1110ms);
  EXPECT_EQ(last_news(run.recording().journal), 1110ms);
  run.create("r-1").attempt(2000ms).effect().answered(201, 2010ms);
  EXPECT_EQ(last_news(run.recording().journal), 2010ms);
}

TEST(Rest, APollThatFailsForEverIsNoNewsAfterADozen) {
  RecordingBuilder run("x");
  auto read = run.read("/v1/products");
  read.attempt(0ms).failed_with(403, 10ms);
  for (int i = 1; i < 30; ++i) read.attempt(i * 100ms).failed_with(403, i * 100ms + 10ms);
  EXPECT_EQ(last_news(run.recording().journal), 1110ms);
}

TEST(Rest, OwesAnAnswerUntilItIsGivenOrTheClientLeaves) {
  RecordingBuilder run("x");
  auto booking = run.create("r-1");
  auto attempt = booking.attempt(100ms);
  attempt.stalled();
  EXPECT_TRUE(owes_an_answer(run.recording().journal));
  attempt.left(300ms);
  EXPECT_FALSE(owes_an_answer(run.recording().journal));
}

TEST(Rest, SitsOutTheWaitThatTheVendorAskedForButNotAnHour) {
  RecordingBuilder run("x");
  run.create("r-1").attempt(100ms).failed_with(429, 200ms).header("Retry-After", "5");
  EXPECT_EQ(waits_over_at(run.recording()), 200ms + 5s + 1s);
  RecordingBuilder long_one("x");
  long_one.create("r-1").attempt(100ms).failed_with(429, 200ms).header("Retry-After", "3600");
  EXPECT_EQ(waits_over_at(long_one.recording()), Duration{});
}

}  // namespace
}  // namespace mishap::client_tests
