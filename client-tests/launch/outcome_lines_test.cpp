#include "client-tests/launch/outcome_lines.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

using std::chrono::seconds;

TEST(ParseOutcomeLine, SaysWhereTheInputIsKept) {
  const auto line =
      parse_outcome_line(R"({"operation":"a","outcome":"pending","kept":"drafts/a.json"})");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->kept, "drafts/a.json");
  EXPECT_FALSE(parse_outcome_line(R"({"operation":"a","outcome":"pending"})")->kept);
}

TEST(OutcomeLine, ReadsAllMembersAndIgnoresOthers) {
  const auto line = parse_outcome_line(
      R"({"operation":"ref-1","outcome":"failed","id":"bk_1","attempts":3,"duration_ms":12.5,)"
      R"("category":"timeout","error":"late","stale":true,"mine":[1]})");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->operation, "ref-1");
  EXPECT_EQ(line->outcome, OutcomeKind::Failed);
  EXPECT_EQ(line->id, "bk_1");
  EXPECT_EQ(line->attempts, 3);
  EXPECT_EQ(line->duration_ms, 12.5);
  EXPECT_EQ(line->category, "timeout");
  EXPECT_EQ(line->error, "late");
}

TEST(OutcomeLine, ReadsWhatIsSaidOfTheAgeOfData) {
  const auto line = parse_outcome_line(
      R"({"operation":"GET /p","outcome":"succeeded","cached":true,"as_of":"2026-12-01T10:00:00Z"})");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->cached, true);
  EXPECT_EQ(line->as_of, "2026-12-01T10:00:00Z");
  const auto silent = parse_outcome_line(
      R"({"operation":"GET /p","outcome":"succeeded","cached":null,"as_of":""})");
  ASSERT_TRUE(silent);
  EXPECT_FALSE(silent->cached);
  EXPECT_FALSE(silent->as_of);
}

TEST(OutcomeLine, TakesNumbersAsTextAndNullAsAbsent) {
  const auto line = parse_outcome_line(
      R"({"operation":17,"outcome":"succeeded","id":4,"attempts":null,"error":{"code":1}})");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->operation, "17");
  EXPECT_EQ(line->id, "4");
  EXPECT_FALSE(line->attempts);
  EXPECT_EQ(line->error, R"({"code":1})");
}

struct BadCase {
  std::string line;
  std::string why;
};

TEST(OutcomeLine, SaysWhatIsWrong) {
  const BadCase cases[] = {
      {"succeeded", "not JSON"},
      {R"({"operation":"a","outcome":"succeeded")", "not JSON"},
      {"[1]", "not a JSON object: [1]"},
      {R"({"outcome":"failed"})", "operation is missing"},
      {R"({"operation":"","outcome":"failed"})", R"(operation must be a text, not "")"},
      {R"({"operation":["a"],"outcome":"failed"})", R"(operation must be a text, not ["a"])"},
      {R"({"operation":"a"})", "outcome is missing"},
      {R"({"operation":"a","outcome":"ok"})",
       R"(outcome must be succeeded, failed or pending, not "ok")"},
      {R"({"operation":"a","outcome":true})",
       "outcome must be succeeded, failed or pending, not true"},
      {R"({"operation":"a","outcome":"failed","attempts":-1})",
       "attempts must be a whole number from 0, not -1"},
      {R"({"operation":"a","outcome":"failed","attempts":1.5})",
       "attempts must be a whole number from 0, not 1.5"},
      {R"({"operation":"a","outcome":"failed","duration_ms":"3"})",
       R"(duration_ms must be a number, not "3")"},
      {R"({"operation":"a","outcome":"failed","duration_ms":1e999})", "not JSON"},
      {R"({"operation":"a","outcome":"succeeded","cached":"yes"})",
       R"(cached must be true or false, not "yes")"},
      {"{\"operation\":\"a\xff\",\"outcome\":\"failed\"}", "not JSON"},
      {std::string(60000, '['), "not JSON"},
  };
  for (const auto& bad : cases) {
    const auto line = parse_outcome_line(bad.line);
    ASSERT_FALSE(line) << bad.line;
    EXPECT_EQ(line.error(), bad.why);
  }
}

TEST(OutcomeLine, SurvivesDeepNesting) {
  const std::string deep(30000, '[');
  const std::string closed = deep + std::string(30000, ']');
  EXPECT_TRUE(parse_outcome_line(R"({"operation":"a","outcome":"failed","x":)" + closed + "}"));
  EXPECT_FALSE(parse_outcome_line(closed));
}

std::string good(const std::string& operation) {
  return R"({"operation":")" + operation + R"(","outcome":"succeeded"})";
}

TEST(OutcomeLines, StampsEachLineWithItsArrival) {
  OutcomeLines lines(3, {});
  const std::string text = good("a") + "\n\n" + good("b") + "\r\n" + good("c");
  lines.take(std::string_view(text).substr(0, 10), seconds(1));
  lines.take(std::string_view(text).substr(10), seconds(2));
  EXPECT_EQ(lines.outcomes.size(), 2U) << "the last line is not complete";
  lines.finish(seconds(3));
  ASSERT_EQ(lines.outcomes.size(), 3U);
  EXPECT_EQ(lines.outcomes[0].at, seconds(2));
  EXPECT_EQ(lines.outcomes[2].at, seconds(3));
  EXPECT_EQ(lines.outcomes[1].operation, "b");
  EXPECT_EQ(lines.outcomes[1].copy, 3);
  EXPECT_TRUE(lines.bad_lines.empty());
  ASSERT_EQ(lines.notes.size(), 1U);
  EXPECT_EQ(lines.notes[0], "copy 3: the last outcome line has no newline at its end");
}

TEST(OutcomeLines, KeepsABadLineWithItsNumberAndReadsOn) {
  OutcomeLines lines(0, {});
  lines.take("\xEF\xBB\xBF" + good("a") + "\n\n{\"operation\":\"x\",\"outcome\":\"ok\"}\n" +
                 std::string(5, '\0') + good("b") + "\n",
             seconds(1));
  lines.finish(seconds(1));
  EXPECT_EQ(lines.outcomes.size(), 2U);
  ASSERT_EQ(lines.bad_lines.size(), 1U);
  EXPECT_EQ(lines.bad_lines[0], "line 3: outcome must be succeeded, failed or pending, not \"ok\"");
  EXPECT_TRUE(lines.notes.empty());
}

TEST(OutcomeLines, PassesOverALineThatIsTooLong) {
  OutcomeLines lines(1, {});
  const std::string piece(1000, 'x');
  for (int i = 0; i < 70; ++i) lines.take(piece, seconds(1));
  lines.take("\n" + good("a") + "\n", seconds(1));
  EXPECT_EQ(lines.outcomes.size(), 1U);
  ASSERT_EQ(lines.bad_lines.size(), 1U);
  EXPECT_EQ(lines.bad_lines[0], "copy 1, line 1: longer than 64 KiB");
}

TEST(OutcomeLines, StopsAt64MiBAndSaysSo) {
  OutcomeLines lines(0, {});
  std::string chunk(1024 * 1024, ' ');
  for (std::size_t at = 999; at < chunk.size(); at += 1000) chunk[at] = '\n';
  chunk.back() = '\n';
  for (int i = 0; i < 64; ++i) lines.take(chunk, seconds(1));
  EXPECT_TRUE(lines.notes.empty());
  lines.take(good("a") + "\n", seconds(1));
  lines.take(good("b") + "\n", seconds(1));
  lines.finish(seconds(1));
  EXPECT_TRUE(lines.outcomes.empty());
  ASSERT_EQ(lines.notes.size(), 1U);
  EXPECT_NE(lines.notes[0].find("longer than 64 MiB"), std::string::npos);
}

TEST(OutcomeLines, KeepsAHundredBadOnesAndCountsTheRest) {
  OutcomeLines lines(0, {});
  for (int i = 0; i < 250; ++i) lines.take("x\n", seconds(1));
  lines.finish(seconds(1));
  ASSERT_EQ(lines.bad_lines.size(), 101U);
  EXPECT_EQ(lines.bad_lines.back(), "and 150 more");
}

TEST(OutcomeLines, MasksTheTokenEverywhereAndSensitiveTextsInWords) {
  OutcomeLines lines(0, {}, "mishap-token-1234567", {{"mail", "ann@example.com"}});
  lines.take(
      R"({"operation":"r mishap-token-1234567","id":"mishap-token-1234567","outcome":"failed",)"
      R"("category":"mishap-token-1234567","error":"ann@example.com"})"
      "\n"
      R"({"operation":"ann@example.com","id":"ann@example.com","outcome":"pending"})"
      "\n"
      R"({"operation":"a","outcome":"mishap-token-1234567 ann@example.com"})"
      "\n",
      seconds(1));
  ASSERT_EQ(lines.outcomes.size(), 2U);
  EXPECT_EQ(lines.outcomes[0].operation, "r ***");
  EXPECT_EQ(lines.outcomes[0].id, "***");
  EXPECT_EQ(lines.outcomes[0].category, "***");
  EXPECT_EQ(lines.outcomes[0].error, "***");
  EXPECT_EQ(lines.outcomes[1].operation, "ann@example.com");
  EXPECT_EQ(lines.outcomes[1].id, "ann@example.com");
  ASSERT_EQ(lines.bad_lines.size(), 1U);
  EXPECT_NE(lines.bad_lines[0].find("\"*** ***\""), std::string::npos) << lines.bad_lines[0];
}

TEST(OutcomeLines, MasksSecretsInErrorsAndBadLines) {
  OutcomeLines lines(0, {"QWERTZ"});
  lines.take(R"({"operation":"a","outcome":"failed","error":"key QWERTZ refused"})"
             "\n"
             R"({"operation":"a","outcome":"QWERTZ"})"
             "\n",
             seconds(1));
  EXPECT_EQ(lines.outcomes.at(0).error, "key *** refused");
  EXPECT_EQ(lines.bad_lines.at(0).find("QWERTZ"), std::string::npos);
}

}  // namespace
}  // namespace mishap::client_tests
