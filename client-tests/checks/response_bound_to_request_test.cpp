#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

void two_creates(RecordingBuilder& r, const std::string& first_id, const std::string& second_id) {
  for (int i = 1; i <= 2; ++i) {
    auto call = r.create("r-" + std::to_string(i));
    call.attempt(i * 1s).effect("bk_" + std::to_string(i)).answered(201, i * 1s + 5ms);
    r.outcome(i * 1s + 10ms, "r-" + std::to_string(i), OutcomeKind::Succeeded).id =
        i == 1 ? first_id : second_id;
  }
}

Finding ids_of(const std::string& first_id, const std::string& second_id) {
  RecordingBuilder r("x");
  two_creates(r, first_id, second_id);
  return ask(kResponseBoundToRequest, r);
}

}  // namespace

TEST(ResponseBoundToRequest, ComparesIdsWithTheLedger) {
  EXPECT_RULING(Pass, ids_of("bk_1", "bk_2"));
  EXPECT_RULING(Fail, ids_of("bk_1", "bk_1"));
  EXPECT_TRUE(mentions(ids_of("bk_1", "bk_1"), "r-2: reported with id bk_1, made was bk_2"));
  EXPECT_RULING(Fail, ids_of("bk_1", "bk_90210"));  // nobody's
}

TEST(ResponseBoundToRequest, IsNotObservedWithoutIds) {
  EXPECT_RULING(NotObserved, ids_of("", ""));
  RecordingBuilder silent("x");
  auto call = silent.create("r-1");
  call.attempt(0ms).effect("bk_1").answered(201, 5ms);
  EXPECT_RULING(NotObserved, ask(kResponseBoundToRequest, silent));
}

TEST(ResponseBoundToRequest, OneThingCannotBeMixedUp) {
  RecordingBuilder r("x");
  auto call = r.create("r-1");
  call.attempt(0ms).effect("bk_1").answered(201, 5ms);
  r.outcome(10ms, "r-1", OutcomeKind::Succeeded).id = "bk_1";
  EXPECT_RULING(NotApplicable, ask(kResponseBoundToRequest, r));
}

TEST(ResponseBoundToRequest, WhatFailedHasNoId) {
  RecordingBuilder r("x");
  two_creates(r, "bk_1", "bk_2");
  r.outcome(5s, "r-2", OutcomeKind::Failed).id = "bk_7";
  EXPECT_RULING(Pass, ask(kResponseBoundToRequest, r));
}

}  // namespace mishap::client_tests
