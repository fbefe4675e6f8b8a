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

  r.recording().output.back().head = object(1) + object(2) + object(3) + "plain text\n";
  r.recording().output.back().stream = "file:app.log";
  EXPECT_TRUE(mentions(ask(kLogsCorrelateAttempts, r), "is no JSON object"));
}

// npm and a JVM say what they start on the streams of the client.
TEST(LogsCorrelateAttempts, WhatStartsAClientThatLogsJsonSaysItsOwn) {
  RecordingBuilder r("x");
  try_thrice(r);
  r.recording().claims.json_logs = true;
  print(r, "> app@1.0.0 start\n" + object(1) + object(2) + object(3), "stdout");
  const Finding finding = ask(kLogsCorrelateAttempts, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "warning: copy 0: 1 line of what it says is no JSON"));
}

TEST(LogsCorrelateAttempts, ALineThatAKillCutIsNoFault) {
  RecordingBuilder r("x");
  try_thrice(r);
  r.recording().claims.json_logs = true;
  print(r, object(1) + object(2) + object(3) + R"({"operation":"r-)", "file:app.log");
  EXPECT_RULING(Pass, ask(kLogsCorrelateAttempts, r));
}

// Head and tail of a long log begin and end in the middle of a line.
TEST(LogsCorrelateAttempts, LinesThatWereCutAreNotLookedAt) {
  RecordingBuilder r("x");
  try_thrice(r);
  r.recording().claims.json_logs = true;
  print(r, object(1) + R"({"operation":"r-1","att)", "file:app.log");
  Captured& captured = r.recording().output.back();
  captured.tail = R"(tempt":9})"
                  "\n" +
                  object(2) + object(3);
  captured.bytes = 200 * 1024;
  EXPECT_RULING(Pass, ask(kLogsCorrelateAttempts, r));

  captured.tail = "the end of a line\nplain text\n" + object(2) + object(3);
  EXPECT_RULING(Inconclusive, ask(kLogsCorrelateAttempts, r)) << "it may be part of a longer one";
}

TEST(LogsCorrelateAttempts, RequestIdsMayStandInWhatWasNotKept) {
  RecordingBuilder r("x");
  try_thrice(r);
  print(r, "op=r-1 503\nop=r-1 503\nop=r-1 done\n");
  r.recording().output.back().bytes = 200 * 1024;
  EXPECT_RULING(Inconclusive,
                ask(kLogsCorrelateAttempts, r, parameters({{"request_id", "req-77"}})));
}

// One that names the operation tells what the id of all its lines stands for.
TEST(LogsCorrelateAttempts, AnIdThatAllLinesShareIsAThread) {
  const std::string trace = "trace=4bf92f3577b34da6 ";
  RecordingBuilder r("x");
  try_thrice(r);
  print(r, trace + "booking r-1\n" + trace + "503\n" + trace + "503\n" + trace + "done\n");
  const Finding finding = ask(kLogsCorrelateAttempts, r);
  EXPECT_RULING(Pass, finding);

  r.create("r-2").attempt(1s).answered(201, 1001ms);
  r.recording().output.back().head += trace + "booking r-2\n";
  EXPECT_RULING(Fail, ask(kLogsCorrelateAttempts, r)) << "it is shared with another operation";
}

TEST(LogsCorrelateAttempts, WhatStandsInEveryLogIsNoId) {
  for (const std::string word :
       {"2026-11-29T20:14:05", "20261129T201405Z", "1795983245", "worker-1", "backend-host-17"}) {
    RecordingBuilder r("x");
    try_thrice(r);
    print(r, word + " booking r-1\n" + word + " 503\n" + word + " 503\n");
    RecordingBuilder well("control");
    well.control().create("r-1").attempt(0ms).answered(201, 1ms);
    print(well, "backend-host-17 worker-1 booking r-1\n");
    EXPECT_RULING(Fail, ask(kLogsCorrelateAttempts, r, &well)) << word;
  }
}

TEST(LogsCorrelateAttempts, InJsonANameMayBeEscaped) {
  RecordingBuilder r("x");
  auto create = r.create("orders/1");
  create.attempt(0ms).fired("ill").failed_with(503, 1ms);
  create.attempt(100ms).effect().answered(201, 101ms);
  r.recording().claims.json_logs = true;
  const std::string rest = R"(,"duration_ms":3,"category":"transient","next":"again"})"
                           "\n";
  print(r, R"({"operation":"orders\/1","attempt":1)" + rest +
               R"({"operation":"orders\/1","attempt":2)" + rest);
  EXPECT_RULING(Pass, ask(kLogsCorrelateAttempts, r));
}

TEST(LogsCorrelateAttempts, InJsonTheIdStandsForTheName) {
  const auto traced = [](const std::string& more) {
    return R"({"trace_id":"4bf92f3577b34da6",)" + more + "}\n";
  };
  const std::string attempt = R"("duration_ms":3,"category":"transient","next":"again","attempt":)";
  RecordingBuilder r("x");
  try_thrice(r);
  r.recording().claims.json_logs = true;
  print(r, traced(R"("operation":"r-1")") + traced(attempt + "1") + traced(attempt + "2") +
               traced(attempt + "3"));
  EXPECT_RULING(Pass, ask(kLogsCorrelateAttempts, r));
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
