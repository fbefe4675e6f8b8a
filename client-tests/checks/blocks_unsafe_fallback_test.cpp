#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

Finding ask_about_notes(const RecordingBuilder& run, const RecordingBuilder* control = nullptr) {
  return ask(kBlocksUnsafeFallback, run, control, nullptr,
             parameters({{"critical", "POST /v1/bookings"}, {"fallback", "POST /v1/notes"}}));
}

// Fails at 2 ms and at 102 ms.
OperationBuilder failed_create(RecordingBuilder& run, const std::string& reference = "b",
                               Duration at = 0ms, int lane = 0) {
  auto create = run.create(reference).lane(lane).key("k" + reference);
  create.attempt(at).fired("down").failed_with(503, at + 2ms);
  create.attempt(at + 100ms).fired("down").failed_with(503, at + 102ms);
  return create;
}

ExchangeBuilder note(RecordingBuilder& run, Duration at, int lane = 0) {
  return run.operation("POST", "/v1/notes").lane(lane).attempt(at).answered(201, at + 1ms);
}

}  // namespace

TEST(BlocksUnsafeFallback, NothingInItsPlaceIsRight) {
  RecordingBuilder r("x");
  failed_create(r);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask_about_notes(r));
}

TEST(BlocksUnsafeFallback, TheOtherCallIsAFail) {
  RecordingBuilder r("x");
  failed_create(r);
  note(r, 200ms);
  r.process(0ms, 1s, 1);
  const Finding finding = ask_about_notes(r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "b: POST /v1/notes came 0.20 s after it failed (503 -> 503)"))
      << statements(finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(BlocksUnsafeFallback, OnlyAsLongAsItFails) {
  RecordingBuilder before("x");
  note(before, 0ms);
  failed_create(before, "b", 100ms);
  before.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask_about_notes(before));

  RecordingBuilder after("x");
  auto create = failed_create(after);
  create.attempt(200ms).effect().answered(201, 202ms);
  note(after, 300ms);
  after.process(0ms, 1s, 0);
  EXPECT_RULING(NotApplicable, ask_about_notes(after)) << "done by then";

  RecordingBuilder others("x");
  failed_create(others);
  note(others, 200ms, 1);
  others.process(0ms, 1s, 1);
  EXPECT_RULING(Pass, ask_about_notes(others)) << "of another copy";
}

TEST(BlocksUnsafeFallback, ACallStandsForTheLastThatFailed) {
  RecordingBuilder r("x");
  failed_create(r, "a");
  failed_create(r, "b", 500ms);
  note(r, 700ms);
  r.process(0ms, 1s, 1);
  const Finding finding = ask_about_notes(r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "b: POST /v1/notes came")) << statements(finding);
  EXPECT_FALSE(mentions(finding, "a: POST /v1/notes came")) << statements(finding);
}

TEST(BlocksUnsafeFallback, PathsAreMatchedBySegment) {
  for (const auto& [fallback, is_met] :
       {std::pair("POST /v1/:other", true), std::pair("any /v1/notes", true),
        std::pair("PUT /v1/notes", false), std::pair("POST /v1/notes/:id", false),
        std::pair("POST /v1", false)}) {
    RecordingBuilder r("x");
    failed_create(r);
    note(r, 200ms);
    r.process(0ms, 1s, 1);
    const auto finding =
        ask(kBlocksUnsafeFallback, r,
            parameters({{"critical", "POST /v1/bookings"}, {"fallback", fallback}}));
    EXPECT_EQ(finding.ruling, is_met ? Ruling::Fail : Ruling::Pass) << fallback;
  }
}

TEST(BlocksUnsafeFallback, NoOccasionWithoutWordsAFailureOrATemptation) {
  RecordingBuilder r("x");
  failed_create(r);
  note(r, 200ms);
  r.process(0ms, 1s, 1);
  EXPECT_RULING(NotApplicable, ask(kBlocksUnsafeFallback, r)) << "nothing is named";

  RecordingBuilder control("x");
  note(control, 0ms);
  EXPECT_RULING(NotApplicable, ask_about_notes(r, &control)) << "its habit on the good day";

  RecordingBuilder well("x");
  well.create("b").key("k1").attempt(0ms).effect().answered(201, 2ms);
  well.process(0ms, 1s, 0);
  EXPECT_RULING(NotApplicable, ask_about_notes(well));
}

TEST(BlocksUnsafeFallback, AClientThatWasKilledMayHaveFallenBackLater) {
  RecordingBuilder r("x");
  failed_create(r);
  killed(r, 400ms);
  EXPECT_RULING(Inconclusive, ask_about_notes(r));
}

}  // namespace mishap::client_tests
