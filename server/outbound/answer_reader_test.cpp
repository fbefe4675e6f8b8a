#include "server/outbound/answer_reader.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using State = AnswerReader::State;

struct Case {
  const char* name;
  std::string bytes;
  State state;
  std::string body;
  bool to_head = false;
};

constexpr std::uint64_t kMost = 64;

// Whatever the pieces in which the bytes come.
State read(AnswerReader& reader, const std::string& bytes, std::size_t piece) {
  State state = State::More;
  for (std::size_t at = 0; at < bytes.size() && state == State::More; at += piece) {
    state = reader.feed(std::string_view(bytes).substr(at, piece));
  }
  return state;
}

TEST(AnswerReader, ReadsEveryFramingInAnyPieces) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const Case cases[] = {
      {"a length", ok + "Content-Length: 5\r\n\r\nhello", State::Whole, "hello"},
      {"less than it", ok + "Content-Length: 5\r\n\r\nhell", State::More, ""},
      {"chunks",
       ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: 1\r\n\r\n",
       State::Whole, "hello"},
      {"no chunk but the last", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", State::Whole,
       ""},
      {"no content", "HTTP/1.1 204 No Content\r\n\r\n", State::Whole, ""},
      {"to a HEAD", ok + "Content-Length: 5\r\n\r\n", State::Whole, "", true},
      {"after interim answers",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok +
           "Content-Length: 2\r\n\r\nok",
       State::Whole, "ok"},
      {"until the end", ok + "\r\nhello", State::More, ""},
      {"more than the limit", ok + "Content-Length: 65\r\n\r\n", State::Wrong, ""},
      {"more chunks than the limit",
       ok + "Transfer-Encoding: chunked\r\n\r\n41\r\n" + std::string(65, 'x') + "\r\n",
       State::Wrong, ""},
      {"another protocol", "SSH-2.0-OpenSSH\r\n\r\n", State::Wrong, ""},
      {"a switch", "HTTP/1.1 101 Switching Protocols\r\n\r\n", State::Wrong, ""},
      {"a head without end", ok + std::string(70000, 'x'), State::Wrong, ""},
      {"a chunk's line without end",
       ok + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(70000, 'x'), State::Wrong, ""},
      {"a trailer without end",
       ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nT: " + std::string(70000, 'x'), State::Wrong,
       ""},
  };
  for (const Case& c : cases) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
      AnswerReader reader(c.to_head, {.body = kMost});
      EXPECT_EQ(read(reader, c.bytes, piece), c.state) << c.name << ", by " << piece;
      EXPECT_EQ(reader.complaint().empty(), c.state != State::Wrong) << c.name;
      if (c.state != State::Whole) continue;
      EXPECT_EQ(reader.take().body, c.body) << c.name;
    }
  }
}

TEST(AnswerReader, KeepsFieldsInOrderAndAsTheyWereWritten) {
  AnswerReader reader(false, {.body = kMost});
  ASSERT_EQ(reader.feed("HTTP/1.1 299 Quite Fine\r\nset-cookie: a=1\r\nX-b:  two \r\nSet-Cookie: "
                        "c=3\r\nContent-Length: 0\r\n\r\n"),
            State::Whole);
  const UpstreamAnswer answer = reader.take();
  EXPECT_EQ(answer.status, 299);
  EXPECT_EQ(answer.reason, "Quite Fine");
  EXPECT_EQ(
      answer.headers,
      (std::vector<NameValue>{
          {"set-cookie", "a=1"}, {"X-b", "two"}, {"Set-Cookie", "c=3"}, {"Content-Length", "0"}}));
}

TEST(AnswerReader, TheEndOfTheConnectionEndsOnlyWhatHasNoOtherEnd) {
  AnswerReader open(false, {.body = kMost});
  EXPECT_EQ(open.feed("HTTP/1.1 200 OK\r\n\r\nhello"), State::More);
  EXPECT_EQ(open.end(), State::Whole);
  EXPECT_EQ(open.take().body, "hello");

  for (const char* cut : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n",
                          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
                          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n"}) {
    AnswerReader reader(false, {.body = kMost});
    EXPECT_EQ(reader.feed(cut), State::More) << cut;
    EXPECT_EQ(reader.end(), State::Wrong) << cut;
    EXPECT_NE(reader.complaint(), "") << cut;
  }
}

TEST(AnswerReader, InterimAnswersHaveAnEnd) {
  AnswerReader reader(false, {.body = kMost});
  State state = State::More;
  for (int i = 0; i < 1000 && state == State::More; ++i) {
    state = reader.feed("HTTP/1.1 102 Processing\r\n\r\n");
  }
  EXPECT_EQ(state, State::Wrong);
}

}  // namespace
}  // namespace mishap::server
