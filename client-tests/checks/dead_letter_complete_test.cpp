#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// Given up after two attempts.
void give_up(RecordingBuilder& r, const std::string& reference = "r-1") {
  r.recording().claims.dead_letters = true;
  auto create = r.create(reference);
  create.attempt(0ms).fired("ill").failed_with(503, 1ms);
  create.attempt(100ms).fired("ill").failed_with(503, 101ms);
  r.outcome(110ms, reference, OutcomeKind::Failed);
}

DeadLetter& keep(RecordingBuilder& r, const std::string& reference = "r-1") {
  DeadLetter& letter = r.recording().dead_letters.emplace_back();
  letter.operation = reference;
  letter.error = "503";
  letter.attempts = 2;
  letter.has_payload = true;
  return letter;
}

}  // namespace

TEST(DeadLetterComplete, FailsWhatIsNotKept) {
  RecordingBuilder r("x");
  give_up(r);
  give_up(r, "r-2");
  keep(r);
  r.process(0ms, 200ms, 1);
  const Finding finding = ask(kDeadLetterComplete, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "r-2: given up after 503 -> 503, and not among 1 dead letter"))
      << statements(finding);
}

TEST(DeadLetterComplete, PassesWhatIsKeptWhole) {
  RecordingBuilder r("x");
  give_up(r);
  keep(r);
  r.process(0ms, 200ms, 1);
  EXPECT_RULING(Pass, ask(kDeadLetterComplete, r));
}

TEST(DeadLetterComplete, FailsWhatLacksSomething) {
  const std::pair<std::string, void (*)(DeadLetter&)> cases[] = {
      {"the last error", [](DeadLetter& letter) { letter.error.clear(); }},
      {"the number of attempts", [](DeadLetter& letter) { letter.attempts.reset(); }},
      {"the payload", [](DeadLetter& letter) { letter.has_payload = false; }},
      {"the payload: a.json is not there",
       [](DeadLetter& letter) {
         letter.has_payload = false;
         letter.payload_file = "a.json";
       }},
      {"the payload: a.json is empty", [](DeadLetter& letter) {
         letter.has_payload = false;
         letter.payload_file = "a.json";
         letter.payload_bytes = 0;
       }}};
  for (const auto& [missing, spoil] : cases) {
    RecordingBuilder r("x");
    give_up(r);
    spoil(keep(r));
    r.process(0ms, 200ms, 1);
    const Finding finding = ask(kDeadLetterComplete, r);
    EXPECT_RULING(Fail, finding);
    EXPECT_TRUE(mentions(finding, "lacks " + missing)) << statements(finding);
  }
}

TEST(DeadLetterComplete, AFileThatIsThereIsAPayload) {
  RecordingBuilder r("x");
  give_up(r);
  DeadLetter& letter = keep(r);
  letter.has_payload = false;
  letter.payload_file = "a.json";
  letter.payload_bytes = 20;
  letter.attempts = 5;
  r.process(0ms, 200ms, 1);
  const Finding finding = ask(kDeadLetterComplete, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "says 5 attempts, 2 came")) << statements(finding);
}

TEST(DeadLetterComplete, JudgesOnlyWhatWasClaimedAndGivenUp) {
  RecordingBuilder unclaimed("x");
  give_up(unclaimed);
  unclaimed.recording().claims.dead_letters = false;
  unclaimed.process(0ms, 200ms, 1);
  EXPECT_RULING(NotApplicable, ask(kDeadLetterComplete, unclaimed));

  RecordingBuilder refused("x");
  refused.recording().claims.dead_letters = true;
  refused.create("r-1").attempt(0ms).fired("no").failed_with(422, 1ms);
  refused.outcome(10ms, "r-1", OutcomeKind::Failed);
  refused.process(0ms, 200ms, 1);
  EXPECT_RULING(NotApplicable, ask(kDeadLetterComplete, refused));

  RecordingBuilder strange("x");
  give_up(strange);
  strange.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kDeadLetterComplete, strange));
}

// Whether a 500 or a 408 is worth another attempt is the client's own to say.
TEST(DeadLetterComplete, WhatTheClientMayTakeForFinalWasNotGivenUp) {
  for (const StatusCode status : {500, 408}) {
    RecordingBuilder once("x");
    once.recording().claims.dead_letters = true;
    once.create("r-1").attempt(0ms).fired("ill").failed_with(status, 1ms);
    once.outcome(10ms, "r-1", OutcomeKind::Failed);
    once.process(0ms, 200ms, 1);
    EXPECT_RULING(NotApplicable, ask(kDeadLetterComplete, once)) << status;

    for (const StatusCode first : {StatusCode{503}, status}) {
      RecordingBuilder twice("x");
      twice.recording().claims.dead_letters = true;
      auto create = twice.create("r-1");
      create.attempt(0ms).fired("ill").failed_with(first, 1ms);
      create.attempt(100ms).fired("ill").failed_with(status, 101ms);
      twice.outcome(110ms, "r-1", OutcomeKind::Failed);
      twice.process(0ms, 200ms, 1);
      const auto expected = first == status ? Ruling::Fail : Ruling::NotApplicable;
      EXPECT_EQ(ask(kDeadLetterComplete, twice).ruling, expected) << first << " -> " << status;
    }
  }
}

TEST(DeadLetterComplete, WhatCouldNotBeReadMayHoldTheLetter) {
  RecordingBuilder r("x");
  give_up(r);
  r.process(0ms, 200ms, 1);
  r.recording().unread_dead_letters = {1};
  EXPECT_RULING(Fail, ask(kDeadLetterComplete, r)) << "another copy's";
  r.recording().unread_dead_letters = {0};
  const Finding finding = ask(kDeadLetterComplete, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_TRUE(mentions(finding, "not all of its dead letters could be read"));
  keep(r).error.clear();
  EXPECT_RULING(Fail, ask(kDeadLetterComplete, r)) << "this one was read";
}

TEST(DeadLetterComplete, AClientThatWasKilledMayHaveHadNoTime) {
  RecordingBuilder r("x");
  give_up(r);
  killed(r, 200ms);
  EXPECT_RULING(Inconclusive, ask(kDeadLetterComplete, r));
}

}  // namespace mishap::client_tests
