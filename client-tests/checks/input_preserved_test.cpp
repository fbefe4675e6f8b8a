#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

OutcomeLine& leave(RecordingBuilder& r, OutcomeKind kind, const std::string& reference = "r-1") {
  r.create(reference).attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
  return r.outcome(20ms, reference, kind);
}

void keep(OutcomeLine& line, std::optional<std::uint64_t> bytes) {
  line.kept = "drafts/r-1.json";
  line.kept_bytes = bytes;
}

}  // namespace

TEST(InputPreserved, FailsAFileThatIsGoneOrEmpty) {
  for (const auto kind : {OutcomeKind::Pending, OutcomeKind::Failed}) {
    RecordingBuilder gone("x");
    keep(leave(gone, kind), std::nullopt);
    gone.process(0ms, 30ms, 1);
    const Finding finding = ask(kInputPreserved, gone);
    EXPECT_RULING(Fail, finding);
    EXPECT_TRUE(mentions(finding, "drafts/r-1.json is not there")) << statements(finding);

    RecordingBuilder empty("x");
    keep(leave(empty, kind), 0);
    empty.process(0ms, 30ms, 1);
    EXPECT_TRUE(mentions(ask(kInputPreserved, empty), "drafts/r-1.json is empty"));
  }
}

TEST(InputPreserved, PassesAFileThatIsThere) {
  RecordingBuilder r("x");
  keep(leave(r, OutcomeKind::Pending), 80);
  r.process(0ms, 30ms, 1);
  EXPECT_RULING(Pass, ask(kInputPreserved, r));
}

TEST(InputPreserved, ADeadLetterWithItsPayloadKeepsItAsWell) {
  RecordingBuilder r("x");
  leave(r, OutcomeKind::Pending);
  r.recording().claims.dead_letters = true;
  r.process(0ms, 30ms, 1);
  DeadLetter& letter = r.recording().dead_letters.emplace_back();
  letter.operation = "r-1";
  letter.has_payload = true;
  EXPECT_RULING(Pass, ask(kInputPreserved, r));
}

// Dead letters are of what was given up; what is pending may lie in an outbox of the client's own.
TEST(InputPreserved, WhatIsPendingNeedsNoDeadLetter) {
  RecordingBuilder r("x");
  leave(r, OutcomeKind::Pending);
  r.recording().claims.dead_letters = true;
  r.process(0ms, 30ms, 1);
  const Finding finding = ask(kInputPreserved, r);
  EXPECT_RULING(NotObserved, finding);
  EXPECT_TRUE(mentions(finding, "1 operation pending, and no line says where"))
      << statements(finding);
}

TEST(InputPreserved, WhoSaysWhereHasToSayItOfAll) {
  RecordingBuilder r("x");
  keep(leave(r, OutcomeKind::Pending), 80);
  leave(r, OutcomeKind::Pending, "r-2");
  r.process(0ms, 30ms, 1);
  const Finding finding = ask(kInputPreserved, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "r-2: pending, and no word of where")) << statements(finding);
  r.recording().unread_dead_letters = {0};
  EXPECT_RULING(Inconclusive, ask(kInputPreserved, r)) << "it may be in a letter";
}

TEST(InputPreserved, WhatIsDoneNeedsNoInput) {
  RecordingBuilder r("x");
  keep(leave(r, OutcomeKind::Succeeded), std::nullopt);
  r.process(0ms, 30ms, 0);
  EXPECT_RULING(NotApplicable, ask(kInputPreserved, r));
}

TEST(InputPreserved, JudgesOnlyAClientThatSaysWhereItIs) {
  RecordingBuilder r("x");
  leave(r, OutcomeKind::Pending);
  r.process(0ms, 30ms, 1);
  EXPECT_RULING(NotApplicable, ask(kInputPreserved, r));
  RecordingBuilder strange("x");
  keep(leave(strange, OutcomeKind::Pending), std::nullopt);
  strange.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kInputPreserved, strange));
}

TEST(InputPreserved, OfAClientThatWasKilledNothingIsConcluded) {
  RecordingBuilder r("x");
  keep(leave(r, OutcomeKind::Pending), std::nullopt);
  killed(r, 200ms);
  EXPECT_RULING(Inconclusive, ask(kInputPreserved, r));
}

}  // namespace mishap::client_tests
