// A batch in the history: each item is told as a call of its own.
#include <gtest/gtest.h>

#include <mishap/history.h>

#include "client-tests/checks/history_builder.h"

namespace mishap::client_tests {

using namespace std::chrono_literals;

struct Three {
  explicit Three(RecordingBuilder& r)
      : a(r.create("R1").key("k1")), b(r.create("R2").key("k2")), c(r.create("R3").key("k3")) {}
  OperationBuilder a;
  OperationBuilder b;
  OperationBuilder c;
};

TEST(BatchHistory, TellsOfEachItemAsOfACall) {
  RecordingBuilder r("x");
  Three t(r);
  r.batch(0ms, {&t.a, &t.b, &t.c}).told({201, 503, 201}, 4ms).by_rule(2);
  r.batch(500ms, {&t.b}).told({201}, 504ms);
  const History history = make_history(r.recording());
  ASSERT_EQ(history.operations.size(), 3U);
  EXPECT_TRUE(history.unmatched.empty());
  EXPECT_EQ(history.items.size(), 4U);
  const Operation& done = history.operations[0];
  const Operation& failed = history.operations[1];
  EXPECT_EQ(done.attempts.size(), 1U);
  EXPECT_EQ(done.attempts[0].result, Result::Success);
  EXPECT_EQ(done.name, "R1");
  EXPECT_EQ(done.klass, OperationClass::Keyed);
  EXPECT_EQ(done.effects.size(), 1U);
  EXPECT_EQ(done.path, "/v1/bookings/batch");
  ASSERT_EQ(failed.attempts.size(), 2U);
  EXPECT_EQ(failed.attempts[0].result, Result::ServerError);
  EXPECT_EQ(failed.attempts[0].truth, Truth::NoEffect);
  EXPECT_EQ(failed.attempts[1].result, Result::Success);
  EXPECT_EQ(*failed.attempts[1].gap, 496ms);
  EXPECT_EQ(failed.keys, std::vector<std::string>{"k2"});
  for (const auto& item : history.items) EXPECT_TRUE(item.items.empty());
}

TEST(BatchHistory, ALostAnswerIsLostForEachItem) {
  RecordingBuilder r("x");
  Three t(r);
  r.batch(0ms, {&t.a, &t.b, &t.c}).took_effect(1).took_effect(2).lost_by_reset(4ms);
  const History history = make_history(r.recording());
  for (const Operation& operation : history.operations) {
    EXPECT_EQ(operation.attempts.at(0).result, Result::Broken);
    EXPECT_EQ(operation.attempts.at(0).knowable, Knowable::Ambiguous);
  }
  EXPECT_EQ(history.operations[0].attempts[0].truth, Truth::Effect);
  EXPECT_EQ(history.operations[2].attempts[0].truth, Truth::NoEffect);
}

TEST(BatchHistory, AnotherAnswerIsThatOfEachItem) {
  RecordingBuilder r("x");
  Three t(r);
  r.batch(0ms, {&t.a, &t.b}).failed_with(503, 4ms);
  r.batch(500ms, {&t.a, &t.b}).spoiled(207, 504ms);
  const History history = make_history(r.recording());
  EXPECT_EQ(history.operations[0].attempts.at(0).result, Result::ServerError);
  EXPECT_EQ(history.operations[0].attempts.at(1).result, Result::Spoiled);
}

TEST(BatchHistory, RetryAfterIsThatOfTheFailedOnes) {
  RecordingBuilder r("x");
  Three t(r);
  r.batch(0ms, {&t.a, &t.b}).told({201, 503}, 4ms).by_rule(2).header("Retry-After", "2");
  const History history = make_history(r.recording());
  EXPECT_TRUE(history.operations[0].attempts.at(0).exchange->answer.headers.empty());
  EXPECT_EQ(history.operations[1].attempts.at(0).result, Result::Throttled);
}

TEST(BatchHistory, AKeyOfTheWholeBatchLetsItBeRepeated) {
  RecordingBuilder r("x");
  auto a = r.create("R1");
  auto b = r.create("R2").key("k2");
  r.batch(0ms, {&a, &b}).key("whole").told({201, 201}, 4ms);
  const History history = make_history(r.recording());
  EXPECT_EQ(history.operations[0].klass, OperationClass::Idempotent);
  EXPECT_EQ(history.operations[1].klass, OperationClass::Keyed);
}

TEST(BatchHistory, OneWithoutItemsBelongsToNoOperation) {
  RecordingBuilder r("x");
  r.batch(0ms, {}).incomplete().lost_by_reset(4ms);
  EXPECT_EQ(make_history(r.recording()).unmatched.size(), 1U);
}

}  // namespace mishap::client_tests
