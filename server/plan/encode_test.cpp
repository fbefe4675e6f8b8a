#include <gtest/gtest.h>

#include <set>

#include "server/plan/step.h"
#include "server/plan/step_printer.h"

namespace mishap::server {
namespace {

using std::chrono::seconds;

SendAnswer answer(StatusCode status, std::string body) {
  return SendAnswer{status, {{"Content-Type", "text/plain"}}, std::move(body), false};
}

struct Case {
  std::string name;
  SendAnswer answer;
  std::string expected;
};

TEST(Encode, FramesByStatusAndMethod) {
  const std::vector<Case> cases = {
      {"body", answer(200, "hello"),
       R"(send head "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n" | send body "hello")"},
      {"empty body says so", answer(200, ""),
       R"(send head "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n")"},
      {"bytes, not characters", answer(200, "grün"),
       R"(send head "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n" | send body "grün")"},
      {"204 has neither length nor body", answer(204, "ignored"),
       R"(send head "HTTP/1.1 204 No Content\r\nContent-Type: text/plain\r\n\r\n")"},
      {"304 has neither length nor body", answer(304, "ignored"),
       R"(send head "HTTP/1.1 304 Not Modified\r\nContent-Type: text/plain\r\n\r\n")"},
      {"205 has no content and says so", answer(205, "ignored"),
       R"(send head "HTTP/1.1 205 Reset Content\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n")"},
      {"HEAD says the length of the body it leaves out", SendAnswer{200, {}, "hello", true},
       R"(send head "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")"},
      {"a length that was written stays", SendAnswer{200, {{"content-length", "99"}}, "hi", false},
       R"(send head "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n" | send body "hi")"},
      {"a measured length stands where the mark is, and the phrase is the upstream's",
       SendAnswer{200, {{"content-length", "99"}, {"X-A", "1"}}, "hi", false, true, "Fine"},
       R"(send head "HTTP/1.1 200 Fine\r\ncontent-length: 2\r\nX-A: 1\r\n\r\n" | send body "hi")"},
      {"the length that an upstream tells a HEAD is its own",
       SendAnswer{200, {{"Content-Length", "99"}}, "", true, true},
       R"(send head "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")"},
      {"what an upstream does not tell a HEAD is not made up", SendAnswer{200, {}, "", true, true},
       R"(send head "HTTP/1.1 200 OK\r\n\r\n")"},
      {"an unknown status", SendAnswer{599, {}, "", false},
       R"(send head "HTTP/1.1 599 Unassigned\r\nContent-Length: 0\r\n\r\n")"},
      {"repeated fields stay in order",
       SendAnswer{429, {{"Retry-After", "5"}, {"Retry-After", "9"}}, "", false},
       R"(send head "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n")"},
  };
  for (const Case& c : cases) EXPECT_EQ(print(encode({c.answer})), c.expected) << c.name;
}

TEST(Encode, LeavesEverythingElseWhereItIs) {
  const Steps steps = {Wait{seconds(2)}, Apply{}, answer(200, "x"), Drain{}, Finish{}};
  EXPECT_EQ(print(encode(steps)),
            "wait 2s | apply | send head \"HTTP/1.1 200 OK\\r\\nContent-Type: "
            "text/plain\\r\\nContent-Length: 1\\r\\n\\r\\n\" | send body \"x\" | drain | finish");
}

TEST(Encode, IsIdempotent) {
  const Steps once = encode({answer(201, "{}"), Finish{}});
  EXPECT_EQ(print(encode(once)), print(once));
}

TEST(ReasonPhrase, KnowsTheStandardOnesAndSaysUnassignedElse) {
  EXPECT_EQ(reason_phrase(404), "Not Found");
  EXPECT_EQ(reason_phrase(422), "Unprocessable Content");
  EXPECT_EQ(reason_phrase(503), "Service Unavailable");
  EXPECT_EQ(reason_phrase(299), "Unassigned");
}

TEST(NameOf, IsDifferentForEveryStep) {
  const Steps all = {Handshake{},
                     ReadBody{},
                     Wait{},
                     WaitForEvent{},
                     Apply{},
                     SendAnswer{},
                     Send{},
                     SendMany{},
                     AwaitAcknowledged{},
                     Drain{},
                     Stall{},
                     CloseConnection{},
                     ResetConnection{},
                     SignalClient{},
                     Finish{}};
  ASSERT_EQ(all.size(), std::variant_size_v<Step>);
  std::set<std::string_view> names;
  for (const Step& step : all) names.insert(name_of(step));
  EXPECT_EQ(names.size(), all.size());
}

TEST(Encode, PutsAFillerBetweenTheWrittenPartsOfABody) {
  SendAnswer answer{200, {}, "begin", false};
  answer.filler = Filler{"xy", 3, "end"};
  EXPECT_EQ(print(encode({answer})),
            R"(send head "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n" | send body "begin" | )"
            R"(send body "xy" x 3 | send body "end")");
  answer.head_only = true;
  EXPECT_EQ(print(encode({answer})),
            R"(send head "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n")");
}

TEST(Encode, SaysNoLengthOfAnUnframedAnswer) {
  SendAnswer answer{200, {}, "x", false};
  answer.unframed = true;
  EXPECT_EQ(print(encode({answer})), R"(send head "HTTP/1.1 200 OK\r\n\r\n" | send body "x")");
}

}  // namespace
}  // namespace mishap::server
