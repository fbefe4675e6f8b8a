#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

void print(RecordingBuilder& r, const std::string& text, const std::string& stream = "stderr") {
  Captured& captured = r.recording().output.emplace_back();
  captured.stream = stream;
  captured.head = text;
  captured.bytes = text.size();
}

void try_thrice(RecordingBuilder& r) {
  auto create = r.create("r-1").key("k-1");
  create.attempt(0ms).fired("ill").failed_with(503, 1ms).header("X-Request-Id", "req-77");
  create.attempt(100ms).fired("ill").failed_with(503, 101ms).header("X-Request-Id", "req-77");
  create.attempt(300ms).effect().answered(201, 302ms);
}

std::string object(int attempt, const std::string& more = R"(,"next":"again")") {
  return R"({"operation":"r-1","attempt":)" + std::to_string(attempt) +
         R"(,"duration_ms":3,"category":"transient")" + more + "}\n";
}

}  // namespace

TEST(LogsCorrelateAttempts, FailsLinesThatNameNoOperation) {
  RecordingBuilder r("x");
  try_thrice(r);
  print(r, "failed, again\nfailed, again\nr-1 done\nr-12 is another\n");
  const Finding finding = ask(kLogsCorrelateAttempts, r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "r-1: 1 line with its reference or key < 3 attempts - 1"))
      << statements(finding);
}

TEST(LogsCorrelateAttempts, PassesLinesWithTheReferenceOrTheKey) {
  for (const std::string name : {"r-1", "k-1"}) {
    RecordingBuilder r("x");
    try_thrice(r);
    print(r, "op=" + name + " failed\n", "stdout");
    print(r, "op=" + name + " failed\n", "file:app.log");
    EXPECT_RULING(Pass, ask(kLogsCorrelateAttempts, r));
  }
}

TEST(LogsCorrelateAttempts, OneAttemptIsNoOccasion) {
  RecordingBuilder r("x");
  r.create("r-1").attempt(0ms).answered(201, 1ms);
  print(r, "hello\n");
  EXPECT_RULING(NotApplicable, ask(kLogsCorrelateAttempts, r));
}

TEST(LogsCorrelateAttempts, WhoPrintsNothingIsNotJudged) {
  RecordingBuilder r("x");
  try_thrice(r);
  print(r, "");
  EXPECT_RULING(NotApplicable, ask(kLogsCorrelateAttempts, r));
  r.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kLogsCorrelateAttempts, r));
}

TEST(LogsCorrelateAttempts, WhatWasNotKeptMayHaveNamedIt) {
  RecordingBuilder r("x");
  try_thrice(r);
  print(r, "failed\n");
  r.recording().output.back().bytes = 200 * 1024;
  EXPECT_RULING(Inconclusive, ask(kLogsCorrelateAttempts, r));
}

TEST(LogsCorrelateAttempts, JsonLogsHaveAnObjectForEachAttempt) {
  RecordingBuilder r("x");
  try_thrice(r);
  r.recording().claims.json_logs = true;
  print(r, object(1) + object(2) + object(3) + R"({"note":"bye"})" + "\n");
  EXPECT_RULING(Pass, ask(kLogsCorrelateAttempts, r));

  r.recording().output.back().head = object(1) + object(2);
  const Finding two = ask(kLogsCorrelateAttempts, r);
  EXPECT_RULING(Fail, two);
  EXPECT_TRUE(mentions(two, "r-1: 2 lines of its attempts < 95 % of 3 attempts"))
      << statements(two);

  r.recording().output.back().head = object(1) + object(2) + object(3, "");
  EXPECT_TRUE(mentions(ask(kLogsCorrelateAttempts, r), "has no \"next\""));

  r.recording().output.back().head = object(1) + "plain text\n";
  EXPECT_TRUE(mentions(ask(kLogsCorrelateAttempts, r), "is no JSON object"));
}

TEST(LogsCorrelateAttempts, TheVendorsRequestIdIsLookedForWhereItIsNamed) {
  RecordingBuilder r("x");
  try_thrice(r);
  print(r, "op=r-1 503 req-77\nop=r-1 503\nop=r-1 done\n");
  const Node named = parameters({{"request_id", "req-77"}});
  const Finding finding = ask(kLogsCorrelateAttempts, r, named);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "stands in 1 line < 95 % of 2 answers")) << statements(finding);
  r.recording().output.back().head = "op=r-1 503 req-77\nop=r-1 503 req-77\n";
  EXPECT_RULING(Pass, ask(kLogsCorrelateAttempts, r, named));
}

}  // namespace mishap::client_tests
